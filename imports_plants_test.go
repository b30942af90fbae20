package parley_test

import (
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestImportGraphFindsViolations plants violations of the rules.
func TestImportGraphFindsViolations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, imports string
		want          []string
	}{
		"a leaf imports another room": {
			"pkg/channels/a.go", "parley/pkg/providers",
			[]string{"pkg/channels/a.go: pkg/channels may not import pkg/providers"},
		},
		"an adapter imports its sibling": {
			"pkg/channels/console/a.go", "parley/pkg/channels/telegram",
			[]string{"pkg/channels/console/a.go: pkg/channels/console may not import pkg/channels/telegram"},
		},
		"agent imports an adapter": {
			"pkg/agent/a.go", "parley/pkg/session/bolt",
			[]string{"pkg/agent/a.go: pkg/agent may not import pkg/session/bolt"},
		},
		"an engine imports its file": {
			"pkg/session/engine/a.go", "parley/pkg/session/bolt",
			[]string{"pkg/session/engine/a.go: pkg/session/engine may not import pkg/session/bolt"},
		},
		"tools import the agent": {
			"pkg/tools/files/a.go", "parley/pkg/agent",
			[]string{"pkg/tools/files/a.go: pkg/tools/files may not import pkg/agent"},
		},
		"tools import channels": {
			"pkg/tools/a.go", "parley/pkg/channels", []string{"pkg/tools/a.go: pkg/tools may not import pkg/channels"},
		},
		"a room imports a test kit": {
			"pkg/agent/a.go", "parley/internal/test/rig",
			[]string{"pkg/agent/a.go: pkg/agent may not import internal/test/rig"},
		},
		"config imports a room": {
			"pkg/config/a.go", "parley/pkg/policy", []string{"pkg/config/a.go: pkg/config may not import pkg/policy"},
		},
		"a room of the agent imports another": {
			"pkg/agent/budget/a.go", "parley/pkg/agent/trust",
			[]string{"pkg/agent/budget/a.go: pkg/agent/budget may not import pkg/agent/trust"},
		},
		"a room of the agent imports the agent": {
			"pkg/agent/budget/a.go", "parley/pkg/agent",
			[]string{"pkg/agent/budget/a.go: pkg/agent/budget may not import pkg/agent"},
		},
		"a room without a rule": {"pkg/utils/a.go", "fmt", []string{"pkg/utils/a.go: pkg/utils has no rule in rooms"}},
		"bbolt elsewhere": {
			"pkg/agent/a.go", "go.etcd.io/bbolt", []string{"pkg/agent/a.go: go.etcd.io/bbolt belongs to pkg/session/bolt"},
		},
		"bbolt elsewhere, in a test": {
			"pkg/agent/a_test.go", "go.etcd.io/bbolt",
			[]string{"pkg/agent/a_test.go: go.etcd.io/bbolt belongs to pkg/session/bolt"},
		},
		"a part of an SDK elsewhere": {
			"cmd/gateway/a.go", "github.com/slack-go/slack/socketmode",
			[]string{"cmd/gateway/a.go: github.com/slack-go/slack/socketmode belongs to pkg/channels/slack"},
		},
		"a leaf's test uses a fake": {"pkg/channels/a_test.go", "parley/internal/test/loopchat", nil},
		"the engine at home":        {"pkg/session/bolt/a.go", "go.etcd.io/bbolt", nil},
		"a failpoint anywhere":      {"pkg/channels/a.go", "parley/internal/failpoint", nil},
		"a failpoint imports nothing": {
			"internal/failpoint/a.go", "parley/pkg/channels",
			[]string{"internal/failpoint/a.go: internal/failpoint may not import pkg/channels"},
		},
		"the command line opens a store": {
			"cmd/gateway/a.go", "parley/pkg/session/local",
			[]string{"cmd/gateway/a.go: cmd/gateway may not import pkg/session/local"},
		},
		"the command line makes a channel": {
			"cmd/gateway/a.go", "parley/pkg/channels/slack",
			[]string{"cmd/gateway/a.go: cmd/gateway may not import pkg/channels/slack"},
		},
		"a test of the command line imports anything": {"cmd/gateway/a_test.go", "parley/pkg/session/local", nil},
		"the way in and the way out": {
			"pkg/channels/slack/inbound/a.go", "parley/pkg/channels/slack/outbound",
			[]string{"pkg/channels/slack/inbound/a.go: pkg/channels/slack/inbound may not import pkg/channels/slack/outbound"},
		},
		"an SDK in a room of its home": {"pkg/channels/slack/api/a.go", "github.com/slack-go/slack", nil},
		"an SDK beside its home": {
			"pkg/channels/console/a.go", "github.com/slack-go/slack",
			[]string{"pkg/channels/console/a.go: github.com/slack-go/slack belongs to pkg/channels/slack"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := "package p\n\nimport _ " + strconv.Quote(c.imports) + "\n"
			got := importViolations(t, fstest.MapFS{c.file: {Data: []byte(source)}})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
