package mutants

// documentMutants break the readers of documents.
func documentMutants() []Mutant {
	const room, box = "pkg/documents", "pkg/sandbox"
	const parsers, bombs = "documents: parsers", "documents: bombs"
	return []Mutant{
		{
			Promise: parsers, Defect: "parses a page in the gateway's own process where there is no sandbox",
			File: room + "/reader.go", Old: "if err := r.Available(); err != nil {\n\t\treturn nil, err",
			New: "if err := r.Available(); err != nil {\n\t\treturn parse(kind, data)", Dir: room, Test: "^TestWithoutSandbox$",
		},
		{
			Promise: parsers, Defect: "lets the helper open files",
			File: box + "/close_linux.go", Old: "landlock.LandlockRestrictSelf(ruleset, 0)", New: "error(nil)",
			Dir: box, Test: "^TestCloseFiles$",
		},
		{
			Promise: bombs, Defect: "decompresses a part of a DOCX without a bound",
			File: room + "/docx.go", Old: "N: maxPart}", New: "N: 1 << 40}",
			Dir: room, Test: "^TestBombs$",
		},
		{
			Promise: bombs, Defect: "gives a text of any length",
			File: room + "/documents.go", Old: "over > 0 {", New: "over > 1<<40 {",
			Dir: room, Test: "^TestBombs$",
		},
	}
}
