package mutants

// socketMutants break the WebSocket of a chat, and the tools that a program runs by it.
func socketMutants() []Mutant {
	const native = "pkg/api/native"
	return []Mutant{
		{
			Promise: "api: sockets", Defect: "goes on when its token is revoked",
			File: native + "/socket.go", Old: "s.run(r.Context())", New: "s.run(context.WithoutCancel(r.Context()))",
			Dir: native, Test: "^TestASocketEnds$",
		},
		{
			Promise: "api: sockets", Defect: "says at a revocation that the gateway goes away",
			File: native + "/socket.go", Old: "errors.Is(context.Cause(ctx), httpd.ErrRevoked)", New: "errors.Is(ctx.Err(), httpd.ErrRevoked)",
			Dir: native, Test: "^TestASocketEnds$",
		},
		{
			Promise: "api: sockets", Defect: "takes frames of any size",
			File: native + "/socket.go", Old: "s.conn.SetReadLimit(maxFrame)", New: "s.conn.SetReadLimit(0)",
			Dir: native, Test: "^TestASocketNeedsAnUpgrade$",
		},
		{
			Promise: "api: sockets", Defect: "counts as a plain request",
			File: native + "/api.go", Old: "in(socketOf(a)), Streams: true}", New: "in(socketOf(a))}",
			Dir: native, Test: "^TestAPersonHasSomeSockets$",
		},
		{
			Promise: "api: tools of the client", Defect: "takes the result of another token",
			File: native + "/results.go", Old: "|| program.Credential != p.caller.Credential {", New: "{",
			Dir: native, Test: "^TestAProgramRunsItsToolsOnASocket$",
		},
		{
			Promise: "api: tools of the client", Defect: "counts a result twice",
			File: native + "/results.go", Old: "keyOf(p.caller.Credential, p.at.Chat, turn)",
			New: "keyOf(p.caller.Credential, p.at.Chat, turn, fmt.Sprint(&turn))",
			Dir: native, Test: "^TestAProgramSendsItsConversationAgain$",
		},
		{
			Promise: "api: tools of the client", Defect: "takes a late result",
			File: native + "/results.go", Old: "return false, conflict(textLate)", New: "return false, nil",
			Dir: native, Test: "^TestAProgramRunsItsToolsOnASocket$",
		},
		{
			Promise: "api: tools of the client", Defect: "binds a tool that the token may not use",
			File: native + "/wanted.go", Old: `t.Bound != "" && !slices.Contains(offered, t.Bound)`, New: `t.Bound != "" && false`,
			Dir: native, Test: "^TestAToolOfTheGatewayUnderAnotherName$",
		},
	}
}
