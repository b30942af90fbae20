package mutants

import "slices"

// corporaMutants break the folders of documents that chats search.
func corporaMutants() []Mutant {
	return slices.Concat(searchMutants(), folderMutants(), busyMutants())
}

// searchMutants break the tools and the rights of chats.
func searchMutants() []Mutant {
	const room, tool, toolset = "pkg/corpus", "pkg/tools/corpora", "pkg/gateway/toolset"
	const answers, rights, outside = "corpora: grounded answers", "corpora: rights", "corpora: outside content"
	return []Mutant{
		{
			Promise: answers, Defect: "shows a secret of a passage",
			File: tool + "/corpora.go", Old: "s.o.Redact(p.Text)", New: "p.Text",
			Dir: tool, Test: "^TestACorpusThatIsNotTrustedTaints$",
		},
		{
			Promise: answers, Defect: "answers without a bound",
			File: tool + "/corpora.go", Old: "if len(said) > room {", New: "if len(said) > room<<9 {",
			Dir: tool, Test: "^TestAnAnswerIsBounded$",
		},
		{
			Promise: outside, Defect: "takes the names in a folder of a corpus for the operator's",
			File: "pkg/tools/files/outside.go", Old: "defer s.close()\n\treturn s.outside\n", New: "defer s.close()\n\treturn false\n",
			Dir: toolset, Test: "^TestARootOfAnUntrustedCorpusTaints$",
		},
		{
			Promise: "corpora: status", Defect: "counts no files that are not read",
			File: room + "/state.go", Old: "len(s.Unread) + s.MoreUnread, s.Waiting, s.Looked", New: "s.MoreUnread, s.Waiting, s.Looked",
			Dir: room, Test: "^TestBounds$",
		},
		{
			Promise: "corpora: status", Defect: "tells each chat of all corpora",
			File: toolset + "/corpora.go", Old: "s.o.Corpora.States(names)", New: "s.o.Corpora.States(slices.Sorted(maps.Keys(s.cfg.Corpora)))",
			Dir: toolset, Test: "^TestCorporaAreForChosenChats$",
		},
		{
			Promise: rights, Defect: "searches any corpus that a call names",
			File: tool + "/corpora.go", Old: "case slices.Contains(names, name):", New: "case slices.Contains(names, name), name != names[0]:",
			Dir: tool, Test: "^TestAChatHasItsOwnCorpora$",
		},
		{
			Promise: rights, Defect: "offers the tools in every chat",
			File: toolset + "/toolset.go", Old: "(!isCorpora(tool) || len(s.corpora(at)) > 0)", New: "(!isCorpora(tool) || len(s.cfg.Corpora) > 0)",
			Dir: toolset, Test: "^TestCorporaAreForChosenChats$",
		},
		{
			Promise: rights, Defect: "trusts a folder into which chats write",
			File: "pkg/config/corpora.go", Old: `k.Trusted && r.Mode == "rw"`, New: `k.Trusted && r.Mode == "wr"`,
			Dir: "pkg/config", Test: "^TestCorporaRefused$",
		},
		{
			Promise: rights, Defect: "gives a person's corpora to people whose names begin alike",
			File: "pkg/policy/place.go", Old: "strings.LastIndexByte(a.Chat, '.'))]", New: "strings.LastIndexByte(a.Chat, '.')-1)]",
			Dir: "pkg/policy", Test: "^TestARuleForAPersonOfTheWeb$",
		},
		{
			Promise: outside, Defect: "takes each passage for the operator's words",
			File: tool + "/corpora.go", Old: "if !p.Trusted {", New: "if !p.Trusted && p.Score < 0 {",
			Dir: tool, Test: "^TestACorpusThatIsNotTrustedTaints$",
		},
		{
			Promise: outside, Defect: "takes the names of files for the operator's words",
			File: tool + "/corpora.go", Old: "if len(st.Unread) > 0 && !slices", New: "if len(st.Unread) > 20 && !slices",
			Dir: tool, Test: "^TestACorpusThatIsNotTrustedTaints$",
		},
		{
			Promise: outside, Defect: "lets an instruction of a corpus write without a question",
			File: tool + "/corpora.go", Old: "tools.BringsOutside(ctx)\n\t\t}\n\t\ta.Passages", New: "_ = ctx\n\t\t}\n\t\ta.Passages",
			Dir: "internal/test/e2e", Test: "^TestInstructionsInACorpus$",
		},
		{
			Promise: rights, Defect: "searches the corpora of all chats",
			File: room + "/state.go", Old: "if slices.Contains(names, f.Name) {", New: "if len(names) > 0 {",
			Dir: "internal/test/e2e", Test: "^TestFortyChatsWithCorporaOfTheirOwn$",
		},
		{
			Promise: "tools: posts and recursion", Defect: "never ends the calls",
			File: "pkg/tools/loop.go", Old: "config.MaxIterations <= 0", New: "config.MaxIterations > 0",
			Dir: "internal/test/e2e", Test: "^TestMarketPostRequiresConfirmationAndRecursionIsLimited$",
		},
	}
}

// folderMutants break the reading of the folders.
func folderMutants() []Mutant {
	const room = "pkg/corpus"
	const whole, bounds, derived = "corpora: whole files", "corpora: bounds", "corpora: derived data"
	return []Mutant{
		{
			Promise: whole, Defect: "takes a file that was swapped while it was read",
			File: room + "/read.go", Old: "if !same(root, name, f, info) {", New: "if !same(root, name, f, info) && err != nil {",
			Dir: room, Test: "^TestAFileIsNeverIndexedHalf$",
		},
		{
			Promise: whole, Defect: "reads a file while it is being written",
			File: room + "/read.go", Old: "age > -settle && age < settle", New: "age > settle && age < settle",
			Dir: room, Test: "^TestAFreshFileWaits$",
		},
		{
			Promise: whole, Defect: "keeps the words of files that are gone",
			File: room + "/look.go", Old: "return !there[name] && !found.misses(name)", New: "return !there[name] && found.misses(name)",
			Dir: room, Test: "^TestChangesAreSeen$",
		},
		{
			Promise: whole, Defect: "keeps the words of former corpora in the file",
			File: room + "/corpus.go", Old: "rest: true, gone: true,", New: "rest: true, gone: false,",
			Dir: room, Test: "^TestAFormerCorpusLeavesTheIndex$",
		},
		{
			Promise: bounds, Defect: "reads files with several names",
			File: room + "/read.go", Old: "openat.File(root, name)", New: "openat.Linked(root, name)",
			Dir: room, Test: "^TestNoLinkIsFollowed$",
		},
		{
			Promise: bounds, Defect: "reads a file whatever its size",
			File: room + "/read.go", Old: "was.Size > most {", New: "was.Size > most<<20 {",
			Dir: room, Test: "^TestBounds$",
		},
		{
			Promise: bounds, Defect: "goes down without an end",
			File: room + "/walk.go", Old: "if depth > maxDepth {", New: "if depth > maxDepth<<9 {",
			Dir: room, Test: "^TestBounds$",
		},
		{
			Promise: bounds, Defect: "follows the folder itself wherever its path leads",
			File: room + "/walk.go", Old: "known && was != at {", New: "known && was == \"\" {",
			Dir: room, Test: "^TestAFolderThatBecomesALink$",
		},
		{
			Promise: bounds, Defect: "waits for a pipe in place of the folder",
			File: room + "/walk.go", Old: "openat.Root(f.Dir)", New: "os.OpenRoot(f.Dir)",
			Dir: room, Test: "^TestAFolderThatBecomesALink$",
		},
		{
			Promise: bounds, Defect: "takes names that turn the order of letters round",
			File: room + "/walk.go", Old: "r >= '\\u202a' && r <= '\\u202e'", New: "r > '\\u202e' && r <= '\\u202e'",
			Dir: room, Test: "^TestNoLinkIsFollowed$",
		},
		{
			Promise: "corpora: grounded answers", Defect: "takes a line of a document for the number of a page",
			File: "pkg/gateway/corpora/corpora.go", Old: "writePlain(&b, s.Text)", New: "b.WriteString(s.Text)",
			Dir: "pkg/gateway/corpora", Test: "^TestPassagesStayOnTheirPage$",
		},
		{
			Promise: derived, Defect: "leaves a damaged index as it is",
			File: room + "/state.go", Old: "case l.damaged <- struct{}{}:", New: "case (chan struct{})(nil) <- struct{}{}:",
			Dir: room, Test: "^TestDamage$",
		},
		{
			Promise: derived, Defect: "keeps the old index when the operator wants another one",
			File: room + "/worker.go", Old: "anew := len(w.asked) > 0", New: "anew := len(w.asked) > 9",
			Dir: room, Test: "^TestRebuild$",
		},
		{
			Promise: "prompt: folders", Defect: "tells a chat of the folders of another one",
			File: "pkg/agent/prompt/prompt.go", Old: "s.folders == files.Folders", New: "s.folders != \"\"",
			Dir: "pkg/agent/prompt", Test: "^TestInstructionsStayWithTheirChat$",
		},
	}
}

// busyMutants lose documents on a busy machine.
func busyMutants() []Mutant {
	const room = "pkg/corpus"
	return []Mutant{
		{
			Promise: "corpora: a busy machine", Defect: "keeps a document for good that had no time once",
			File: room + "/worker.go", Old: "if t.n++; t.n >= attempts {", New: "if t.n++; t.n >= 1 {",
			Dir: room, Test: "^TestAReaderWithoutTime$",
		},
		{
			Promise: "corpora: a busy machine", Defect: "reads a document at each start that takes too long",
			File: room + "/look.go", Old: "err = unread(text.ClipBytes(err.Error(), maxWhy))", New: "_ = text.ClipBytes",
			Dir: room, Test: "^TestAReaderWithoutTime$",
		},
		{
			Promise: "corpora: a busy machine", Defect: "takes the end of the time for a fault of the document",
			File: "pkg/documents/reader.go", Old: "kind, MaxTime), Hurried: true}", New: "kind, MaxTime)}",
			Dir: "pkg/documents", Test: "^TestABusyMachine$",
		},
		{
			Promise: "corpora: a busy machine", Defect: "forgets on the way that the machine was busy",
			File: "pkg/gateway/corpora/corpora.go",
			Old:  "errors.As(err, &fault) && fault.Hurried:", New: `errors.As(err, &fault) && fault.Hurried && path == "":`,
			Dir: "pkg/gateway/corpora", Test: "^TestWhoseFaultItIs$",
		},
	}
}
