package mutants

// scriptMutants break the operator's own tools, and the conversion of data.
func scriptMutants() []Mutant {
	const script, data = "pkg/tools/script", "pkg/tools/data"
	return []Mutant{
		{
			Promise: "tools of the operator", Defect: "runs a program that everybody may write",
			File: script + "/folder.go", Old: `case info.Mode().Perm()&worldWritable != 0:`, New: `case info.Mode().Perm()&worldWritable > 0o777:`,
			Dir: script, Test: "^(TestBrokenFolders|TestChangedFolderIsNotRun)$",
		},
		{
			Promise: "tools of the operator", Defect: "does not look again before a call",
			File: script + "/tool.go", Old: "if _, fail := t.look(ctx); fail != nil {\n\t\treturn fail.Result()",
			New: "if _, fail := t.look(ctx); fail != nil && ctx == nil {\n\t\treturn fail.Result()",
			Dir: script, Test: "^TestChangedFolderIsNotRun$",
		},
		{
			Promise: "data to convert", Defect: "lets the parser follow any nesting",
			File: "pkg/strictyaml/parse.go", Old: `case g.flow+len(g.blocks) > depth:`, New: `case g.flow+len(g.blocks) > depth<<10:`,
			Dir: data, Test: "^TestHostileData$",
		},
		{
			Promise: "data to convert", Defect: "does not count what aliases stand for",
			File: data + "/yaml.go", Old: `r.shared > maxValues ||`, New: `r.shared < 0 ||`,
			Dir: data, Test: "^TestHostileData$",
		},
	}
}
