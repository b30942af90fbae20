package slack_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels/slack"
)

// slackUses are the adapter's actions, each with the right that the bot token needs for
// it, as docs.slack.dev/reference/methods has it; "" needs no right of the bot's.
func slackUses() map[string]string {
	return map[string]string{
		"auth.test": "", "apps.connections.open": "", // the latter by the app token's connections:write
		"chat.postMessage": "chat:write", "chat.update": "chat:write", "chat.delete": "chat:write",
		"chat.startStream": "chat:write", "chat.appendStream": "chat:write", "chat.stopStream": "chat:write",
		"assistant.threads.setStatus": "assistant:write",
		"reactions.add":               "reactions:write", "reactions.remove": "reactions:write",
		"users.info": "users:read",
		"files.info": "files:read", "files.getUploadURLExternal": "files:write", "files.completeUploadExternal": "files:write",
	}
}

// slackHears are its events, each with its right, and the type that it has in an event.
func slackHears() map[string]struct{ right, is string } {
	return map[string]struct{ right, is string }{
		"app_mention": {"app_mentions:read", "app_mention"}, "assistant_thread_started": {"assistant:write", "assistant_thread_started"},
		"message.im": {"im:history", "message"}, "message.mpim": {"mpim:history", "message"},
		"message.channels": {"channels:history", "message"}, "message.groups": {"groups:history", "message"},
	}
}

// TestSlackManifestHasWhatIsUsed holds the manifest against the adapter's source: no
// right and no event is missing, and none is spare.
func TestSlackManifestHasWhatIsUsed(t *testing.T) {
	t.Parallel()
	words := literals(t, ".")
	method := regexp.MustCompile(`^(apps|assistant|auth|bots|chat|conversations|emoji|files|pins|reactions|search|team|users|views)\.[a-zA-Z.]+$`)
	rights := map[string]bool{"commands": true}
	uses := slackUses()
	for word := range words {
		if right, known := uses[word]; known {
			rights[right] = right != ""
		} else if method.MatchString(word) {
			t.Errorf("the adapter calls %s, of which it is not known here which right it needs", word)
		}
	}
	for name := range uses {
		if !words[name] {
			t.Errorf("the adapter does not call %s", name)
		}
	}
	var events []string
	for name, e := range slackHears() {
		events = append(events, name)
		rights[e.right] = true
		if !words[e.is] {
			t.Errorf("the adapter does not know events of type %s", e.is)
		}
	}
	maps.DeleteFunc(rights, func(_ string, needed bool) bool { return !needed })
	slices.Sort(events)

	raw, err := slack.Manifest("Parley", "")
	if err != nil {
		t.Fatal(err)
	}
	var printed struct {
		OAuth struct {
			Scopes struct{ Bot []string }
		} `yaml:"oauth_config"`
		Features struct {
			Commands []struct{ Command string } `yaml:"slash_commands"`
		}
		Settings struct {
			Events struct {
				Bot []string `yaml:"bot_events"`
			} `yaml:"event_subscriptions"`
		}
	}
	if err := yaml.Unmarshal([]byte(raw), &printed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(rights)), printed.OAuth.Scopes.Bot); diff != "" {
		t.Errorf("rights (-used +printed)\n%s", diff)
	}
	if diff := cmp.Diff(events, printed.Settings.Events.Bot); diff != "" {
		t.Errorf("events (-used +printed)\n%s", diff)
	}
	if c := printed.Features.Commands; len(c) != 1 || c[0].Command != slack.SlashCommand {
		t.Errorf("slash commands %v", c)
	}
}

// literals are the string literals in the code of a folder, tests and the manifest aside.
func literals(t *testing.T, dir string) map[string]bool {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".go" && path != "manifest.go" {
			names = append(names, path)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("%v in %s: %v", names, dir, err)
	}
	all := map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					all[s] = true
				}
			}
			return true
		})
	}
	return all
}
