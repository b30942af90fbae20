package mutants

func geminiMutants() []Mutant {
	const dir = "pkg/providers/gemini"
	return []Mutant{
		{
			Promise: "recorded traffic", Defect: "counts no thoughts as output",
			File: dir + "/wire.go", Old: `int(u.Answer + u.Thoughts)`, New: `int(u.Answer)`,
			Dir: dir, Test: "^(TestRecordedConversations|TestAnswers)$",
		},
		{
			Promise: "gemini: signatures", Defect: "sends a model the signatures of another one",
			File: dir + "/gemini.go", Old: `exchange.Mark{Server: p.client.Server(), Model: model}`, New: `exchange.Mark{Server: p.client.Server()}`,
			Dir: dir, Test: "^TestSignaturesOfOthersStayAway$",
		},
		{
			Promise: "gemini: signatures", Defect: "joins a signed text with the next one",
			File: dir + "/signatures.go", Old: `p.Kind == kind && p.Signature == ""`, New: `p.Kind == kind`,
			Dir: dir, Test: "^TestSignaturesReturnWhereTheyCame$",
		},
		{
			Promise: "gemini: signatures", Defect: "remembers a refusal of one conversation's signatures for all",
			File: dir + "/quirks.go", Old: `k.foreign = false`, New: `_ = k.foreign`,
			Dir: dir, Test: "^TestSignaturesThatAreRefused$",
		},
		{
			Promise: "gemini: signatures", Defect: "leaves a call without its signature",
			File: dir + "/signatures.go", Old: `if called && p.Signature != "" {`, New: `if p.Signature != "" {`,
			Dir: dir, Test: "^TestSignaturesOfOthersStayAway$",
		},
		{
			Promise: "gemini: connected", Defect: "sends a token of Vertex AI as a key",
			File: "pkg/gateway/modelset/models.go",
			Old:  "gemini.Options{\n			BaseURL: m.BaseURL, Path: m.Path, Bearer: m.Bearer",
			New:  "gemini.Options{\n			BaseURL: m.BaseURL, Path: m.Path, Bearer: false",
			Dir:  "pkg/gateway/modelset", Test: "^TestGemini$",
		},
		{
			Promise: "gemini: tools", Defect: "sends other keywords beside alternatives",
			File: dir + "/schema.go", Old: `return schema{"anyOf": kept}`, New: `return schema{"anyOf": kept, "nullable": true}`,
			Dir: dir, Test: "^TestSchemas$",
		},
		{
			Promise: "gemini: stops", Defect: "takes an answer that was stopped before its first word for an answer",
			File: dir + "/answer.go", Old: `case !empty && !spoilt:`, New: `case !empty && !spoilt || a.finish != "":`,
			Dir: dir, Test: "^TestAnswers$",
		},
	}
}
