package mutants

func toolMutants() []Mutant {
	const admit, isolate, running, dir = "pkg/tools/admit.go", "pkg/tools/internal/isolate/copy.go", "pkg/tools/running.go", "pkg/tools"
	return []Mutant{
		{
			Promise: "R8", Defect: "lets all calls share the registered value",
			File: isolate, Old: `reflect.TypeAssert[T](c)`, New: `reflect.TypeAssert[T](v)`,
			Dir: dir, Test: "^TestEveryCallSeesItsOwnChatOnly$",
		},
		{
			Promise: "R8", Defect: "copies tools that share what they hold",
			File: isolate, Old: `if why == "" {`, New: `if why == "" || len(why) > 0 {`,
			Dir: dir, Test: "^TestEveryCallSeesItsOwnChatOnly$",
		},
		{
			Promise: "R8", Defect: "leaves an earlier call's chat in a leased value",
			File: "pkg/tools/internal/isolate/lease.go", Old: `tell = given || l.slot.injected`, New: `tell = given`,
			Dir: dir, Test: "^TestNothingOfAnEarlierCallIsSeen$",
		},
		{
			Promise: "R6", Defect: "passes a second callback on",
			File: "pkg/tools/task.go", Old: `first := !t.called`, New: `first := !t.called || t.called`,
			Dir: dir, Test: "^TestCallback$",
		},
		{
			Promise: "R5", Defect: "runs a call that could not be recorded",
			File: "pkg/tools/dispatch.go", Old: `if err := q.begin(ctx, q.call); err != nil {`, New: `if err := q.begin(ctx, q.call); err != nil && ctx == nil {`,
			Dir: dir, Test: "^TestJournalErrors$",
		},
		{
			Promise: "R5", Defect: "takes what a check says that was cut off for the result of its call",
			File: "pkg/tools/dispatch.go", Old: `err != nil && fail.Type != ErrInterrupted`, New: `err != nil && fail.Type == ErrInterrupted`,
			Dir: dir, Test: "^TestCancelDuringACheck$",
		},
		{
			Promise: "R5", Defect: "takes a call's word that it was cut off for its result",
			File: running, Old: `if ctx.Err() == nil || res == nil || says(res) {`, New: `if ctx.Err() == nil || res == nil || says(res) || res.Err != nil {`,
			Dir: dir, Test: "^TestCancelInTheMomentOfTheEnd$",
		},
		{
			Promise: "R7", Defect: "leaves cut-off calls without a result",
			File: "pkg/tools/calls.go", Old: `p.result = interrupted(p.begun).Result()`, New: `continue`,
			Dir: dir, Test: "^(TestCancelDuringCalls|TestJournalErrors)$",
		},
		{
			Promise: "R9", Defect: "gives results to the model unredacted",
			File: "pkg/tools/internal/output/bounds.go", Old: `if redact != nil {`, New: `if redact != nil && limit < 0 {`,
			Dir: dir, Test: "^TestSecretsAreRedacted$",
		},
		{
			Promise: "R10", Defect: "does not cut a result",
			File: "pkg/tools/internal/output/bounds.go", Old: `if len(head) <= limit {`, New: `if len(head) <= limit || lost == 0 {`,
			Dir: dir, Test: "^TestOutputIsCut$",
		},
		{
			Promise: "R10", Defect: "lets calls that never end pile up",
			File: admit, Old: `if e.stuck.Load() >= maxStuck {`, New: `if e.stuck.Load() >= maxStuck<<20 {`,
			Dir: dir, Test: "^TestACallThatNeverEndsIsLeftBehind$",
		},
	}
}

func callMutants() []Mutant {
	const admit, dir = "pkg/tools/admit.go", "pkg/tools"
	return []Mutant{
		{
			Promise: "tool panics", Defect: "does not recover from a panic",
			File: "pkg/panics/panics.go", Old: `&Error{Value: recover(), Stack`, New: `&Error{Stack`,
			Dir: dir, Test: "^TestPanicIsAResult$",
		},
		{
			Promise: "tool never returns", Defect: "waits for a tool as long as it likes",
			File: dir + "/internal/callclock/clock.go", Old: `time.AfterFunc(limit, func()`, New: `time.AfterFunc(limit+time.Hour, func()`,
			Dir: dir, Test: "^TestTimeout$",
		},
		{
			Promise: "tool arguments", Defect: "runs calls whose arguments do not fit",
			File: admit, Old: `args, fail := e.fits(q.call.Arguments)`, New: `args, fail := q.call.Arguments, (*Error)(nil)`,
			Dir: dir, Test: "^TestChecksComeInAFixedOrder$",
		},
		{
			Promise: "tool arguments", Defect: "runs calls whose arguments cannot be decoded",
			File: admit, Old: `if q.bad != "" {`, New: `if q.bad != "" && q.call.Name == "" {`,
			Dir: dir, Test: "^TestBadArgumentsOfOneCall$",
		},
		{
			Promise: "lower rights", Defect: "does not ask the authorizer",
			File: admit, Old: `if a == nil && gate == nil {`, New: `if gate == nil {`,
			Dir: dir, Test: "^TestAuthorizer$",
		},
		{
			Promise: "lower rights", Defect: "lets a chat use tools above its level",
			File: admit, Old: `rank(s.inv.Level) < rank(call.Annotations.Level)`, New: `rank(s.inv.Level) < 0`,
			Dir: dir, Test: "^(TestAuthorizer|TestChecksComeInAFixedOrder|TestInvocation)$",
		},
		{
			Promise: "model cut", Defect: "runs calls of an answer that was cut off",
			File: "pkg/tools/internal/asking/ask.go", Old: `resp.ToolCalls[i].BadArguments = why`, New: `resp.ToolCalls[i].BadArguments = why[:0]`,
			Dir: dir, Test: "^TestFinishReasons$",
		},
		{
			Promise: "model output", Defect: "lets a model call tools for ever",
			File: "pkg/tools/loop.go", Old: `limit := round > l.MaxIterations`, New: `limit := round > 3*l.MaxIterations`,
			Dir: dir, Test: "^TestLoopLimit$",
		},
		{
			Promise: "paths", Defect: "reads files that have a name elsewhere",
			File: "pkg/tools/files/space.go", Old: `case links(info) > 1:`, New: `case links(info) > 99:`,
			Dir: "pkg/tools/files", Test: "^TestHostilePaths$",
		},
		{
			Promise: "paths", Defect: "sends what a chat may not read",
			File: "pkg/tools/files/send.go", Old: `f, info, err := s.openFile(p)`, New: `f, err := os.OpenFile(filepath.Join(tools.InvocationFrom(ctx).Space, p), 0x800, 0); info, _ := f.Stat()`,
			Dir: "pkg/tools/files", Test: "^TestSendFileSendsNothingFromOutside$",
		},
		{
			Promise: "another chat's id", Defect: "sends a message without its chat",
			File: "pkg/tools/message/message.go", Old: `t.channel, t.chatID = channel, chatID`, New: `t.channel, t.chatID = channel, channel`,
			Dir: "pkg/tools/message", Test: "^TestSendsToItsOwnChat$",
		},
	}
}
