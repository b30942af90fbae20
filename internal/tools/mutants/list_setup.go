package mutants

// setupMutants break the promises about the first configuration.
func setupMutants() []Mutant {
	const gateway, dir, found = "cmd/gateway", "pkg/gateway/setup", "pkg/gateway/modelset/found.go"
	const keys, model, file, person = "init: keys", "init: model", "init: file", "init: person"
	return []Mutant{
		{
			Promise: keys, Defect: "sends a key unencrypted",
			File: found, Old: `u.Scheme != "https" && (u.Scheme != "http" || !isHere(u.Hostname()))`,
			New: `u.Scheme != "https" && u.Scheme != "http"`,
			Dir: gateway, Test: "^TestInitLeavesAnAddressAside$",
		},
		{
			Promise: keys, Defect: "asks another server than the one that the environment names",
			File: found, Old: `c.Moved, c.BaseURL = variable, address`, New: `c.Moved = variable`,
			Dir: gateway, Test: "^TestInitWithOneKey$/^openai$",
		},
		{
			Promise: keys, Defect: "sends the key of a provider to another one",
			File: found, Old: `"https://api.groq.com/openai/v1"`, New: `"https://api.x.ai/v1"`,
			Dir: gateway, Test: "^TestInitWithTheKeyOfEachProvider$/^Groq$",
		},
		{
			Promise: model, Defect: "writes a configuration whose model gave no answer",
			File: dir + "/model.go", Old: `case r.Verdicts[check.Answers] != check.Yes:`, New: `case r.Verdicts[check.Answers] == "":`,
			Dir: gateway, Test: "^TestInitWithoutAnAnswer$",
		},
		{
			Promise: model, Defect: "takes the largest size of a model for the one that is loaded",
			File: "pkg/gateway/modelset/window.go", Old: `json:"loaded_context_length"`, New: `json:"max_context_length"`,
			Dir: gateway, Test: "^TestInitAsksForTheWindow$/^LM_Studio$",
		},
		{
			Promise: person, Defect: "takes the first of several models unasked",
			File: dir + "/model.go", Old: `name == "" && s.Ask != nil`, New: `name == "" && false`,
			Dir: gateway, Test: "^TestInitAsksWhichModel$",
		},
		{
			Promise: file, Defect: "lets others read the file",
			File: dir + "/setup.go", Old: `const fileMode = 0o600`, New: `const fileMode = 0o644`,
			Dir: gateway, Test: "^TestInitToTheFirstAnswer$",
		},
		{
			Promise: file, Defect: "loses the file that it replaces",
			File: dir + "/setup.go", Old: `durable.Replace(old, content(string(former)))`, New: `durable.Replace(old, content(path))`,
			Dir: gateway, Test: "^TestScripts$/^init$",
		},
		{
			Promise: person, Defect: "lets the first person in without the rights of an owner",
			File: gateway + "/init.go", Old: `Pair: code, Owner: true`, New: `Pair: code, Owner: false`,
			Dir: gateway, Test: "^TestInitAsks$",
		},
		{
			Promise: person, Defect: "asks a question that a flag has answered",
			File: dir + "/ask.go", Old: `len(chosen) == 0 && !s.Flags.None {`, New: `len(chosen) == 0 {`,
			Dir: gateway, Test: "^TestInitAsksNothingThatFlagsAnswer$",
		},
	}
}
