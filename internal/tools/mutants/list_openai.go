package mutants

// openaiMutants break the OpenAI API, and what a program brings along with its request.
func openaiMutants() []Mutant {
	const dir, agent = "pkg/api/openai", "pkg/agent"
	return []Mutant{
		{
			Promise: "openai: answers", Defect: "shows a call of the gateway as one of the client",
			File: dir + "/assembly.go", Old: "if d.Run == events.RunClient {", New: "if d.Run != \"\" {",
			Dir: dir, Test: "^TestACallThatAPersonHasToAllow$",
		},
		{
			Promise: "openai: answers", Defect: "passes over a filter of its tools that it does not know",
			File: dir + "/input.go", Old: "filter.Names == nil || filter.ReadOnly != nil",
			New: "filter.Names == nil && filter.ReadOnly == nil",
			Dir: dir, Test: "^TestTheGatewayAsAServerOfTools$",
		},
		{
			Promise: "openai: one turn", Defect: "takes another body under the same key",
			File: dir + "/chat.go", Old: "w.Sum = digest(string(whole))", New: "w.Sum = digest(string(whole[:0]))",
			Dir: dir, Test: "^TestEqualKeysAreOneTurn$",
		},
		{
			Promise: "openai: one turn", Defect: "leaves the turn of a client that has gone",
			File: dir + "/run.go", Old: "if p.keyed || !a.o.TakesIn() {", New: "if !p.keyed || !a.o.TakesIn() {",
			Dir: dir, Test: "^TestAClientThatLeaves$",
		},
		{
			Promise: "openai: responses", Defect: "lets a token approve its own call",
			File: dir + "/previous.go", Old: "one.Wish.Credential == p.caller.Credential:", New: "one.Wish.Credential == \"page\":",
			Dir: dir, Test: "^TestAnApprovalOfAResponse$",
		},
		{
			Promise: "openai: responses", Defect: "refuses the same answer to a question again",
			File: dir + "/previous.go", Old: "one.State != session.ApprovalOpen && err != nil {",
			New: "one.State != session.ApprovalOpen {\n_ = err",
			Dir: dir, Test: "^TestAnApprovalOfAResponse$",
		},
		{
			Promise: "openai: chats of one request", Defect: "counts each by itself",
			File: "pkg/session/engine/rules/agents.go", Old: "at := c.Address.Purse(); at != c.Address {",
			New: "at := c.Address.Purse(); at == c.Address {",
			Dir: "pkg/session/engine", Test: "^TestAChatOfOneRequestPasses$",
		},
		{
			Promise: "openai: chats of one request", Defect: "believes the past that a client tells of a lasting chat",
			File: dir + "/chat.go", Old: "if f == nil && !p.at.Passing() {", New: "if f == nil && p.at.Chat == \"\" {",
			Dir: dir, Test: "^TestAChatOfOneRequest$",
		},
		{
			Promise: "requests: tools of the program", Defect: "runs a call of the program's tool itself",
			File: "pkg/tools/loop.go", Old: "if c.BadArguments != \"\" || !l.callers(c.Name) {",
			New: "if c.BadArguments == \"\" || !l.callers(c.Name) {",
			Dir: agent, Test: "^TestAToolOfTheProgramEndsItsTurn$",
		},
		{
			Promise: "requests: words of the program", Defect: "runs the calls that a program claims",
			File: agent + "/caller/words.go", Old: "all = providers.Repair(slices.Insert(all, max(at-1, 1), setting))",
			New: "all = slices.Insert(all, max(at-1, 1), setting)",
			Dir: agent, Test: "^TestWordsOfAProgramAreClaims$",
		},
		{
			Promise: "requests: words of the program", Defect: "takes claimed results for content from inside",
			File: agent + "/trust/provenance.go", Old: "p.tainted = p.tainted || in.Wish.Claimed()", New: "_ = in.Wish.Claimed()",
			Dir: agent + "/trust", Test: "^TestWordsOfOthersTaint$",
		},
	}
}
