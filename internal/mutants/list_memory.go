package mutants

// memoryMutants break the promises of the section "What the model remembers and reads".
func memoryMutants() []Mutant {
	return historyMutants()
}

// historyMutants break what a request carries of earlier turns.
func historyMutants() []Mutant {
	const agent, row = "pkg/agent", "no entry costs the others"
	return []Mutant{
		{
			Promise: row, Defect: "carries the arguments of calls whole",
			File: "pkg/providers/shorten.go", Old: "if size <= room {", New: "if size <= room || size > 0 {",
			Dir: "internal/e2e", Test: "^TestALargeCallIsNoLossOfMemory$",
		},
		{
			Promise: row, Defect: "runs a call that repeats what was left out",
			File: "pkg/tools/admit.go", Old: "if providers.LeftOut(q.call.Arguments) {", New: "if providers.LeftOut(q.call.Name) {",
			Dir: agent, Test: "^TestACallThatRepeatsWhatWasLeftOutIsRefused$",
		},
		{
			Promise: row, Defect: "lets a long turn take all of the request",
			File: agent + "/history.go", Old: "b.turnTokens+n > b.budget*5/8 || b.turn >= maxHistory*5/8", New: "b.turnTokens > b.budget",
			Dir: agent, Test: "^TestNoEntryCostsTheEntriesBeforeIt$/^many_(rounds|calls)$",
		},
		{
			Promise: row, Defect: "keeps an album that has no room",
			File: agent + "/history.go", Old: "if b.tokens+n > b.budget && len(m.Images) > 0 {", New: "if b.tokens > b.budget && len(m.Images) > 0 {",
			Dir: agent, Test: "^TestAnAlbumDoesNotHideWhatWasSaidBefore$",
		},
		{
			Promise: row, Defect: "keeps a large Extra of an answer",
			File: "pkg/providers/shorten.go", Old: "c.Extra, c.RawArguments, c.Arguments = nil, shortArguments(&c, share), nil", New: "c.RawArguments, c.Arguments = shortArguments(&c, share), nil",
			Dir: agent, Test: "^TestNoEntryCostsTheEntriesBeforeIt$/^something_opaque$",
		},
	}
}
