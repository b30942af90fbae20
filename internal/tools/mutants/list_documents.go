package mutants

// documentMutants break the readers of documents.
func documentMutants() []Mutant {
	const room, paper, box = "pkg/documents", "pkg/documents/pdf", "pkg/sandbox"
	const parsers, bombs, shown = "documents: parsers", "documents: bombs", "documents: shown text"
	return append(paperMutants(), []Mutant{
		{
			Promise: shown, Defect: "shows a hidden paragraph",
			File: room + "/html.go", Old: "!unshown(a) && (!hidden || void(a))", New: "!unshown(a) && (!hidden || void(a) || a == atom.P)",
			Dir: room, Test: "^TestHiddenElements$",
		},
		{
			Promise: shown, Defect: "takes a page for Windows-1252 whose beginning is ASCII",
			File: room + "/html.go", Old: `name == "windows-1252" && utf8.Valid(data)`, New: `name == "" && utf8.Valid(data)`,
			Dir: room, Test: "^TestHTMLInUTF8$",
		},
		{
			Promise: shown, Defect: "takes the format before a tracked change for the present one",
			File: room + "/docx.go", Old: `, "rPrChange", "pPrChange":`, New: ":",
			Dir: room, Test: "^TestRead$",
		},
		{
			Promise: parsers, Defect: "parses a page in the gateway's own process where there is no sandbox",
			File: room + "/reader.go", Old: "if err := r.Available(); err != nil {\n\t\treturn nil, err",
			New: "if err := r.Available(); err != nil {\n\t\tdata, _ := io.ReadAll(in)\n\t\treturn parse(kind, data)",
			Dir: room, Test: "^TestWithoutSandbox$",
		},
		{
			Promise: parsers, Defect: "lets the helper open files",
			File: box + "/close_linux.go", Old: "landlock.LandlockRestrictSelf(ruleset, 0)", New: "error(nil)",
			Dir: box, Test: "^TestCloseFiles$",
		},
		{
			Promise: bombs, Defect: "decompresses a part of a DOCX without a bound",
			File: room + "/docx.go", Old: "UncompressedSize64 > maxPart {", New: "UncompressedSize64 > 1<<40 {",
			Dir: room, Test: "^TestBombs$",
		},
		{
			Promise: bombs, Defect: "gives a text of any length",
			File: room + "/documents.go", Old: "over > 0 {", New: "over > 1<<40 {",
			Dir: room, Test: "^TestBombs$",
		},
		{
			Promise: bombs, Defect: "reads an encrypted PDF as if it were plain",
			File: paper + "/file.go", Old: "f.get(f.trailer[\"Encrypt\"]) != nil", New: "f.trailer == nil",
			Dir: room, Test: "^TestDamaged$",
		},
	}...)
}

// paperMutants break the reader of PDF.
func paperMutants() []Mutant {
	const room, paper = "pkg/documents", "pkg/documents/pdf"
	const long, pages = "documents: long", "documents: PDF"
	const people, orders = "documents: people", "documents: orders"
	const tool = "pkg/tools/files"
	return []Mutant{
		{
			Promise: "documents: bombs", Defect: "reads a DOCX of any number of parts",
			File: room + "/docx.go", Old: "if len(z.File) > maxEntries {", New: "if len(z.File) > maxEntries<<9 {",
			Dir: room, Test: "^TestDamaged$",
		},
		{
			Promise: "documents: bombs", Defect: "is silent about a DOCX without words",
			File: room + "/docx.go", Old: "if len(d.Sections) == 0 && d.Note == \"\" {", New: "if len(d.Sections) == 0 && d.Note != \"\" {",
			Dir: room, Test: "^TestHostileStructures$",
		},
		{
			Promise: people, Defect: "gives the bytes of a document in place of its text",
			File: tool + "/read.go", Old: "if a.isDocument(p, f) {", New: "if a.isDocument(p, f) && in.Limit == 0 {",
			Dir: tool, Test: "^TestReadDocuments$",
		},
		{
			Promise: people, Defect: "hides why a document cannot be read",
			File: tool + "/document.go", Old: `shown+": "+refused.Reason`, New: `shown+": it failed"+refused.Reason[:0]`,
			Dir: tool, Test: "^TestReadDocuments$",
		},
		{
			Promise: orders, Defect: "takes the words of a received document as the person's",
			File: tool + "/outside.go", Old: `Taints: a.outside(ctx, in.Path, false)`, New: `Taints: in.Offset > 1<<40`,
			Dir: tool, Test: "^TestWhatOthersSentIsFromOutside$",
		},
		{
			Promise: "documents: bombs", Defect: "keeps twice as much of an answer as the longest text takes",
			File: room + "/reader.go", Old: "MaxOutput: maxAnswer,", New: "MaxOutput: 2 * maxAnswer,",
			Dir: room, Test: "^TestTheLongestAnswerIsKeptWhole$",
		},
		{
			Promise: "documents: bombs", Defect: "cuts the answer of a text of characters that cannot be seen",
			File: room + "/helper.go", Old: "6*MaxText + 1<<20", New: "5*MaxText + 1<<20",
			Dir: room, Test: "^TestTheLongestAnswerIsKeptWhole$",
		},
		{
			Promise: long, Defect: "is silent about the pages that are missing",
			File: room + "/paper.go", Old: "d.Note == \"\" && read < pages", New: "d.Note == \"\" && read > pages",
			Dir: room, Test: "^TestBombs$",
		},
		{
			Promise: long, Defect: "reads pages without an end",
			File: room + "/paper.go", Old: "p.Number > MaxPages", New: "p.Number > MaxPages*10",
			Dir: room, Test: "^TestBombs$",
		},
		{
			Promise: pages, Defect: "takes no names from the differences of an encoding",
			File: paper + "/font.go", Old: "o.names[at] = string(v)", New: "o.names[at] = \"\"",
			Dir: paper, Test: "^TestText$",
		},
		{
			Promise: pages, Defect: "takes the table of a damaged file as it is",
			File: paper + "/file.go", Old: "if !(tables{f}).read() || f.root() == nil {", New: "if f.trailer == nil {",
			Dir: paper, Test: "^TestDamagedFiles$",
		},
		{
			Promise: pages, Defect: "joins words that stand apart",
			File: paper + "/canvas.go", Old: "r.spaced || r.x0-before.x1 > wordGap*min(r.size, before.size)", New: "r.spaced",
			Dir: paper, Test: "^TestText$",
		},
		{
			Promise: long, Defect: "takes a line of a page for the begin of another one",
			File: room + "/documents.go", Old: `"\n[page ", "\n [page "`, New: `"\n[page ", "\n[page "`,
			Dir: room, Test: "^TestHostileStructures$",
		},
	}
}
