package prompt_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/agent/prompt"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
)

// entries are a history, the oldest first.
type entries []session.Entry

func (e entries) Tail(_ context.Context, _ string, _ uint64, take func(session.Entry) bool) error {
	for i := len(e) - 1; i >= 0 && take(e[i]); i-- {
	}
	return nil
}

// history makes entries of roles: u is a person's message, a an answer, c a call, t its
// result; each has n bytes of text.
func history(roles string, n int) entries {
	var all entries
	for i, role := range roles {
		m := providers.Message{Content: strings.Repeat("x", n)}
		switch role {
		case 'u':
			m.Role = providers.RoleUser
		case 'a':
			m.Role = providers.RoleAssistant
		case 'c':
			m.Role, m.ToolCalls = providers.RoleAssistant, []providers.ToolCall{{ID: "c", Name: "f"}}
		case 't':
			m.Role, m.ToolCallID = providers.RoleTool, "c"
		}
		all = append(all, session.Entry{Seq: uint64(i + 1), Message: m})
	}
	return all
}

func roles(messages []providers.Message) string {
	var b strings.Builder
	for i := range messages {
		switch m := &messages[i]; {
		case m.Role == providers.RoleUser:
			b.WriteByte('u')
		case m.Role == providers.RoleTool:
			b.WriteByte('t')
		case len(m.ToolCalls) > 0:
			b.WriteByte('c')
		default:
			b.WriteByte('a')
		}
	}
	return b.String()
}

// TestHistoryBeginsWithAPersonsMessage cuts a history so that each call keeps its result.
func TestHistoryBeginsWithAPersonsMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		roles  string
		size   int
		budget int
		want   string
		from   uint64
	}{
		"all of a short one":              {"uauctaua", 10, 10_000, "uauctaua", 1},
		"the newest turns of a long one":  {"uauaua", 400, 600, "uaua", 3},
		"the newest steps of a long turn": {"ucctctcta", 400, 800, "ucta", 1},
		"an empty one":                    {"", 0, 1000, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := prompt.New(prompt.Options{Store: history(c.roles, c.size)})
			w, err := r.History(t.Context(), prompt.Past{Session: "s", Budget: c.budget, Extra: 2})
			if err != nil {
				t.Fatal(err)
			}
			if got := roles(w.Messages); got != c.want || w.From != c.from || w.Tokens > c.budget {
				t.Errorf("%q from %d with %d tokens, want %q from %d within %d", got, w.From, w.Tokens, c.want, c.from, c.budget)
			}
		})
	}
}

// TestAFullHistoryLosesAQuarter at once, and begins there until it is full again.
func TestAFullHistoryLosesAQuarter(t *testing.T) {
	t.Parallel()
	all := history(strings.Repeat("ua", 60), 396) // 103 tokens each
	for name, past := range map[string]prompt.Past{
		"of tokens":  {Budget: 4200, Entries: 1000}, // 40 entries
		"of entries": {Budget: 100_000, Entries: 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin, cuts := 1, 0
			for n := 2; n <= len(all); n += 2 {
				w, err := prompt.New(prompt.Options{Store: all[begin-1 : n]}).History(t.Context(), past)
				if err != nil {
					t.Fatal(err)
				}
				switch kept := len(w.Messages); {
				case !w.Cut && (int(w.From) != begin || kept != n-begin+1 || kept > 40):
					t.Fatalf("after %d entries %d are kept from %d, want from %d", n, kept, w.From, begin)
				case w.Cut && (n-begin+1 <= 40 || kept < 28 || kept > 30):
					t.Fatalf("after %d entries the cut keeps %d from %d", n, kept, w.From)
				case w.Cut:
					begin = int(w.From)
					cuts++
				}
			}
			if cuts < 6 || cuts > 8 {
				t.Errorf("%d cuts", cuts)
			}
		})
	}
}

// TestMessageOfAnItem is each item as the model reads it.
func TestMessageOfAnItem(t *testing.T) {
	t.Parallel()
	inbound := func(in channels.Inbound) session.Item { return session.Item{Inbound: &in} }
	for name, c := range map[string]struct {
		item  session.Item
		files []prompt.Fetched
		facts prompt.Facts
		want  string
	}{
		"a message":      {item: inbound(channels.Inbound{Text: "hi", Direct: true}), want: "hi"},
		"without a text": {item: inbound(channels.Inbound{Direct: true}), want: "(a message without text)"},
		"in a group":     {item: inbound(channels.Inbound{Text: "hi", Sender: channels.Sender{Name: "Ann"}}), want: "Ann: hi"},
		"an edit":        {item: inbound(channels.Inbound{Text: "hi", Kind: channels.KindEdit, Direct: true}), want: "(edited) hi"},
		"an edited command": {
			item: inbound(channels.Inbound{Text: "/tool", Kind: channels.KindEdit, Direct: true}), facts: prompt.Facts{Command: true}, want: "/tool",
		},
		"with a quote": {item: inbound(channels.Inbound{Text: "hi", Quote: "a\nb", Direct: true}), want: "> a\n> b\n\nhi"},
		"with a file": {
			item:  inbound(channels.Inbound{Text: "hi", Direct: true, Attachments: []channels.Attachment{{About: "file a.txt"}}}),
			files: []prompt.Fetched{{Outcome: "saved as inbox/a.txt"}}, want: "hi\n[file a.txt, saved as inbox/a.txt]",
		},
		"a late message": {
			item: inbound(channels.Inbound{Text: "hi", Direct: true}), facts: prompt.Facts{Age: time.Hour},
			want: "[this message was sent " + text.Ago(time.Hour) + "]\nhi",
		},
		"a late result": {
			item: session.Item{Text: "done"}, facts: prompt.Facts{Age: time.Hour}, want: "[this is from " + text.Ago(time.Hour) + "]\ndone",
		},
		"a late job": {
			item: session.Item{Text: "do"}, facts: prompt.Facts{MissedBy: time.Hour}, want: "[this was due " + text.Ago(time.Hour) + "]\ndo",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := providers.Message{Role: providers.RoleUser, Content: c.want}
			if d := cmp.Diff(want, prompt.Message(c.item, c.files, c.facts)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// TestSystemMessage joins the texts of files with the facts of the turn.
func TestSystemMessage(t *testing.T) {
	t.Parallel()
	space := t.TempDir()
	for name, content := range map[string]string{"USER.md": " Ann \n", "MEMORY.md": "likes tea"} {
		if err := os.WriteFile(filepath.Join(space, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log := zerolog.Nop()
	r := prompt.New(prompt.Options{AgentFile: func() string { return "Be kind." }})
	files, err := r.Files(t.Context(), channels.Address{}, space, &log)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.System(files, "Go on.").Content, "Be kind.\n\nGo on."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got := prompt.Setting(files, "Monday")
	_, notes, _ := strings.Cut(got.Content, "]\n")
	if want := "Today is Monday.\n\n# USER.md\nAnn\n\n# MEMORY.md\nlikes tea"; notes != want || got.Role != providers.RoleUser {
		t.Errorf("got %q, want %q", notes, want)
	}
	long := r.System(prompt.Files{Agent: strings.Repeat("é", prompt.MaxRules)}, "").Content
	if len(long) > prompt.MaxRules+50 || strings.ToValidUTF8(long, "") != long {
		t.Errorf("instructions of %d bytes", len(long))
	}
}

// TestInstructionsStayWithTheirChat asks for the instructions of many chats, in turns: each
// gets its own, and those that are alike share their memory.
func TestInstructionsStayWithTheirChat(t *testing.T) {
	t.Parallel()
	r := prompt.New(prompt.Options{})
	for n := range 200 {
		chat, closing := fmt.Sprint("Rule ", n*7%40), fmt.Sprint("Closing ", n%3)
		folders := fmt.Sprint("- corpus", n%5)
		want := "Be kind.\n\n# This chat\n" + chat + "\n\n# Folders\nBeside its own files this chat has:\n" + folders + "\n\n" + closing
		files := prompt.Files{Agent: "Be kind.", Chat: chat, Folders: folders, Memory: fmt.Sprint("secret ", n)}
		first, again := r.System(files, closing), r.System(files, strings.Clone(closing))
		if first.Content != want || again.Content != want || first.Role != providers.RoleSystem {
			t.Fatalf("chat %d got %+v and %+v, want %q", n, first, again, want)
		}
		if unsafe.StringData(first.Content) != unsafe.StringData(again.Content) {
			t.Fatal("the instructions were written twice")
		}
		files.Folders = "- another"
		if got := r.System(files, closing).Content; !strings.Contains(got, "\n- another\n") || strings.Contains(got, folders) {
			t.Fatalf("chat %d with other folders got %q", n, got)
		}
	}
}

// TestADiskThatHangs: one reader waits for a space; the calls end with their contexts, and
// other spaces are read.
func TestADiskThatHangs(t *testing.T) {
	t.Parallel()
	hang, entered := make(chan struct{}), make(chan struct{}, 2)
	r := prompt.New(prompt.Options{AgentFile: func() string {
		entered <- struct{}{}
		<-hang
		return "there"
	}})
	log := zerolog.Nop()
	stop := errors.New("stopped")
	for range 3 {
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error)
		go func() {
			_, err := r.Files(ctx, channels.Address{}, "a", &log)
			ended <- err
		}()
		cancel(stop)
		if err := <-ended; !errors.Is(err, stop) {
			t.Errorf("the call ended with %v", err)
		}
	}
	<-entered
	other := make(chan prompt.Files)
	go func() {
		f, _ := r.Files(t.Context(), channels.Address{}, "b", &log)
		other <- f
	}()
	<-entered // beside the one that hangs
	close(hang)
	if f := <-other; f.Agent != "there" {
		t.Errorf("the other space: %+v", f)
	}
	if f, err := r.Files(t.Context(), channels.Address{}, "a", &log); err != nil || f.Agent != "there" {
		t.Errorf("the space after the disk answered: %+v, %v", f, err)
	}
	if n := len(entered); n > 1 {
		t.Errorf("%d readers more", n)
	}
}
