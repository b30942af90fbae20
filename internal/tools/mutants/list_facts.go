package mutants

// factMutants break the facts that chats are told to remember.
func factMutants() []Mutant {
	const row, once, flood = "facts", "a fact is kept once", "hostile: a flood of facts"
	const room, rules, agent = "pkg/agent/memory/memory.go", "pkg/session/engine/rules/facts.go", "pkg/agent"
	return []Mutant{
		{
			Promise: row, Defect: "tells a person's facts in groups",
			File: room, Old: `case !p.Direct || p.Sender.ID == "":`, New: `case p.Sender.ID == "":`,
			Dir: agent, Test: "^TestFactsAreToldAgain$",
		},
		{
			Promise: row, Defect: "tells the facts of one person to another",
			File: room, Old: "url.QueryEscape(p.Sender.ID)}", New: "url.QueryEscape(p.Sender.ID[:0])}",
			Dir: agent, Test: "^TestFactsAreToldAgain$",
		},
		{
			Promise: row, Defect: "lets anyone in a group remove a fact",
			File: room, Old: "t.Principal.Level.Allows(policy.LevelWrite)", New: "t.Principal.Level.Allows(policy.LevelChat)",
			Dir: agent, Test: "^TestMemoryCommand$",
		},
		{
			Promise: row, Defect: "tells the facts of all chats in each",
			File: rules, Old: "t.Keys(table.Facts, table.NumKey(table.ChatNum(t, s.Chat)))",
			New: "t.Keys(table.Facts, nil)",
			Dir: agent, Test: "^TestFactsOfFortyChats$",
		},
		{
			Promise: row, Defect: "keeps the facts of a chat that is forgotten",
			File: "pkg/session/engine/rules/forget.go", Old: "if err := forgetFacts(t, n); err != nil {",
			New: "if err := forgetFacts(t, n+1<<40); err != nil {",
			Dir: "pkg/session/engine", Test: "^TestFacts$",
		},
		{
			Promise: once, Defect: "stores the fact of a call again",
			File: rules, Old: `other.Call == f.Call && f.Call != ""`, New: `other.Call == f.Call && f.Call == "x"`,
			Dir: "pkg/session/engine", Test: "^TestFacts$",
		},
		{
			Promise: flood, Defect: "has no bound",
			File: rules, Old: "number >= session.MaxFacts || size+len(f.Text) > session.MaxFactBytes", New: "number >= 1<<20",
			Dir: agent, Test: "^TestAFloodOfFacts$",
		},
		{
			Promise: flood, Defect: "keeps the lines of a fact",
			File: room, Old: "fact = line(t.Deps.Redact(fact))", New: "fact = t.Deps.Redact(fact)",
			Dir: agent, Test: "^TestFactsAreToldAgain$",
		},
	}
}

// pageFactMutants let content from outside write into the memory.
func pageFactMutants() []Mutant {
	const page, room, agent = "hostile: a page writes into the memory", "pkg/agent/memory/memory.go", "pkg/agent"
	return []Mutant{
		{
			Promise: page, Defect: "takes a fact of a page for the person's",
			File: room, Old: "Outside: t.Provenance.Tainted() ||", New: "Outside: t.Provenance.SeveralPeople() ||",
			Dir: agent, Test: "^TestAPageWritesIntoTheMemory$",
		},
		{
			Promise: page, Defect: "tells of a fact from outside without taint",
			File: "pkg/agent/turn/prompt.go", Old: "if outside && !isFree(t) {", New: "if outside && isFree(t) {",
			Dir: agent, Test: "^TestAPageWritesIntoTheMemory$",
		},
		{
			Promise: page, Defect: "asks nobody before it remembers",
			File: "pkg/tools/remember/remember.go", Old: "tools.Annotations{Idempotent: true, Keeps: true, Level: tools.LevelChat}",
			New: "tools.Annotations{Idempotent: true, Speaks: true, Level: tools.LevelChat}",
			Dir: agent, Test: "^TestAPageWritesIntoTheMemory$",
		},
		{
			Promise: page, Defect: "forgets in the next turn that a page is in the conversation",
			File: "pkg/agent/approval/gate.go", Old: "if g.t.Provenance.Follows() {", New: "if g.t.Provenance.Tainted() {",
			Dir: agent, Test: "^TestAFactAfterAPage$",
		},
		{
			Promise: page, Defect: "forgets the page when it starts an agent",
			File: "pkg/agent/trust/principal.go", Old: "Follows: from.Follows(),", New: "Follows: from == nil,",
			Dir: agent, Test: "^TestAnAgentOfAConversationWithAPage$",
		},
		{
			Promise: page, Defect: "marks a fact that a person has allowed in a later turn",
			File: room, Old: "t.Provenance.Follows() && !turn.IsDecided(t, key)", New: "t.Provenance.Follows()",
			Dir: agent, Test: "^TestAFactAfterAPage$",
		},
		{
			Promise: page, Defect: "takes a fact for the person's that a permission let through",
			File: room, Old: "t.Provenance.Follows() && !turn.IsDecided(t, key)", New: "t.Provenance.SeveralPeople()",
			Dir: agent, Test: "^TestAFactAfterAPage$",
		},
		{
			Promise: page, Defect: "taints the turn of a fact that a person has allowed",
			File: "pkg/agent/approval/ask.go", Old: "Tainted: g.t.Provenance.Tainted() || ex.Taints", New: "Tainted: deed.Tainted",
			Dir: agent, Test: "^TestAFactAfterAPage$",
		},
		{
			Promise: page, Defect: "takes MEMORY.md for any file",
			File: "pkg/tools/files/change.go", Old: "slices.Contains(w.options.Told, t.rel)", New: "slices.Contains(w.options.Allow, t.rel)",
			Dir: "pkg/tools/files", Test: "^TestNotesKeepWords$",
		},
		{
			Promise: page, Defect: "has a chat's tools not know MEMORY.md",
			File: "pkg/gateway/toolset/files.go", Old: "Told: workspace.Notes(), Mode", New: "Mode",
			Dir: "pkg/gateway/toolset", Test: "^TestTheNotesOfASpaceAreKept$",
		},
		{
			Promise: page, Defect: "lets a sequence write a fact that an earlier step gives",
			File: "pkg/tools/composed/composed.go", Old: "Taints: brings(a), Keeps: !a.ReadOnly}", New: "Taints: brings(a)}",
			Dir: "pkg/tools/composed", Test: "^TestWhatDependsOnAResultIsTheWorst$",
		},
	}
}
