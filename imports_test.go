package parley_test

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "parley"

// rooms say which packages of ours a room may import, tests aside. A folder's own
// rule is the one with its name, or else the longest pattern that fits: "*" stands for one name, and
// "/..." for everything below. A folder without a rule is a mistake; a new room
// needs a line here first.
func rooms() map[string][]string {
	vocabulary := []string{"pkg/channels", "pkg/providers"}
	tool := []string{"pkg/tools", "pkg/tools/...", "pkg/providers", "pkg/sandbox", "pkg/documents", "pkg/pictures", "pkg/fair", "pkg/openat"}
	return map[string][]string{
		".": nil,
		// The command line reads settings, has the gateway do the work, and prints its records.
		"cmd/gateway": {
			"pkg/gateway", "pkg/gateway/admin", "pkg/gateway/attach", "pkg/gateway/doctor", "pkg/gateway/footprint",
			"pkg/gateway/setup", "pkg/gateway/telemetry", "pkg/config", "pkg/policy", "pkg/audit",
			"pkg/session", "pkg/channels", "pkg/channels/console", "pkg/console", "pkg/console/history", "pkg/agent/budget", "pkg/tools/tasks",
			"pkg/sandbox", "pkg/documents",
		},
		// The console at a terminal shows events; the plain one beside it has the rules of what is safe to show.
		"pkg/console":         {"pkg/channels", "pkg/channels/console", "pkg/channels/markdown", "pkg/events", "pkg/console/..."},
		"pkg/console/ansi":    {"pkg/channels/console", "pkg/channels/markdown"},
		"pkg/console/line":    nil,
		"pkg/console/screen":  nil,
		"pkg/console/history": {"pkg/openat"},
		// The one room of the product that names adapters and puts the others together.
		"pkg/gateway": {"..."},
		// The tools of a gateway; a test build has test tools beside them.
		"pkg/gateway/toolset": append([]string{
			"pkg/gateway/files", "pkg/config", "pkg/policy", "pkg/sandbox", "pkg/documents", "pkg/tools", "pkg/tools/...", "workspace",
			"internal/test/testtools",
		}, vocabulary...),
		// The corpora of a gateway.
		"pkg/gateway/corpora": {"pkg/config", "pkg/corpus", "pkg/documents", "pkg/tools/files"},
		// The models of a gateway.
		"pkg/gateway/modelset": append([]string{
			"pkg/config", "pkg/policy", "pkg/agent/turn", "pkg/providers/...",
		}, vocabulary...),
		// The files of a running gateway; the agent declares the form of a fetched
		// file.
		"pkg/gateway/files": append([]string{
			"pkg/agent/prompt", "pkg/session", "pkg/tools", "pkg/documents", "pkg/openat", "pkg/fair",
			"workspace",
		},
			vocabulary...),
		// The operator's operations work on the parts of a gateway, the file of the store among them.
		"pkg/gateway/admin": append([]string{
			"pkg/gateway/files", "pkg/gateway/forgetting", "pkg/gateway/linking", "pkg/gateway/socket", "pkg/gateway/telemetry",
			"pkg/agent", "pkg/agent/...", "pkg/corpus", "pkg/history",
			"pkg/session", "pkg/session/local", "pkg/session/bolt", "pkg/session/engine/fsck",
			"pkg/tools", "pkg/policy", "pkg/audit", "pkg/httpd", "pkg/httpd/login",
		}, vocabulary...),
		// The checks look at every part of a set-up, and ask the platforms by their clients.
		"pkg/gateway/doctor": append([]string{
			"pkg/gateway", "pkg/gateway/admin", "pkg/gateway/modelset", "pkg/gateway/toolset", "pkg/config", "pkg/policy", "pkg/audit",
			"pkg/session/bolt", "pkg/session/forgets", "pkg/providers/check", "pkg/channels/console", "pkg/channels/wire",
			"pkg/channels/telegram/api", "pkg/channels/slack/api",
		}, vocabulary...),
		// The first configuration is checked as a gateway would, and its model is asked.
		"pkg/gateway/setup": {
			"pkg/gateway", "pkg/gateway/admin", "pkg/gateway/modelset", "pkg/config", "pkg/policy", "pkg/providers",
			"pkg/providers/check", "pkg/providers/kinds",
		},
		// Screens are all places where a chat is shown as it goes on; a console is one behind the socket.
		"pkg/gateway/screens": {
			"pkg/agent/approval", "pkg/api/native", "pkg/channels", "pkg/channels/console", "pkg/channels/web", "pkg/events",
			"pkg/gateway/linking", "pkg/httpd", "pkg/policy", "pkg/session", "pkg/shelf",
		},
		"pkg/gateway/consoles": {
			"pkg/audit", "pkg/channels", "pkg/channels/console", "pkg/gateway/admin", "pkg/gateway/socket", "pkg/httpd", "pkg/policy",
		},
		"pkg/gateway/socket": {"pkg/audit"},
		// Chats are forgotten with all files that they have; those of other rooms come as functions.
		"pkg/gateway/forgetting": {"pkg/channels", "pkg/session", "pkg/session/forgets", "pkg/session/local"},
		// The senses work on the turns of the agent, with the questions of their tools.
		"pkg/gateway/senses": append([]string{
			"pkg/agent/errand", "pkg/agent/prompt", "pkg/agent/turn", "pkg/config", "pkg/pictures", "pkg/session", "pkg/tools/senses",
		}, vocabulary...),
		"pkg/gateway/attach": append([]string{
			"pkg/api/native", "pkg/channels/console", "pkg/events", "pkg/gateway/admin", "pkg/httpd",
		}, vocabulary...),
		// The codes by which a page shows chats of other channels, and the answers of their commands.
		"pkg/gateway/linking":   {"pkg/agent/turn", "pkg/channels", "pkg/httpd", "pkg/policy", "pkg/session"},
		"pkg/gateway/footprint": nil,
		// The calls of the tools, day by day, in files and over HTTP.
		"pkg/gateway/telemetry": {"pkg/tools", "pkg/httpd"},
		// The page shows tasks, schedules, use and the owner's views beside the messages.
		"pkg/gateway/panel": {
			"pkg/gateway/admin", "pkg/agent/job", "pkg/agent/task", "pkg/agent/trust", "pkg/httpd", "pkg/session",
			"pkg/channels",
		},
		"workspace":    nil,
		"pkg/channels": nil,
		// Code that adapters of platforms over HTTP share lives in channels/wire.
		"pkg/channels/*/...": {"pkg/channels", "pkg/channels/wire"},
		// The web keeps the files of its chats itself.
		"pkg/channels/web": {"pkg/channels", "pkg/channels/wire", "pkg/shelf"},
		"pkg/shelf":        {"pkg/channels"},
		// Code that writers for several platforms share: the reading of Markdown.
		"pkg/channels/markdown":        nil,
		"pkg/channels/slack/markup":    {"pkg/channels/markdown"},
		"pkg/channels/telegram/markup": {"pkg/channels/markdown"},
		// An adapter may have rooms of its own.
		"pkg/channels/slack": {"pkg/channels", "pkg/channels/wire", "pkg/channels/slack/..."},
		// Slack's way in and its way out share the Web API and do not know each other.
		"pkg/channels/slack/api":      {"pkg/channels", "pkg/channels/wire"},
		"pkg/channels/slack/event":    {"pkg/channels", "pkg/channels/slack/api", "pkg/channels/slack/markup"},
		"pkg/channels/slack/inbound":  {"pkg/channels", "pkg/channels/wire", "pkg/channels/slack/api", "pkg/channels/slack/event"},
		"pkg/channels/slack/outbound": {"pkg/channels", "pkg/channels/wire", "pkg/channels/slack/api", "pkg/channels/slack/markup"},
		// So do Telegram's.
		"pkg/channels/telegram":          {"pkg/channels", "pkg/channels/wire", "pkg/channels/telegram/..."},
		"pkg/channels/telegram/api":      {"pkg/channels", "pkg/channels/wire"},
		"pkg/channels/telegram/update":   {"pkg/channels", "pkg/channels/telegram/api", "pkg/channels/telegram/markup"},
		"pkg/channels/telegram/inbound":  {"pkg/channels", "pkg/channels/wire", "pkg/channels/telegram/api", "pkg/channels/telegram/update"},
		"pkg/channels/telegram/outbound": {"pkg/channels", "pkg/channels/wire", "pkg/channels/telegram/api", "pkg/channels/telegram/markup"},
		// Providers.
		"pkg/providers": nil,
		// Code that two provider adapters share lives in providers/internal.
		"pkg/providers/*/...": {"pkg/providers", "pkg/providers/internal/..."},
		// The table of servers and model families is data alone.
		"pkg/providers/kinds":             nil,
		"pkg/providers/openai":            {"pkg/providers", "pkg/providers/internal/...", "pkg/providers/kinds"},
		"pkg/providers/internal/exchange": {"pkg/pictures", "pkg/providers"},
		"pkg/pictures":                    nil,
		"pkg/policy":                      {"pkg/channels"},
		"pkg/api/native": {
			"pkg/api/native/reading", "pkg/events", "pkg/httpd", "pkg/session", "pkg/tools", "pkg/policy", "pkg/shelf", "pkg/channels",
			"pkg/providers",
		},
		// The forms in which chats are read know no request.
		"pkg/api/native/reading": append([]string{"pkg/events", "pkg/session", "pkg/shelf"}, vocabulary...),
		// AG-UI is another face of the chats of the native API, and goes by its rules.
		"pkg/api/agui": append([]string{"pkg/api/native", "pkg/events", "pkg/httpd", "pkg/session", "pkg/policy", "pkg/shelf"}, vocabulary...),
		"pkg/api/openai": {
			"pkg/events", "pkg/httpd", "pkg/session", "pkg/channels", "pkg/providers", "pkg/fair", "pkg/shelf",
		},
		// The OpenAPI document of the server's routes.
		"pkg/api/spec": {"pkg/httpd"},
		"pkg/events":   {"pkg/channels"},
		"pkg/httpd":    {"pkg/policy", "pkg/channels/wire", "pkg/fair"},
		// The page: files that browsers read, and Markdown as a tree.
		"pkg/web": {"pkg/httpd", "pkg/channels/markdown"},
		// How browsers come in.
		"pkg/httpd/login": {"pkg/httpd", "pkg/policy"},
		"pkg/config":      nil,
		"pkg/fair":        nil,
		"pkg/openat":      nil,
		// The index knows no chats and no store: scopes are names, documents are texts.
		"pkg/index":         {"pkg/index/blocks", "pkg/index/passage", "pkg/index/words"},
		"pkg/index/blocks":  nil,
		"pkg/index/passage": nil,
		"pkg/index/words":   nil,
		// The corpora know no chats either: folders have names.
		"pkg/corpus":  {"pkg/index", "pkg/index/blocks", "pkg/index/passage", "pkg/index/words", "pkg/openat"},
		"pkg/sandbox": {"pkg/fair"},
		// Documents are parsed by helper processes in the sandbox; the readers know no tool and no chat.
		"pkg/documents":     {"pkg/sandbox", "pkg/documents/..."},
		"pkg/documents/pdf": nil,
		"pkg/audit":         nil,
		"pkg/session":       vocabulary,
		// An engine is rules over a narrow store; the suite runs on every engine.
		"pkg/session/engine":       append([]string{"pkg/session", "pkg/session/kv", "pkg/session/engine/..."}, vocabulary...),
		"pkg/session/engine/table": append([]string{"pkg/session", "pkg/session/kv"}, vocabulary...),
		"pkg/session/engine/rules": append([]string{
			"pkg/session", "pkg/session/engine/table", "pkg/session/engine/lane",
		}, vocabulary...),
		"pkg/session/engine/writer":      {"pkg/session", "pkg/session/kv", "pkg/session/engine/table"},
		"pkg/session/engine/drain":       {"pkg/session", "pkg/channels", "pkg/session/engine/table", "pkg/session/engine/writer"},
		"pkg/session/engine/credentials": {"pkg/session", "pkg/session/engine/table", "pkg/session/engine/writer", "pkg/channels"},
		"pkg/session/engine/upkeep": {
			"pkg/session", "pkg/session/kv", "pkg/session/engine/table",
			"pkg/session/engine/rules", "pkg/session/engine/writer",
		},
		"pkg/session/engine/outbox": {
			"pkg/session", "pkg/session/kv", "pkg/channels", "pkg/session/engine/table", "pkg/session/engine/rules", "pkg/session/engine/writer",
			"pkg/session/engine/lane", "pkg/session/engine/drain",
		},
		"pkg/session/engine/pairing": {
			"pkg/session", "pkg/channels", "pkg/session/engine/table",
			"pkg/session/engine/rules", "pkg/session/engine/writer", "pkg/session/engine/outbox",
		},
		"pkg/session/engine/fsck": append([]string{"pkg/session", "pkg/session/kv", "pkg/session/engine/table"}, vocabulary...),
		"pkg/session/sessiontest": append([]string{"pkg/session"}, vocabulary...),
		// The file knows the form of the records and their check, and no rule of the engine.
		"pkg/session/bolt":          {"pkg/session/kv", "pkg/session/engine/table", "pkg/session/engine/fsck"},
		"pkg/session/bolt/bolttest": {"pkg/session/engine/table"},
		// The one room below the gateway that puts an engine and a store together.
		"pkg/session/local": {
			"pkg/session", "pkg/session/engine", "pkg/session/engine/fsck", "pkg/session/bolt", "pkg/session/forgets",
			"pkg/session/kv", "pkg/session/engine/rules", "pkg/session/engine/table", "pkg/channels",
		},
		// The ledger of forgets lies beside the store, and knows ids alone.
		"pkg/session/forgets": {"pkg/channels", "pkg/openat"},
		// The store below the engine is free of chats.
		"pkg/session/kv":        nil,
		"pkg/session/kv/kvtest": {"pkg/session/kv"},
		// The lanes know chats by their numbers alone.
		"pkg/session/engine/lane": nil,
		// The contract, the registry and the loop; their machinery lives below in internal.
		"pkg/tools":                    {"pkg/providers", "pkg/tools/internal/..."},
		"pkg/tools/internal/asking":    {"pkg/providers", "pkg/tools/internal/output"},
		"pkg/tools/internal/batch":     nil,
		"pkg/tools/internal/callclock": nil,
		"pkg/tools/internal/counts":    nil,
		"pkg/tools/internal/isolate":   nil,
		"pkg/tools/internal/memory":    nil,
		"pkg/tools/internal/offer":     {"pkg/providers"},
		"pkg/tools/internal/output":    nil,
		"pkg/tools/internal/schema":    {"pkg/providers", "pkg/tools/internal/output"},
		"pkg/tools/*/...":              tool,
		"pkg/tools/corpora":            {"pkg/tools", "pkg/corpus", "pkg/fair", "pkg/providers"},
		"pkg/tools/recall":             {"pkg/tools", "pkg/session", "pkg/providers", "pkg/history"},
		"pkg/session/engine/memory": {
			"pkg/session", "pkg/session/engine/table", "pkg/session/engine/rules", "pkg/session/engine/writer",
		},
		// The index of the chats' own pasts.
		"pkg/history": {"pkg/session", "pkg/providers", "pkg/index", "pkg/index/...", "pkg/fair"},
		"pkg/agent":   append([]string{"pkg/agent/...", "pkg/session", "pkg/tools", "pkg/policy"}, vocabulary...),
		// The agent's rooms know each other by the interfaces that they declare.
		"pkg/agent/approval": append([]string{
			"pkg/session", "pkg/tools", "pkg/policy", "pkg/agent/turn", "pkg/agent/named", "pkg/agent/trust",
		}, vocabulary...),
		"pkg/agent/job": append([]string{
			"pkg/session", "pkg/tools", "pkg/policy", "pkg/agent/turn", "pkg/agent/named", "pkg/agent/places", "pkg/agent/budget",
			"pkg/agent/prompt",
		}, vocabulary...),
		"pkg/agent/command": append([]string{
			"pkg/session", "pkg/policy", "pkg/channels", "pkg/agent/turn", "pkg/agent/prompt", "pkg/agent/summary", "pkg/agent/named",
		}, vocabulary...),
		"pkg/agent/memory": append([]string{
			"pkg/session", "pkg/tools", "pkg/policy", "pkg/agent/turn", "pkg/agent/named",
		}, vocabulary...),
		"pkg/agent/named": {"pkg/channels"},
		"pkg/agent/task": append([]string{
			"pkg/session", "pkg/tools", "pkg/agent/turn", "pkg/agent/named", "pkg/agent/places", "pkg/agent/progress", "pkg/agent/prompt",
		}, vocabulary...),
		"pkg/agent/turn": append([]string{
			"pkg/session", "pkg/tools", "pkg/policy", "pkg/agent/budget", "pkg/agent/caller", "pkg/agent/progress", "pkg/agent/prompt",
			"pkg/agent/summary", "pkg/agent/trust", "pkg/agent/zone", "pkg/agent/ongoing", "pkg/agent/ledger", "pkg/agent/places",
			"pkg/agent/telling", "pkg/events",
		}, vocabulary...),
		// A turn uses these three rooms, and none of them imports the turn.
		"pkg/agent/ledger":   {"pkg/session", "pkg/providers"},
		"pkg/agent/places":   nil,
		"pkg/agent/telling":  {"pkg/session", "pkg/tools", "pkg/providers", "pkg/events", "pkg/agent/prompt"},
		"pkg/agent/errand":   append([]string{"pkg/session", "pkg/agent/budget", "pkg/agent/turn"}, vocabulary...),
		"pkg/agent/caller":   vocabulary,
		"pkg/agent/summary":  append([]string{"pkg/session", "pkg/fair", "pkg/agent/budget", "pkg/agent/prompt"}, vocabulary...),
		"pkg/agent/zone":     {"pkg/channels"},
		"pkg/agent/ongoing":  {"pkg/session"},
		"pkg/agent/budget":   append([]string{"pkg/session"}, vocabulary...),
		"pkg/agent/progress": append([]string{"pkg/session", "pkg/tools"}, vocabulary...),
		"pkg/agent/prompt":   append([]string{"pkg/session", "pkg/openat"}, vocabulary...),
		"pkg/agent/subagent": append([]string{
			"pkg/session", "pkg/tools", "pkg/policy", "pkg/fair",
			"pkg/agent/turn", "pkg/agent/task", "pkg/agent/approval", "pkg/agent/progress", "pkg/agent/prompt",
		}, vocabulary...),
		"pkg/agent/trust":    append([]string{"pkg/session", "pkg/policy", "pkg/tools"}, vocabulary...),
		"pkg/strictyaml":     nil,
		"pkg/text":           nil,
		"pkg/visible":        nil,
		"pkg/backoff":        nil,
		"pkg/panics":         nil,
		"pkg/durable":        nil,
		"internal/failpoint": nil,
		"internal/...":       {"..."},
	}
}

// homes are the folders in which alone, with the folders below, a library may be imported,
// tests included.
func homes() map[string]string {
	return map[string]string{
		"go.etcd.io/bbolt": "pkg/session/bolt",
		"github.com/go-telegram-bot-api/telegram-bot-api/v5": "pkg/channels/telegram",
		"github.com/slack-go/slack":                          "pkg/channels/slack",
		"github.com/sashabaranov/go-openai":                  "pkg/providers/openai",
		"github.com/anthropics/anthropic-sdk-go":             "pkg/providers/anthropic",
		"github.com/spf13/cobra":                             "cmd/gateway",
		"github.com/landlock-lsm/go-landlock":                "pkg/sandbox",
		"code.dny.dev/ssrf":                                  "pkg/tools/web",
		"github.com/robfig/cron/v3":                          "pkg/tools/schedule",
		"charm.land/bubbletea/v2":                            "pkg/console",
		"charm.land/bubbles/v2":                              "pkg/console",
		"charm.land/lipgloss/v2":                             "pkg/console",
		"github.com/charmbracelet/colorprofile":              "pkg/console",
		"github.com/blevesearch/snowballstem":                "pkg/index/words",
	}
}

// everywhere are the rooms that every room may import.
func everywhere() []string {
	return []string{"internal/failpoint", "pkg/strictyaml", "pkg/text", "pkg/visible", "pkg/backoff", "pkg/durable", "pkg/panics"}
}

func TestImportGraph(t *testing.T) {
	t.Parallel()
	for _, v := range importViolations(t, os.DirFS(".")) {
		t.Error(v)
	}
}

// TestReleaseHasNoTestCode looks at the packages that the command is really made of.
func TestReleaseHasNoTestCode(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, "go", "list", "-deps", "./cmd/gateway").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, module+"/pkg/agent") {
		t.Fatalf("go list -deps ./cmd/gateway does not know pkg/agent: %d packages", len(deps))
	}
	for _, dep := range deps {
		ours, isOurs := strings.CutPrefix(dep, module+"/internal/")
		if isOurs && ours != "failpoint" || dep == "testing" || dep == "net/http/httptest" {
			t.Errorf("the release is built with %s", dep)
		}
	}
}

// importViolations reads every Go file, whatever its build tags.
func importViolations(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var found []string
	for _, name := range goFiles(t, tree) {
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Dir(name)
		allowed, ruled := ruleFor(dir)
		if !ruled {
			found = append(found, fmt.Sprintf("%s: %s has no rule in rooms", name, dir))
			continue
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if home := homeOf(imported); home != "" && !fits(home+"/...", dir) {
				found = append(found, fmt.Sprintf("%s: %s belongs to %s", name, imported, home))
			}
			room, ours := strings.CutPrefix(imported, module+"/")
			if !ours || strings.HasSuffix(name, "_test.go") || slices.Contains(everywhere(), room) {
				continue
			}
			if !slices.ContainsFunc(allowed, func(p string) bool { return fits(p, room) }) {
				found = append(found, fmt.Sprintf("%s: %s may not import %s", name, dir, room))
			}
		}
	}
	return found
}

func ruleFor(dir string) (allowed []string, ok bool) {
	all := rooms()
	if own, exact := all[dir]; exact {
		return own, true
	}
	patterns := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return len(b) - len(a) })
	for _, p := range patterns {
		if fits(p, dir) {
			return all[p], true
		}
	}
	return nil, false
}

// fits compares a folder with a pattern of rooms.
func fits(pattern, dir string) bool {
	if pattern == "..." {
		return true
	}
	prefix, below := strings.CutSuffix(pattern, "/...")
	want, got := strings.Split(prefix, "/"), strings.Split(dir, "/")
	if len(got) < len(want) || len(got) > len(want) && !below {
		return false
	}
	for i, w := range want {
		if w != "*" && w != got[i] {
			return false
		}
	}
	return true
}

func homeOf(imported string) string {
	for library, home := range homes() {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			return home
		}
	}
	return ""
}

// goFiles lists the tree's Go files in order.
func goFiles(t *testing.T, tree fs.FS) []string {
	t.Helper()
	return slices.DeleteFunc(files(t, tree), func(name string) bool { return path.Ext(name) != ".go" })
}

// files lists the tree's files in order, without those of git or a build.
func files(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".git" && !d.IsDir(): // the form that it has in a worktree
			return nil
		case d.IsDir() && (name == ".git" || name == "bin"):
			return fs.SkipDir
		case d.Type().IsRegular():
			all = append(all, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
