package mutants

// removalMutants break what a program deletes, and what is forgotten of its requests.
func removalMutants() []Mutant {
	const face = "pkg/api/openai"
	return []Mutant{
		{
			Promise: "openai: large bodies", Defect: "keeps the pictures of requests that wait",
			File: face + "/pictures.go", Old: "		p.pictures = nil\n", New: "",
			Dir: face, Test: "^TestRequestsThatWaitKeepNoPictures$",
		},
		{
			Promise: "openai: large bodies", Defect: "repeats any list of tools",
			File: face + "/input.go", Old: "if len(q.Tools) > channels.MaxSaidBytes {", New: "if len(q.Tools) < 0 {",
			Dir: face, Test: "^TestRefusedResponses$",
		},
		{
			Promise: "api: long results", Defect: "gathers results without a bound",
			File: "pkg/api/native/results.go", Old: "if w.SaidSize() <= channels.MaxSaidBytes {", New: "if w.SaidSize() >= 0 {",
			Dir: "pkg/api/native", Test: "^TestResultsTooLongTogether$",
		},
		{
			Promise: "openai: deleted responses", Defect: "reads a response that was deleted",
			File: face + "/run.go", Old: "fact.Program != nil && fact.Program.Deleted {",
			New: "fact.Program != nil && fact.Program.Deleted && fact.Chat == \"\" {",
			Dir: face, Test: "^TestADeletedResponse$",
		},
		{
			Promise: "openai: deleted responses", Defect: "forgets the chat with the first response that is deleted",
			File: "pkg/session/engine/rules/forget.go", Old: " || !deserted(t, n) {", New: " {",
			Dir: face, Test: "^TestADeletedResponse$",
		},
		{
			Promise: "http: bodies", Defect: "lets a page delete without a type that no form sends",
			File: "pkg/httpd/guard.go", Old: "r.Method == http.MethodDelete && at.Access == AccessProgram", New: "r.Method == http.MethodDelete",
			Dir: "pkg/httpd", Test: "^TestADeletionNeedsNoBody$",
		},
	}
}
