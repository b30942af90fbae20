package mutants

// screenMutants break the promises about the console at a terminal.
func screenMutants() []Mutant {
	const screens, line = "internal/test/terminal", "pkg/console/line"
	return []Mutant{
		{
			Promise: "screen: turns", Defect: "drops the words before a call",
			File: "pkg/console/turn.go", Old: "	case events.Call:\n		t.flush()\n", New: "	case events.Call:\n		t.draft = draft{}\n",
			Dir: screens, Test: "^TestAnAnswerGrowsWithItsCalls$",
		},
		{
			Promise: "screen: turns", Defect: "takes the last block of a growing text for settled",
			File: "pkg/console/turn.go", Old: "if n := len(doc.Ends) - 1; n > d.above {", New: "if n := len(doc.Ends); n > d.above {",
			Dir: screens, Test: "^TestAnAnswerGrowsWithItsCalls$",
		},
		{
			Promise: "screen: floods", Defect: "waits for the end of a turn that it missed",
			File: "pkg/gateway/attach/show.go", Old: "		return nil\n	}\n	return s.view.Idle(ctx)\n", New: "	}\n	return nil\n",
			Dir: screens, Test: "^TestAConsoleThatWasStoppedCatchesUp$",
		},
		{
			Promise: "screen: ends", Defect: "waits for a terminal that does not read",
			File: "pkg/console/terminal.go", Old: "late := time.NewTimer(leaveTime)", New: "late := time.NewTimer(time.Hour)",
			Dir: screens, Test: "^TestATerminalThatStopsReading$",
		},
		{
			Promise: "screen: paste", Defect: "sends the label of a paste",
			File: line + "/line.go", Old: "b.WriteString(items[i].Text)", New: "b.WriteString(cmp.Or(items[i].Label, items[i].Text))",
			Dir: screens, Test: "^TestAPasteIsOneMessage$",
		},
		{
			Promise: "screen: paste", Defect: "takes a text that no request has room for",
			File: line + "/line.go", Old: "const MaxText = 512 << 10", New: "const MaxText = 1 << 20",
			Dir: screens, Test: "^TestAPasteThatIsTooLong$",
		},
		{
			Promise: "screen: line", Defect: "takes a code point for a character",
			File: line + "/line.go", Old: "		all = append(all, Item{Text: g.Value()})\n",
			New: "		for _, r := range g.Value() {\n			all = append(all, Item{Text: string(r)})\n		}\n",
			Dir: line, Test: "^TestKeys$",
		},
		{
			Promise: "screen: history", Defect: "keeps a line with its secrets",
			File: "pkg/console/history/history.go", Old: "text = h.redact(strings.TrimSpace(text))", New: "text = strings.TrimSpace(text)",
			Dir: "pkg/console/history", Test: "^TestHistory$",
		},
		{
			Promise: "screen: menus", Defect: "sends a command that is not there",
			File: "pkg/console/send.go", Old: "	if e.unknown(words) {\n		return nil\n	}\n", New: "",
			Dir: screens, Test: "^TestMenusComplete$",
		},
		{
			Promise: "screen: menus", Defect: "shows commands that come late with the next key alone",
			File: "pkg/console/menu.go", Old: "	if e.menu.moved || e.menu.closed ||", New: "	if e.line.AtStart() ||",
			Dir: "pkg/console", Test: "^TestCommandsThatComeLate$",
		},
		{
			Promise: "screen: questions", Defect: "takes a letter for an answer at once",
			File: "pkg/console/ask.go", Old: `q.answered != "" || a.arming()`, New: `q.answered != ""`,
			Dir: "pkg/console", Test: "^TestAQuestionNeedsAMoment$",
		},
		{
			Promise: "screen: questions", Defect: "hides what an overwritten file loses",
			File: "pkg/tools/files/diff.go", Old: "		put(markLost, a[:pair[0]])\n", New: "",
			Dir: "pkg/tools/files", Test: "^TestWriting$",
		},
	}
}

// screenEdgeMutants break the promises about a terminal's ends, sizes and colours.
func screenEdgeMutants() []Mutant {
	const screens = "internal/test/terminal"
	return []Mutant{
		{
			Promise: "screen: ends", Defect: "leaves the modes of the console on",
			File: "pkg/console/terminal.go", Old: "	err := term.Restore(int(t.in.Fd()), t.before)\n", New: "	var err error\n",
			Dir: screens, Test: "^TestEveryEndGivesTheTerminalBack$",
		},
		{
			Promise: "screen: ends", Defect: "waits in a write to a terminal that does not read",
			File: "pkg/console/output.go", Old: "late := time.NewTimer(leaveTime)", New: "late := time.NewTimer(time.Hour)",
			Dir: "pkg/console", Test: "^TestOutputWaitsForItsTerminal$",
		},
		{
			Promise: "screen: questions", Defect: "leaves keys faint that work",
			File: "pkg/console/model.go", Old: "case m.asks.faint:", New: "case m.asks.arming():",
			Dir: "pkg/console", Test: "^TestKeysAreDrawnAgainOnceTheyWork$",
		},
		{
			Promise: "events: resume", Defect: "lets a large message go before it is stored",
			File: "pkg/events/chat.go", Old: "c.events.len() > minKept", New: "c.events.len() > 1",
			Dir: "pkg/events", Test: "^TestALargeMessageStaysUntilItIsStored$",
		},
		{
			Promise: "screen: ends", Defect: "leaves without a word",
			File: "pkg/console/model.go", Old: "m.leaves, m.left = true, why", New: "m.left = why",
			Dir: screens, Test: "^TestCtrlCHasThreeSteps$",
		},
		{
			Promise: "screen: sizes", Defect: "parts a word of a note at the edge",
			File: "pkg/console/fold.go", Old: "return fold(text, width)", New: "return fold(text, 1000*width)",
			Dir: screens, Test: "^TestNotesAtTheStartKeepTheirWords$",
		},
		{
			Promise: "screen: sizes", Defect: "counts on rows that were not wrapped",
			File: "pkg/console/screen/screen.go", Old: "if s.reflows && width < s.width {", New: "if false {",
			Dir: screens, Test: "^TestAResizeLeavesNothingBehind$",
		},
		{
			Promise: "screen: colours", Defect: "lets the sequences of a text through",
			File: "pkg/console/ansi/markdown.go", Old: "markdown.Read(console.Sanitize(text), dialect())",
			New: "markdown.Read(text+console.Sanitize(``), dialect())",
			Dir: "pkg/console/ansi", Test: "^TestMarkdown$",
		},
		{
			Promise: "screen: colours", Defect: "has colours in spite of NO_COLOR",
			File: "pkg/console/model.go", Old: `v != "" {`, New: `v == "never" {`,
			Dir: screens, Test: "^TestColoursAreThoseOfTheTerminal$",
		},
	}
}
