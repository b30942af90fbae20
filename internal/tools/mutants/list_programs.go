package mutants

// programMutants break the rules for programs that the agent runs.
func programMutants() []Mutant {
	const dir, shell = "pkg/sandbox", "pkg/tools/shell"
	return []Mutant{
		{
			Promise: "sandbox: files", Defect: "shows what is hidden in a readable folder",
			File: dir + "/isolate_linux.go", Old: `if !within(m.Source, h) {`, New: `if m.Target != "" {`,
			Dir: dir, Test: "^TestNothingOutside$",
		},
		{
			Promise: "sandbox: end", Defect: "gives programs more time than they have",
			File: dir + "/run_linux.go", Old: `context.WithTimeout(ctx, c.Timeout)`, New: `context.WithTimeout(ctx, 3*c.Timeout)`,
			Dir: dir, Test: "^TestSetsidChildIsDead$",
		},
		{
			Promise: "sandbox: limits", Defect: "keeps all of an output",
			File: dir + "/output.go", Old: `if room := k.half - len(k.tail); room > 0 {`, New: `if room := len(p); room > 0 {`,
			Dir: dir, Test: "^Test(HugeOutput|Output)$",
		},
		{
			Promise: "sandbox: probes", Defect: "does not look whether a file outside can be read",
			File: dir + "/probe_linux.go", Old: `note(err == nil, "a file outside can be read")`, New: `note(err != nil && false, "a file outside can be read")`,
			Dir: dir, Test: "^TestProbesFindEscapes$",
		},
		{
			Promise: "commands", Defect: "takes a file's name for an option",
			File: shell + "/globs.go", Old: `case strings.HasPrefix(name, "-") || strings.HasPrefix(arg, "./"):`, New: `case strings.HasPrefix(arg, "./"):`,
			Dir: shell, Test: "^TestPatterns$",
		},
		{
			Promise: "commands", Defect: "asks about a program by its name alone",
			File: shell + "/shell.go", Old: `dangerous([]string{what.written, what.path, what.real, in.Argv[0]}, p.command.Args)`, New: `dangerous([]string{in.Argv[0]}, p.command.Args)`,
			Dir: shell, Test: "^TestAlwaysAsked$",
		},
	}
}
