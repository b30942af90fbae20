package mutants

import "slices"

// argumentMutants break the promises of the section "Arguments and results".
func argumentMutants() []Mutant {
	return slices.Concat(exactMutants(), callbackMutants(), resultMutants(), seedMutants())
}

// exactMutants break those of its rows that are about the arguments of a call.
func exactMutants() []Mutant {
	const decode, numbers, toolsDir = "pkg/providers/arguments.go", "pkg/tools/internal/schema/numbers.go", "pkg/tools"
	return []Mutant{
		{
			Promise: "exact arguments", Defect: "counts in float64",
			File: decode, Old: `	d.UseNumber()
`, New: ``,
			Dir: "internal/test/e2e", Test: "^TestWhatRunsIsWhatWasShown$",
		},
		{
			Promise: "exact arguments", Defect: "shows the text that the model wrote",
			File: "pkg/agent/approval/ask.go", Old: `arguments, err := stored.Spelled()`, New: `arguments, err := stored.RawArguments, error(nil)`,
			Dir: "internal/test/e2e", Test: "^TestWhatRunsIsWhatWasShown$",
		},
		{
			Promise: "exact arguments", Defect: "takes half of a surrogate pair for a letter",
			File: decode, Old: `if hasHalfPair(text) {`, New: `if hasHalfPair("") {`,
			Dir: "pkg/providers", Test: "^TestDecodeArgumentsRefusesHalvesOfPairs$",
		},
		{
			Promise: "exact numbers", Defect: "rounds numbers for a tool that reads the map",
			File: numbers, Old: `if low != high {`, New: `if low > high {`,
			Dir: toolsDir, Test: "^TestEachNumberRunsAsItWasWritten$",
		},
		{
			Promise: "exact numbers", Defect: "takes an id for the float64 that prints like it",
			File: "pkg/providers/numbers.go", Old: `size < 1<<64`, New: `size < 1<<52`,
			Dir: toolsDir, Test: "^TestEachNumberRunsAsItWasWritten$",
		},
		{
			Promise: "exact numbers", Defect: "lets a struct round a number",
			File: numbers, Old: `!ok || !sameNumber(v, n)`, New: `ok && !sameNumber(v, n)`,
			Dir: toolsDir, Test: "^TestEachNumberRunsAsItWasWritten$",
		},
		{
			Promise: "exact numbers", Defect: "holds a bound for the neighbour below alone",
			File: "pkg/tools/internal/schema/check.go", Old: `[]float64{math.Inf(-1), math.Inf(1)}`, New: `[]float64{math.Inf(-1), math.Inf(-1)}`,
			Dir: toolsDir, Test: "^TestSchemasHoldForExactNumbers$",
		},
		{
			Promise: "exact memory", Defect: "runs what the store or a provider made of a call",
			File: "pkg/providers/spelling.go", Old: `if c.BadArguments != "" || c.RawArguments == "" {`, New: `if c.BadArguments != "" || c.RawArguments == "" || c.Arguments != nil {`,
			Dir: toolsDir, Test: "^TestALoopRunsTheTextOfACall$",
		},
		{
			Promise: "exact memory", Defect: "exports calls without their arguments",
			File: "pkg/gateway/admin/sessions.go", Old: `e.Message.ToolCalls[i].Settle()`, New: `_ = e.Message.ToolCalls[i]`,
			Dir: "cmd/gateway", Test: "^TestScripts$/^arguments$",
		},
	}
}

// callbackMutants break those of its rows that are about the reports of Go tools and
// their callbacks.
func callbackMutants() []Mutant {
	const toolsDir = "pkg/tools"
	return []Mutant{
		{
			Promise: "callback: nobody hears", Defect: "gives a tool nil for a callback",
			File: "pkg/tools/running.go", Old: `t.SetCallback(c.callback())`, New: `t.SetCallback(map[bool]AsyncCallback{true: c.callback()}[c.task != nil])`,
			Dir: toolsDir, Test: "^TestACallbackIsNeverNil$",
		},
		{
			Promise: "callback: nobody hears", Defect: "gives a function nil for a callback",
			File: "pkg/tools/work.go", Old: `t.work(ctx, in, t.callback)`, New: `t.work(ctx, in, map[bool]AsyncCallback{true: t.callback}[!scopeFrom(ctx).deaf])`,
			Dir: toolsDir, Test: "^TestACallbackIsNeverNil$",
		},
		{
			Promise: "callback: nobody hears", Defect: "begins work for nobody",
			File: "pkg/tools/work.go", Old: `callback == nil || scopeFrom(ctx).deaf`, New: `callback == nil`,
			Dir: toolsDir, Test: "^TestACallbackIsNeverNil$",
		},
		{
			Promise: "callback: a direct call", Defect: "ends before the work does",
			File: "pkg/gateway/admin/toolcall.go", Old: `here.ExecuteAndWait(ctx, r.Tool, input, at.Channel, at.Chat)`, New: `here.ExecuteWithContext(ctx, r.Tool, input, at.Channel, at.Chat, nil)`,
			Dir: "internal/test/e2e", Test: "^TestACallbackThatNobodyHears$",
		},
		{
			Promise: "callback: a direct call", Defect: "waits without end",
			File: "pkg/tools/work.go", Old: `time.NewTimer(limit - out.took)`, New: `time.NewTimer(limit + time.Hour)`,
			Dir: toolsDir, Test: "^TestExecuteAndWait$",
		},
		{
			Promise: "tool: changed after", Defect: "says it at each call",
			File: "pkg/tools/internal/isolate/copy.go", Old: `!sameFields(s.original, s.registered) && s.told.CompareAndSwap(false, true)`, New: `!sameFields(s.original, s.registered)`,
			Dir: toolsDir, Test: "^TestChangedFieldsAreSaidOnce$",
		},
		{
			Promise: "tool: says nothing", Defect: "says nothing either",
			File: "pkg/tools/catalog.go", Old: `case !annotated:`, New: `case !annotated && e.broken != nil:`,
			Dir: toolsDir, Test: "^TestToolsThatSayNothingOfThemselves$",
		},
	}
}

// resultMutants break those of its rows that are about the texts for people and models.
func resultMutants() []Mutant {
	const toolsDir = "pkg/tools"
	return []Mutant{
		{
			Promise: "blanks in a question", Defect: "shows blanks as they are",
			File: "pkg/visible/visible.go", Old: `n > within && (!fresh || s[0] == '\n') || n > atStart`, New: `n > within && s[0] == '\n' || n > atStart && fresh`,
			Dir: "pkg/visible", Test: "^TestVisible$",
		},
		{
			Promise: "large angles", Defect: "takes a large angle for its nearest double",
			File: "pkg/tools/calc/functions.go", Old: `math.Abs(size) > maxAngle && !x.isDouble()`, New: `math.Abs(size) > maxAngle && x.exact == nil && !x.isDouble()`,
			Dir: "pkg/tools/calc", Test: "^TestEvalErrors$",
		},
		{
			Promise: "large angles", Defect: "says 0 of a small result",
			File: "pkg/tools/calc/functions.go", Old: `size > 1e-3 && !argument.isDouble()`, New: `size > 1e-3`,
			Dir: "pkg/tools/calc", Test: "^TestEval$",
		},
		{
			Promise: "large angles", Defect: "gives a remainder whose digits are lost",
			File: "pkg/tools/calc/arithmetic.go", Old: `if inexact && math.Abs`, New: `if !inexact && math.Abs`,
			Dir: "pkg/tools/calc", Test: "^TestEvalErrors$",
		},
		{
			Promise: "large angles", Defect: "takes ones that are not known for known",
			File: "pkg/tools/calc/value.go", Old: `v.exact == nil && math.Abs(v.approx) >= known`, New: `v.exact == nil && math.Abs(v.approx) < 0*known`,
			Dir: "pkg/tools/calc", Test: "^TestEval$",
		},
		{
			Promise: "many calls", Defect: "refuses a whole answer for the number of its calls",
			File: "pkg/providers/openai/assembly.go", Old: `return nil // no caller runs so many`, New: `return &providers.Error{Kind: providers.KindInvalid}`,
			Dir: "pkg/providers/openai", Test: "^TestStreamShapes$",
		},
		{
			Promise: "many calls", Defect: "adds the pieces of calls that were left out to the last one",
			File: "pkg/providers/openai/assembly.go", Old: `if a.full && d.Index == nil {`, New: `if a.full && a.calls == nil {`,
			Dir: "pkg/providers/openai", Test: "^TestStreamShapes$",
		},
		{
			Promise: "reason of a failure", Defect: "leaves the reason to the level debug",
			File: "pkg/tools/running.go", Old: `line = line.Str("cause", c.cause(out.result.Err))`, New: `_ = c.cause(out.result.Err)`,
			Dir: toolsDir, Test: "^TestTheReasonOfAFailureIsInItsLine$",
		},
		{
			Promise: "reason of a failure", Defect: "leaves out the reason of background work",
			File: "pkg/tools/task.go", Old: `line = line.Str("cause", c.cause(out.Err))`, New: `_ = c.cause(out.Err)`,
			Dir: toolsDir, Test: "^TestTheReasonOfBackgroundWork$",
		},
		{
			Promise: "reason of a failure", Defect: "cuts a secret in two before it is found",
			File: "pkg/tools/internal/output/cause.go", Old: `withoutTexts(redact(err.Error()), texts)`, New: `redact(withoutTexts(err.Error(), texts))`,
			Dir: toolsDir, Test: "^TestTheReasonOfAFailureHasNoArguments$",
		},
		{
			Promise: "reason of a failure", Defect: "hides the reason with the argument",
			File: "pkg/tools/internal/output/cause.go", Old: `strings.NewReplacer(pairs...).Replace(cause)`, New: `strings.NewReplacer(pairs[:0]...).Replace(cause)`,
			Dir: toolsDir, Test: "^TestTheReasonOfAFailureHasNoArguments$",
		},
		{
			Promise: "reason of a failure", Defect: "shows the beginning of an argument",
			File: "pkg/tools/internal/output/cause.go", Old: `s[:min(len(s), part)]`, New: `s`,
			Dir: toolsDir, Test: "^TestTheReasonOfAFailureHasNoArguments$",
		},
		{
			Promise: "notice of background work", Defect: "runs the text into the instruction",
			File: "pkg/agent/task/end.go", Old: `this text:\n" + shown + "\n\n"`, New: `this text: " + shown + " "`,
			Dir: "pkg/agent", Test: "^TestTheNoticeKeepsTheShownTextApart$",
		},
	}
}

// seedMutants break those of its rows that are about the shapes of results and the
// words for places in a chat's files.
func seedMutants() []Mutant {
	const cmd, script, filesDir = "cmd/gateway", "^TestScripts$/^files$", "pkg/tools/files"
	return []Mutant{
		{
			Promise: "results say success", Defect: "lists without the word",
			File: "pkg/tools/files/list.go", Old: `listing{Success: true, `, New: `listing{`,
			Dir: cmd, Test: script,
		},
		{
			Promise: "results say success", Defect: "searches the web without the word",
			File: "pkg/tools/web/search.go", Old: `answer{Success: true, `, New: `answer{`,
			Dir: "internal/test/e2e", Test: "^TestExampleSearchesAndSaves$",
		},
		{
			Promise: "results say success", Defect: "fails where a file is missing",
			File: "pkg/tools/files/info.go", Old: `failure.Type == tools.ErrNotFound {`, New: `failure.Type == tools.ErrBusy {`,
			Dir: cmd, Test: script,
		},
		{
			Promise: "results say success", Defect: "tells which files are missing of those that may not be read",
			File: "pkg/tools/files/info.go", Old: `}, s.reachFile(real)
`, New: `}, s.reach(real)
`,
			Dir: filesDir, Test: "^TestAllowedFilesAlone$",
		},
		{
			Promise: "time of a time-out", Defect: "keeps the time to itself",
			File: "pkg/tools/errors.go", Old: `map[string]any{"timeout": limit.Seconds()}`, New: `map[string]any{}`,
			Dir: "pkg/tools", Test: "^TestTimeout$",
		},
		{
			Promise: "files that are only read", Defect: "offers what cannot be done",
			File: "pkg/gateway/toolset/files.go", Old: `if f.Mode != files.ReadOnly {`, New: `if f.Mode != "none" {`,
			Dir: cmd, Test: script,
		},
		{
			Promise: "refused by the operator", Defect: "takes every refusal for one of a secret",
			File: "pkg/tools/files/rules.go", Old: `r.secret = compile(Refused())`, New: `r.secret = compile(append(Refused(), refuse...))`,
			Dir: cmd, Test: script,
		},
		{
			Promise: "absolute paths", Defect: "takes a sibling for the folder",
			File: "pkg/openat/below.go", Old: `strings.TrimSuffix(base, "/")+"/"); ok {`, New: `strings.TrimSuffix(base, "/")); ok {`,
			Dir: filesDir, Test: "^TestRootsBesideTheSpace$",
		},
		{
			Promise: "absolute paths", Defect: "runs nothing in a folder that is named in full",
			File: "pkg/tools/internal/program/program.go", Old: `name = below`, New: `_ = below`,
			Dir: "pkg/tools/shell", Test: "^TestRunCommand$",
		},
		{
			Promise: "absolute paths", Defect: "knows the workspace alone",
			File: "pkg/tools/files/access.go", Old: `ok && (!found || len(rel) < len(rest))`, New: `ok && found && len(rel) < len(rest)`,
			Dir: cmd, Test: script,
		},
		{
			Promise: "absolute paths", Defect: "shows a file of the workspace as one of a root",
			File: "pkg/tools/files/access.go", Old: `in.Name == "" && hides.Name != ""`, New: `in.Name != "" && hides.Name != ""`,
			Dir: filesDir, Test: "^TestRootsBesideTheSpace$",
		},
		{
			Promise: "absolute paths", Defect: "knows the folder by one name alone",
			File: "pkg/openat/below.go", Old: `filepath.EvalSymlinks(dir)`, New: `filepath.Abs(dir)`,
			Dir: filesDir, Test: "^TestRootsBesideTheSpace$",
		},
	}
}
