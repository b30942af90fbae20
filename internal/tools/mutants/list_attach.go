package mutants

// attachMutants break the promises about consoles at a running gateway.
func attachMutants() []Mutant {
	const gateway, session = "cmd/gateway", "pkg/gateway/attach/session.go"
	const attach, many, users = "console: attach", "console: many", "console: users"
	return []Mutant{
		{
			Promise: attach, Defect: "does not show what another console says",
			File: session, Old: "if s.waits.begun(d) {", New: "if s.waits.begun(d) || true {",
			Dir: gateway, Test: "^TestTwoConsolesShareAConversation$",
		},
		{
			Promise: attach, Defect: "does not show the open questions to a console that comes later",
			File: session, Old: "if s.closed[d.ID] {", New: "if true {",
			Dir: gateway, Test: "^TestAQuestionOutlivesItsTerminal$",
		},
		{
			Promise: many, Defect: "a console leaves before the last answer is shown",
			File: session, Old: "if err == nil && s.alone && ctx.Err() == nil {", New: "if err != nil {",
			Dir: gateway, Test: "^TestScripts$/^tasks$",
		},
		{
			Promise: many, Defect: "a console waits for the work of all chats",
			File: "pkg/session/engine/drain/drain.go", Old: `return a == meant || meant.Chat == "" && a.Channel == meant.Channel`,
			New: `return a == meant || a.Channel == meant.Channel`,
			Dir: "pkg/session/engine", Test: "^TestConformance$/^drained$",
		},
		{
			Promise: users, Defect: "lets every user of the machine in",
			File: "pkg/gateway/socket/group.go", Old: "if id == os.Getuid() || id == 0 || g.has(id) {", New: "if id >= 0 {",
			Dir: gateway, Test: "^TestOtherUsersAreTurnedAway$",
		},
		{
			Promise: users, Defect: "a refusal is not written down",
			File: "pkg/gateway/socket/socket.go", Old: `Outcome: "refused", Detail: err.Error()})`, New: `Outcome: "refused"})`,
			Dir: gateway, Test: "^TestOtherUsersAreTurnedAway$",
		},
		{
			Promise: users, Defect: "the group of the configuration may not attach",
			File: "pkg/gateway/operations.go", Old: "Group: a.cfg.Admin.Group}", New: `Group: ""}`,
			Dir: gateway, Test: "^TestAGroupMayAttach$",
		},
	}
}
