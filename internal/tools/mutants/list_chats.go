package mutants

// chatListMutants break what the page is told of chats and of their work.
func chatListMutants() []Mutant {
	const dir, hub, engine, panel = "pkg/api/native", "pkg/events", "pkg/session/engine", "pkg/gateway/panel"
	return []Mutant{
		{
			Promise: "api: list of chats", Defect: "looks at the chats of everybody for a list",
			File: engine + "/table/names.go", Old: "slices.Clone(head), length), prefix...)", New: "slices.Clone(head), length), prefix[:0]...)",
			Dir: engine, Test: "^TestNewestLooksAtNoOthers$",
		},
		{
			Promise: "api: list of chats", Defect: "lists the chats of each request",
			File: engine + "/rules/newest.go", Old: "}).Passing() {", New: "}).Passing() && c.Name == \"\" {",
			Dir: engine, Test: "^TestConformance$/^sessions$",
		},
		{
			Promise: "api: list of chats", Defect: "hides the question of a chat of one request",
			File: dir + "/reading/chats.go", Old: "if at.Passing() && open > 0", New: "if at.Passing() && open < 0",
			Dir: dir, Test: "^TestAChatOfOneRequestIsListedWhileItAsks$",
		},
		{
			Promise: "page: other chats", Defect: "wakes the pages of all people",
			File: "pkg/events/watch.go", Old: "h.watches[h.o.Group(at)]", New: "h.watches[\"ada\"]",
			Dir: hub, Test: "^TestAWatchTellsOfTheChatsOfItsGroup$",
		},
		{
			Promise: "page: other chats", Defect: "remembers changed chats without end",
			File: hub + "/watch.go", Old: "len(w.changed) == maxChanged", New: "len(w.changed) < 0",
			Dir: hub, Test: "^TestAWatchIsBounded$",
		},
		{
			Promise: "page: other chats", Defect: "counts messages that were seen",
			File: "pkg/session/engine/rules/reading.go", Old: "table.Num(k, 1) > seen && count", New: "table.Num(k, 1) >= seen && count",
			Dir: engine, Test: "^TestConformance$/^reading$",
		},
		{
			Promise: "page: what waits", Defect: "shows the order to stop as a message",
			File: dir + "/api.go", Old: "return name == commandStop", New: "return name == commandStop && name == \"\"",
			Dir: dir, Test: "^TestMessagesThatWaitAreRead$",
		},
		{
			Promise: "page: panels", Defect: "ends the tasks of everybody in the chat",
			File: "pkg/gateway/panel/work.go", Old: "case !who.MayCancel(&t):", New: "case who.Sender.ID == t.ID:",
			Dir: panel, Test: "^TestAPersonReadsAndEndsTheWorkOfTheirChats$",
		},
		{
			Promise: "page: panels", Defect: "removes the schedules of everybody in the chat",
			File: panel + "/work.go", Old: "return who.Owner || j.Principal", New: "return who.Person || j.Principal",
			Dir: panel, Test: "^TestAPersonReadsAndEndsTheWorkOfTheirChats$",
		},
		{
			Promise: "page: owners", Defect: "shows the gateway to everybody",
			File: panel + "/panel.go", Old: "if !r.caller.Owner {", New: "if r.caller == nil {",
			Dir: panel, Test: "^TestTheViewsOfOwners$",
		},
	}
}
