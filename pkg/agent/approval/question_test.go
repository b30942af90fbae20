package approval_test

import (
	"strings"
	"testing"

	"parley/pkg/agent/approval"
	"parley/pkg/policy"
	"parley/pkg/tools"
)

func TestHeadline(t *testing.T) {
	t.Parallel()
	evident := policy.Reason{Text: "it overwrites or deletes", Evident: true}
	overwrite := tools.Examination{Action: "overwrite", Object: "a.md"}
	for name, tc := range map[string]struct {
		tool  string
		ex    tools.Examination
		where string
		why   policy.Reason
		want  string
	}{
		"an action": {"write_file", overwrite, "", evident, "Allow `write_file` to overwrite `a.md`?"},
		"no action": {"deploy", tools.Examination{}, "", evident, "Allow `deploy` to run? Reason: it overwrites or deletes."},
		"for a task": {
			"write_file", overwrite, " for task “x” (k3x9)", evident,
			"Allow `write_file` to overwrite `a.md` for task “x” (k3x9)?",
		},
		"another reason": {
			"run",
			tools.Examination{},
			"",
			policy.Reason{Text: "such calls always ask"},
			"Allow `run` to run? Reason: such calls always ask.",
		},
		"a line and markup": {
			"write_file",
			tools.Examination{Action: "create", Object: "a`\n**b**\u202e"},
			"", evident,
			"Allow `write_file` to create `a' **b**\\u{202e}`?",
		},
		"a long object": {
			"write_file",
			tools.Examination{Action: "create", Object: strings.Repeat("é", 100)},
			"", evident,
			"Allow `write_file` to create `" + strings.Repeat("é", 80) + "…`?",
		},
	} {
		if got := approval.Headline(tc.tool, &tc.ex, tc.where, tc.why); got != tc.want {
			t.Errorf("%s: %s\nwant %s", name, got, tc.want)
		}
	}
}
