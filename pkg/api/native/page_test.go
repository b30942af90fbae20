package native_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// speaker is a tool that shows its person a text.
type speaker struct{ tools.Tool }

func (speaker) Name() string { return "speak" }

func (s speaker) Execute(context.Context, map[string]any) *tools.ToolResult {
	return &tools.ToolResult{ForLLM: "shown", ForUser: "by the tool"}
}

// speaks is a model that lets the tool speak, and then answers.
func speaks(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
	if faces.Last(msgs).Role == providers.RoleTool {
		return faces.Says("the answer")
	}
	return faces.Calls("", "speak", "{}")
}

// TestSilenceIsNotShown: the word with which a model says that it sends no message stands in no
// event, no page of the chat and no last answer, whether another message takes its place or none.
func TestSilenceIsNotShown(t *testing.T) {
	t.Parallel()
	w := newWorldOf(t, ring(), turn.Model{Provider: faces.Model(func(
		msgs []providers.Message, _ []providers.ToolDefinition, emit func(providers.StreamEvent),
	) *providers.LLMResponse {
		switch m := faces.Last(msgs); {
		case m.Content == "speak":
			return faces.Calls("NO_REPLY", "speak", "{}")
		case m.Content == "begin":
			return faces.Says("NO_ doubt")
		case m.Content != "twice":
			return faces.Says("NO_REPLY")
		}
		emit(providers.TextDelta{Text: " NO"})
		emit(providers.Restart{})
		return faces.Says("NO_REPLY")
	}), Name: "m", Choice: "m"}, speaker{look()})
	s := w.open("ada", "main", "")
	for _, c := range []struct{ says, tokens, answer string }{
		{"hello", "", "I have nothing to add."},
		{"twice", "", "I have nothing to add."},
		{"speak", "", "I have nothing to add."},
		{"begin", "NO_ doubt", "NO_ doubt"},
	} {
		w.do("ada", http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":%q}`, c.says))
		tokens := ""
		for _, r := range s.untilDone() {
			if strings.Contains(r.Data, "REPLY") {
				t.Errorf("%s: the event %s %s", c.says, r.Event, r.Data)
			}
			if r.Event == "token" {
				var piece struct{ Text string }
				if err := json.Unmarshal([]byte(r.Data), &piece); err != nil {
					t.Fatal(err)
				}
				tokens += piece.Text
			}
		}
		_, answer := w.do("ada", http.MethodGet, "/chats/main/answer", "")
		if tokens != c.tokens || answer["text"] != c.answer {
			t.Errorf("%s: the pieces are %q, the answer is %v", c.says, tokens, answer)
		}
	}
	w.Settled()
	lines, _ := w.told("")
	want := []string{
		"user: hello", "assistant: I have nothing to add.", "user: twice", "assistant: I have nothing to add.",
		"user: speak", "assistant: ", "tool: shown", "assistant: by the tool", "user: begin", "assistant: NO_ doubt",
	}
	if d := cmp.Diff(want, lines); d != "" {
		t.Errorf("the chat is\n%s", d)
	}
}

// told reads Ada's chat, or a page of it: role and text of each message.
func (w *world) told(query string) (lines []string, before uint64) {
	w.T.Helper()
	_, chat := w.do("ada", http.MethodGet, "/chats/main"+query, "")
	raw, err := json.Marshal(chat)
	if err != nil {
		w.T.Fatal(err)
	}
	var h struct {
		Messages []struct{ Role, Text string }
		Before   uint64
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		w.T.Fatal(err)
	}
	for _, m := range h.Messages {
		lines = append(lines, m.Role+": "+m.Text)
	}
	return lines, h.Before
}

// TestADeliveredMessageIsReadAtItsPlace under the id of its event: those of a tool, the
// answer, and what commands say, which the model does not read.
func TestADeliveredMessageIsReadAtItsPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, speaks, speaker{look()})
	s := w.open("ada", "main", "")
	said := map[string]string{}
	for _, text := range []string{"go", "/tools", "again"} {
		w.do("ada", http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":%q}`, text))
		for _, r := range s.untilDone() {
			if r.Event == "message" {
				var m struct{ ID, Text string }
				if err := json.Unmarshal([]byte(r.Data), &m); err != nil {
					t.Fatal(err)
				}
				said[m.ID] = m.Text
			}
		}
	}
	w.Settled()
	first := []string{"user: go", "assistant: ", "tool: shown", "assistant: by the tool", "assistant: the answer"}
	second := append([]string{"user: again"}, first[1:]...)
	lines, _ := w.told("")
	if len(lines) != 11 || !strings.Contains(lines[5], "speak") {
		t.Fatalf("%q", lines)
	}
	if d := cmp.Diff(append(append(append([]string{}, first...), lines[5]), second...), lines); d != "" {
		t.Error(d)
	}
	_, chat := w.do("ada", http.MethodGet, "/chats/main", "")
	messages, _ := chat["messages"].([]any)
	for _, m := range messages {
		one, _ := m.(map[string]any)
		id, _ := one["id"].(string)
		if id != "" && said[id] != one["text"] {
			t.Errorf("%v was told as %q", one, said[id])
		}
		delete(said, id)
	}
	if len(said) > 0 {
		t.Errorf("not in the chat: %q", said)
	}
}

// TestAChatIsReadInPages of few bytes and few messages, each message on one of them: also the
// answers that the hub still has, and one behind which a page ends.
func TestAChatIsReadInPages(t *testing.T) {
	t.Parallel()
	const large = 300 << 10
	for name, c := range map[string]struct {
		turns, asks, answers, calls int
	}{
		"long answers":   {turns: 10, answers: large},
		"long questions": {turns: 10, asks: large},
		"many calls":     {turns: 6, calls: 70},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
				m := faces.Last(msgs)
				switch {
				case m.Role == providers.RoleTool:
					return faces.Says("seen")
				case c.calls == 0:
					return faces.Says("to " + m.Content[:2] + strings.Repeat("x", c.answers))
				}
				all := faces.Calls("", "look", "{}")
				for i := range c.calls - 1 {
					all.ToolCalls = append(all.ToolCalls, all.ToolCalls[0])
					all.ToolCalls[i+1].ID = fmt.Sprint("call_", i+2)
				}
				return all
			}, look())
			var want []string
			for i := range c.turns {
				asks, answer := fmt.Sprint("m", i, strings.Repeat("y", c.asks)), fmt.Sprint("to m", i, strings.Repeat("x", c.answers))
				w.do("ada", http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":%q}`, asks))
				w.Settled()
				if want = append(want, "user: "+asks); c.calls > 0 {
					want, answer = append(want, "assistant: "), "seen"
				}
				want = append(want, "assistant: "+answer)
			}
			var all []string
			pages, query := 0, ""
			for {
				lines, before := w.told(query)
				size := 0
				for _, line := range lines {
					size += len(line)
				}
				if size > 2<<20 {
					t.Errorf("a page has %d bytes", size)
				}
				all = append(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "tool: ") }), all...)
				if pages++; before == 0 {
					break
				}
				query = "?" + url.Values{"before": {fmt.Sprint(before)}}.Encode()
			}
			if d := cmp.Diff(begins(want), begins(all)); d != "" || pages < 3 {
				t.Errorf("%d pages: %s", pages, d)
			}
		})
	}
}

// begins are the first characters of lines.
func begins(lines []string) (all []string) {
	for _, line := range lines {
		all = append(all, fmt.Sprintf("%.40s of %d bytes", line, len(line)))
	}
	return all
}

// TestAMessageIsReadBeforeItsReceipt is stored: its event may be behind the mark from which
// a reader of the chat goes on.
func TestAMessageIsReadBeforeItsReceipt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hello)
	s := w.open("ada", "main", "")
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go"}`)
	s.untilDone()
	w.Settled()
	at := channels.Address{Channel: "web", Chat: "web:ada.main"}
	w.Hub.Delivered(at, "job/1", events.Message{ID: "job/1", Role: "assistant", Text: "early"})
	for range 2 {
		if lines, _ := w.told(""); cmp.Diff([]string{"user: go", "assistant: hello ", "assistant: early"}, lines) != "" {
			t.Errorf("%q", lines)
		}
	}
}

// TestAChatIsReadAsItsConversation: behind /new and /resume it has the words of its present
// conversation alone, also while the events of the one before are kept.
func TestAChatIsReadAsItsConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hello)
	s := w.open("ada", "main", "")
	defer s.end()
	for _, step := range []struct{ say, has, lacks string }{
		{"alpha", "user: alpha|assistant: hello ", ""},
		{"/new", "New conversation", "hello"},
		{"gamma", "user: gamma|assistant: hello ", "alpha"},
		{"/resume 1", "user: alpha|assistant: hello ", "gamma"},
	} {
		w.do("ada", http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":%q}`, step.say))
		s.untilDone()
		w.Settled()
		lines, _ := w.told("")
		said := strings.Join(lines, "|")
		if !strings.Contains(said, step.has) || step.lacks != "" && strings.Contains(said, step.lacks) {
			t.Errorf("behind %s the chat reads %q", step.say, lines)
		}
		if answers := slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "assistant: hello" }); len(answers) > 1 {
			t.Errorf("behind %s an answer is there %d times: %s", step.say, len(answers), said)
		}
	}
}

// TestChatsAreListed: those of their person alone, the newest first, by the first words of
// each, and searched by them.
func TestChatsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hello)
	for _, c := range []struct{ token, chat, text string }{
		{"ada", "old", "Plan the garden\n of  roses"}, {"bob", "bobs", "a secret"}, {"ada", "new", "/tools"}, {"ada", "new", "Book a table"},
	} {
		s := w.open(c.token, c.chat, "")
		w.do(c.token, http.MethodPost, "/chats/"+c.chat+"/messages", fmt.Sprintf(`{"message":%q}`, c.text))
		s.untilDone()
		s.end()
	}
	for _, c := range []struct{ token, query, want string }{
		{"ada", "", "new: Book a table, old: Plan the garden of roses"},
		{"ada", "?q=ROSES", "old: Plan the garden of roses"},
		{"ada", "?q=new", "new: Book a table"},
		{"ada", "?q=secret", ""},
		{"bob", "", "bobs: a secret"},
		{"helper", "?q=old", "old: Plan the garden of roses"},
	} {
		_, answer := w.do(c.token, http.MethodGet, "/chats"+c.query, "")
		var rows []string
		chats, _ := answer["chats"].([]any)
		for _, row := range chats {
			one, _ := row.(map[string]any)
			rows = append(rows, fmt.Sprintf("%v: %v", one["chat"], one["title"]))
		}
		if got := strings.Join(rows, ", "); got != c.want {
			t.Errorf("%s%s: %q, want %q", c.token, c.query, got, c.want)
		}
	}
}
