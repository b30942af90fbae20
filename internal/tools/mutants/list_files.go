package mutants

// writtenMutants break the promises of the tools that write files.
func writtenMutants() []Mutant {
	const dir, control = "pkg/tools/files", "paths: control files"
	return []Mutant{
		{
			Promise: "paths", Defect: "overwrites files that have a name elsewhere",
			File: dir + "/space.go", Old: `case links(info) > 1:`, New: `case links(info) > 99:`,
			Dir: dir, Test: "^TestHostilePathsAreNotWritten$",
		},
		{
			Promise: "lower rights", Defect: "writes for a chat that may only read",
			File: dir + "/target.go", Old: `if !s.writable {`, New: `if !s.writable && p == "." {`,
			Dir: dir, Test: "^TestModeFollowsTheLevel$",
		},
		{
			Promise: control, Defect: "holds the rules against the path as it is written alone",
			File: dir + "/target.go", Old: `err = s.reachWritable(t.rel)`, New: `err = s.reachWritable(p)`,
			Dir: dir, Test: "^(TestControlFilesAreNotWritten|TestRefusedPathsAreNotReached)$",
		},
		{
			Promise: control, Defect: "writes what steers the agent in another case",
			File: dir + "/rules.go", Old: "`\\A(?is:`", New: "`\\A(?s:`",
			Dir: dir, Test: "^TestControlFilesAreNotWritten$",
		},
		{
			Promise: "paths: further folders", Defect: "writes where a folder is only to be read",
			File: dir + "/access.go", Old: `root.Dir, s.writable && root.Writable`, New: `root.Dir, s.writable`,
			Dir: dir, Test: "^TestRootsBesideTheSpace$",
		},
		{
			Promise: "files written", Defect: "writes into the file itself",
			File: dir + "/apply.go", Old: `temp := tempName(t.name)`, New: `temp := t.name`,
			Dir: dir, Test: "^TestKilledWhileWriting$",
		},
		{
			Promise: "files asked about", Defect: "gives any file the same state",
			File: dir + "/target.go", Old: `hex.EncodeToString(hash.Sum(nil))`, New: `hex.EncodeToString(hash.Sum(nil)[:0])`,
			Dir: dir, Test: "^TestStateTellsWhatIsThere$",
		},
	}
}
