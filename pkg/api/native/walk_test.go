package native_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/internal/test/fakemodel"
	"parley/internal/test/strictmodel"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/channels/web"
	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
	"parley/pkg/providers/gemini"
	"parley/pkg/providers/openai"
	"parley/pkg/session/local"
	"parley/pkg/tools"
)

// walk is a model that thinks, reads, asks for a call that a person has to allow, and answers.
func walk(r fakemodel.Request) fakemodel.Answer {
	a := fakemodel.Say("it is grüne ware")
	rounds := 0
	for i := range r.Messages {
		if r.Messages[i].Role == providers.RoleAssistant {
			rounds++
		}
	}
	call := func(name string) providers.ToolCall {
		return providers.ToolCall{Name: name, RawArguments: `{"text":"a ü <b>"}`}
	}
	switch rounds {
	case 0:
		a.Content, a.ToolCalls = "I look", []providers.ToolCall{call("look")}
	case 1:
		a.Content, a.ToolCalls = "", []providers.ToolCall{call("wipe")}
	}
	a.Reasoning = fmt.Sprint("round ", rounds)
	return a
}

// wires are the models of each wire.
func wires(t *testing.T) map[string]turn.Model {
	t.Helper()
	key := func() string { return "test" }
	all := map[string]turn.Model{}
	for name, wire := range map[string]strictmodel.Wire{
		"gpt-5": strictmodel.OpenAI, "claude-sonnet-4-5": strictmodel.Anthropic, "gemini-3-pro-preview": strictmodel.Gemini,
		"kimi-k2": strictmodel.Llama,
	} {
		server := strictmodel.New(wire, walk)
		srv := httptest.NewServer(server.Handler())
		t.Cleanup(func() {
			srv.Close()
			for _, v := range server.Violations() {
				t.Errorf("%s: %s", name, v)
			}
		})
		var p providers.LLMProvider
		switch wire {
		case strictmodel.Anthropic:
			p = anthropic.New(anthropic.Options{BaseURL: srv.URL, Key: key})
		case strictmodel.Gemini:
			p = gemini.New(gemini.Options{BaseURL: srv.URL + "/v1beta", Key: key})
		default:
			p = openai.New(openai.Options{BaseURL: srv.URL + "/v1", Key: key})
		}
		if c, ok := p.(interface{ Close() }); ok {
			t.Cleanup(c.Close)
		}
		all[name] = turn.Model{Provider: p, Name: name, Choice: name}
	}
	return all
}

// TestEachEventInItsOrder walks through a turn on each wire, over the stream and the socket:
// the same events in their order, and from each byte on the rest of them.
func TestEachEventInItsOrder(t *testing.T) {
	t.Parallel()
	for name, m := range wires(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reads := faces.Tool("look", tools.Annotations{ReadOnly: true, Level: tools.LevelChat}, func(ctx context.Context) string {
				tools.Progress(ctx, "half")
				return "seen"
			})
			careful := tools.Annotations{Destructive: true, Level: tools.LevelWrite}
			wipes := faces.Tool("wipe", careful, func(context.Context) string { return "wiped" })
			w := newWorldOf(t, ring(), m, reads, wipes)
			_, answer := w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go"}`)
			after := fmt.Sprint(answer["after"])
			first := w.open("ada", "main", after).untilDone()
			open, _ := w.Store.Approvals().ApprovalList(t.Context(), "")
			if len(open) != 1 {
				t.Fatalf("%d questions: %v", len(open), first)
			}
			s := w.open("ada", "main", first[len(first)-1].ID)
			w.do("approver", http.MethodPost, "/chats/main/approvals/"+open[0].ID, `{"decision":"allow_once"}`)
			all := slices.Concat(first, s.untilDone())
			s.end()
			if d := cmp.Diff(ordered(), inOrder(all)); d != "" {
				t.Error(d)
			}
			piecesAreCalls(t, all)
			socket := w.connect("ada", after)
			if d := cmp.Diff(all, slices.Concat(socket.untilDone(), socket.untilDone())); d != "" {
				t.Errorf("over the socket: %s", d)
			}
			w.cutEverywhere(t, after, all)
		})
	}
}

// ordered are the events of the walk in their order.
func ordered() []string {
	return []string{
		"turn", "reasoning", "token", "tool_call_delta", "tool_call", "tool_executing", "tool_progress", "tool_result",
		"reasoning", "tool_call_delta", "tool_call", "confirmation_required", "done",
		"turn", "confirmation_resolved", "tool_call", "tool_executing", "tool_result", "reasoning", "token", "message", "done",
	}
}

// inOrder are the names of events, without the message that closes a question, which is
// delivered beside the turn.
func inOrder(all []faces.Record) []string {
	kept := slices.DeleteFunc(slices.Clone(all), func(r faces.Record) bool {
		return r.Event == "message" && strings.Contains(r.Data, `"replaces"`)
	})
	return slices.Compact(names(kept))
}

// piecesAreCalls: the pieces of a call have its id, the first one alone its name, and together
// they are its arguments. The call that was allowed has no pieces: no model writes it again.
func piecesAreCalls(t *testing.T, all []faces.Record) {
	t.Helper()
	said, named, calls := map[string]string{}, map[string]int{}, 0
	for _, r := range all {
		var e struct {
			ID, Name  string
			Delta     string `json:"arguments_delta"`
			Arguments any
		}
		if err := json.Unmarshal([]byte(r.Data), &e); err != nil {
			t.Fatal(err)
		}
		switch {
		case r.Event == "tool_call_delta":
			said[e.ID] += e.Delta
			if e.Name != "" {
				named[e.ID]++
			}
		case r.Event == "tool_call" && !strings.HasPrefix(e.ID, "approved_"):
			var whole any
			err := json.Unmarshal([]byte(said[e.ID]), &whole)
			if d := cmp.Diff(e.Arguments, whole); err != nil || d != "" || named[e.ID] != 1 {
				t.Errorf("the pieces of %s are %q, with %d names: %v %s", e.ID, said[e.ID], named[e.ID], err, d)
			}
			calls++
		}
	}
	if calls != len(said) {
		t.Errorf("%d calls, and pieces of %d", calls, len(said))
	}
}

// cutEverywhere reads the stream as bytes, and goes on from the last whole record before each
// of them.
func (w *world) cutEverywhere(t *testing.T, after string, all []faces.Record) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), faces.Patience)
	defer cancel()
	read := func(after string, records int) ([]byte, []faces.Record) {
		resp := faces.Send(ctx, t, http.MethodGet, w.URL+"/api/chats/main/events?after="+url.QueryEscape(after), "ada", "")
		defer func() { _ = resp.Body.Close() }()
		var raw bytes.Buffer
		lines := faces.NewRecords(io.TeeReader(resp.Body, &raw))
		var got []faces.Record
		for range records {
			r, ok := lines.Next()
			if !ok {
				t.Fatal("the stream ended")
			}
			got = append(got, r)
		}
		return raw.Bytes(), got
	}
	raw, _ := read(after, len(all))
	behind := map[string]bool{}
	for cut := range len(raw) {
		whole := faces.NewRecords(strings.NewReader(string(raw[:bytes.LastIndex(raw[:cut], []byte("\n\n"))+1])))
		last, n := after, 0
		for r, ok := whole.Next(); ok; r, ok = whole.Next() {
			last, n = r.ID, n+1
		}
		if behind[last] || n == len(all) {
			continue
		}
		behind[last] = true
		if _, rest := read(last, len(all)-n); !slices.Equal(rest, all[n:]) {
			t.Errorf("cut at byte %d, behind %s: %s", cut, last, cmp.Diff(all[n:], rest))
		}
	}
	if len(behind) < len(all)/2 {
		t.Errorf("%d places to go on from, of %d events", len(behind), len(all))
	}
}

// TestATurnEndsBeforeTheNextOne, over the stream and the socket, also where its message is
// delivered after the next turn has begun.
func TestATurnEndsBeforeTheNextOne(t *testing.T) {
	t.Parallel()
	stored, asked := make(chan struct{}), make(chan struct{})
	var w *world
	var release func()
	w = newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
		if faces.Last(msgs).Content == "one" {
			<-stored // the model is asked before the message is durable
			info, err := w.Store.Sessions().Lookup(t.Context(), channels.Address{Channel: web.Name, Chat: "web:ada.main"})
			if err != nil {
				t.Error(err)
			}
			release = local.ForgetterOf(w.Store).HoldOutbox(t.Context(), info.Chat)
			close(asked)
		} else {
			release()
		}
		return faces.Says("answer to " + faces.Last(msgs).Content)
	})
	_, answer := w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"one"}`)
	after := fmt.Sprint(answer["after"])
	close(stored)
	<-asked
	s := w.open("ada", "main", after)
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"two"}`)
	all := slices.Concat(s.untilDone(), s.untilDone())
	s.end()
	want := []string{"turn", "token", "message", "done", "turn", "token", "message", "done"}
	if d := cmp.Diff(want, slices.Compact(names(all))); d != "" {
		t.Error(d)
	}
	socket := w.connect("ada", after)
	if d := cmp.Diff(all, slices.Concat(socket.untilDone(), socket.untilDone())); d != "" {
		t.Errorf("over the socket: %s", d)
	}
}
