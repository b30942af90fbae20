package command_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent/command"
)

// TestRead tells commands from messages that begin with a slash.
func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/help": "help||help", "  /HELP ": "help||help", "/help@parley_bot": "help||help", "/new\nwords": "new|words|new",
		"/tool calculator {\n\"a\": 1}": "tool|calculator {\n\"a\": 1}|tool", "/hlep": "hlep||", "/foo bar": "foo|bar|",
		"/start ref1": "start|ref1|start", "/my-tool_2": "my-tool_2||",
		"/etc/hosts is what?": "", "//help": "", "/": "", "/ help": "", "/5 minutes": "", "/ünlink": "", "/a.b": "", "help": "", "": "",
		"/" + strings.Repeat("a", 33): "", "see /help": "", "/@bot": "",
	} {
		name, arg, ok := command.Read(text)
		got := ""
		if ok {
			got = name + "|" + arg + "|" + command.Name(text)
		}
		if got != want || ok != command.Is(text) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestTyped tells commands from messages among the words behind a platform's own command.
func TestTyped(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"": "/help", "  ": "/help", "STOP": "/stop", "stop the music": "", "Tool x {}": "/tool x {}", "tool": "/tool",
		"what is new": "", "/stop": "", "help me": "", "hlep": "/hlep", "modell": "/modell", "hello": "", "thanks": "", "hlep me": "", "hi": "",
		"model local": "/model local",
	} {
		if got := command.Typed(words); got != want {
			t.Errorf("%q is %q, want %q", words, got, want)
		}
	}
}

// TestNear names the commands that a person may have meant.
func TestNear(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"hlep": {"help"}, "hepl": {"help"}, "stats": {"status"}, "modek": {"model"}, "compct": {"compact"}, "sch": {"schedule"},
		"jobs": {"schedule"}, "reset": {"new"}, "approvals": {"status"}, "tol": {"tool"},
		"weather": nil, "x": nil, "foo": nil,
	} {
		if d := cmp.Diff(want, command.Near(name)); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}

// TestTable: names are what platforms take, no two commands share a name or a word, and each word
// for which people look leads to its command.
func TestTable(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`) // Telegram's form
	seen := map[string]bool{}
	for _, c := range command.List() {
		if seen[c.Name] || !name.MatchString(c.Name) || c.Does == "" || len(c.Does) > 100 {
			t.Errorf("%+v", c)
		}
		seen[c.Name] = true
		if got, ok := command.Find(c.Name); !ok || got.Does != c.Does {
			t.Errorf("%s is found as %+v", c.Name, got)
		}
		required := true
		for _, a := range c.Args {
			if a.Required && !required {
				t.Errorf("%s: %s is required behind one that is not", c.Name, a.Name)
			}
			required = a.Required
			if a.Name == "" || a.Kind == "" || (a.Kind == command.ArgWord) != (len(a.Values) > 1) {
				t.Errorf("%s: %+v", c.Name, a)
			}
		}
	}
	for _, word := range []string{"commands", "clear", "abort", "grants", "cost", "summary", "reminders", "agents", "kill"} {
		if near := command.Near(word); len(near) == 0 || slices.Contains(near, word) {
			t.Errorf("%s leads to %v", word, near)
		}
	}
	c, _ := command.Find("tool")
	if got := fmt.Sprint(c.Usage("/tool")); got != "/tool NAME JSON" {
		t.Error(got)
	}
	c, _ = command.Find("model")
	if got := c.Usage("/parley model"); got != "/parley model [NAME]" {
		t.Error(got)
	}
}
