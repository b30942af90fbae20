package mutants

// edgeMutants break policy, configuration and the model servers' adapters.
func edgeMutants() []Mutant {
	const redact, authorize, policy = "pkg/policy/redact.go", "pkg/policy/authorize.go", "pkg/policy"
	return []Mutant{
		{
			Promise: "R9", Defect: "misses a secret inside of longer base64",
			File: redact, Old: `for shift := range 3 {`, New: `for shift := range 1 {`,
			Dir: policy, Test: "^TestRedact",
		},
		{
			Promise: "R9", Defect: "lets a secret through that comes in two writes",
			File: redact, Old: `if whole := bytes.LastIndexByte(w.held, '\n') + 1; whole > 0 {`, New: `if whole := len(w.held); whole > 0 || bytes.Contains(p, nil) {`,
			Dir: policy, Test: "^TestRedactorWriter$",
		},
		{
			Promise: "R9", Defect: "prints a secret of the configuration",
			File: "pkg/config/secret.go", Old: `func (Secret) String() string { return hidden }`, New: `func (s Secret) String() string { return s.value }`,
			Dir: "pkg/config", Test: "^TestSecretNeverShowsItself$",
		},
		{
			Promise: "R10", Defect: "holds an endless log line back",
			File: redact, Old: `if len(w.held) > maxLogLine {`, New: `if len(w.held) > maxLogLine<<20 {`,
			Dir: policy, Test: "^TestRedactorWriterOfAnEndlessLine$",
		},
		{
			Promise: "strangers", Defect: "lets in who is on no list",
			File: authorize, Old: `return "the sender is not on the allow list"`, New: `return ""`,
			Dir: policy, Test: "^TestAuthorize$",
		},
		{
			Promise: "strangers", Defect: "lets everybody in without rules",
			File: authorize, Old: `return "the channel lets in owners only"`, New: `return ""`,
			Dir: policy, Test: "^TestZeroPolicyRefusesEverybody$",
		},
		{
			Promise: "strangers", Defect: "allows kinds of events that it does not know",
			File: authorize, Old: `return deny("unknown kind of event " + string(e.Kind))`, New: `addressed = true`,
			Dir: policy, Test: "^TestAuthorize(EveryKind)?$",
		},
		{
			Promise: "configuration", Defect: "sends a key over plain http",
			File: "pkg/config/addresses.go", Old: `case u.Scheme == "http" && secret && !loopback(u.Hostname()):`, New: `case u.Scheme == "ftp" && secret && !loopback(u.Hostname()):`,
			Dir: "pkg/config", Test: "^TestLoadRefuses$",
		},
		{
			Promise: "settings: folders", Defect: "lets programs read the files of other chats",
			File: "pkg/config/tools_shell.go", Old: `[]string{"home", "chats"}`, New: `[]string{}`,
			Dir: "pkg/config", Test: "^TestLoadRefuses$",
		},
		{
			Promise: "configuration", Defect: "takes a secret's file that others can read",
			File: "pkg/config/secret.go", Old: `if info.Mode().Perm()&forbidden != 0 {`, New: `if info.Mode().Perm()&forbidden > 0o777 {`,
			Dir: "pkg/config", Test: "^(TestSecretPlaces|TestLoadRefuses)$",
		},
		{
			Promise: "R7", Defect: "gives one id to two calls",
			File: "pkg/providers/repair.go", Old: `r.ids[unique] = true`, New: `r.ids[id] = false`,
			Dir: "pkg/providers", Test: "^TestRepair",
		},
		{
			Promise: "model refuses for good", Defect: "asks again without credit",
			File: "pkg/providers/errors.go", Old: `case KindRateLimited, KindOverloaded, KindUnreachable, KindCut, KindTimeout:`, New: `case KindRateLimited, KindOverloaded, KindUnreachable, KindCut, KindTimeout, KindQuota:`,
			Dir: "pkg/providers/openai", Test: "^(TestRefusedForGood|TestConformance)$",
		},
		{
			Promise: "model silent", Defect: "waits for a silent server as long as it likes",
			File: "pkg/providers/internal/exchange/exchange.go", Old: `if !x.complete {`, New: `if x.complete {`,
			Dir: "pkg/providers/openai", Test: "^(TestTimeLimits|TestRealSilence)$",
		},
	}
}
