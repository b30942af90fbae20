package offline_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/providers/offline"
)

func TestToolChoice(t *testing.T) {
	t.Parallel()
	named := func(n string) map[string]any { return map[string]any{"tool_choice": map[string]any{"name": n}} }
	word := func(w string) map[string]any { return map[string]any{"tool_choice": w} }
	needs := offered("zebra", "calculator")
	needs[0].Function.Parameters["required"] = []any{"text"}
	tests := []struct {
		name, text string
		tools      []providers.ToolDefinition
		options    map[string]any
		calls      string
		says       string
	}{
		{"auto", "1+1", allTools(), word("auto"), `calculator {"expression":"1+1"}`, ""},
		{"none", "1+1", allTools(), word("none"), "", "may not call another tool"},
		{"required and wanted", "1+1", allTools(), word("required"), `calculator {"expression":"1+1"}`, ""},
		{"required and not wanted", "thanks", allTools(), word("required"), "calculator {}", ""},
		{"required, one needs nothing", "thanks", needs, word("required"), "calculator {}", ""},
		{"required, no tools", "thanks", nil, word("required"), "", "welcome"},
		{"named and wanted", "1+1", allTools(), named("calculator"), `calculator {"expression":"1+1"}`, ""},
		{"named and not wanted", "1+1", needs, named("zebra"), `zebra {"text":"1+1"}`, ""},
		{"not offered", "1+1", offered("list_dir"), nil, "", "The tool calculator is not available in this chat. These are: list_dir."},
		{"nothing offered", "1+1", nil, nil, "", "no tools are"},
		{"/tool not offered", "/tool rm {}", offered("list_dir"), nil, "", "The tool rm is not available"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp := ask(t, []providers.Message{user(tt.text)}, tt.tools, tt.options)
			if got := callsOf(resp); got != tt.calls || !strings.Contains(resp.Content, tt.says) {
				t.Errorf("got %s %q, want %s %q", got, resp.Content, tt.calls, tt.says)
			}
		})
	}
	_, err := offline.New(offline.Options{}).Chat(t.Context(), []providers.Message{user("1+1")}, allTools(), "", named("rm"))
	var e *providers.Error
	if !errors.As(err, &e) || e.Kind != providers.KindInvalid {
		t.Errorf("a name that is not offered: %v", err)
	}
}

// TestLooksForTools covers tools that are offered once they were found.
func TestLooksForTools(t *testing.T) {
	t.Parallel()
	messages := []providers.Message{user("what is 1+1 and what time is it in Oslo?")}
	few := offered("find_tools")
	first := ask(t, messages, few, nil)
	if got, want := callsOf(first), `find_tools {"query":"calculator, current_time"}`; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	messages = append(messages, first.Message(), result(first.ToolCalls[0].ID, "find_tools", "You can call these now: …"))
	if got := ask(t, messages, few, nil); !strings.Contains(got.Content, "The tool calculator is not available in this chat") {
		t.Errorf("nothing found: %+v", got)
	}
	second := ask(t, messages, offered("find_tools", "calculator"), nil)
	if got, want := callsOf(second), `calculator {"expression":"1+1"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	messages = append(messages, second.Message(), result(second.ToolCalls[0].ID, "calculator", `{"expression":"1+1","result":2}`))
	if got := ask(t, messages, offered("find_tools", "calculator"), nil); !strings.HasPrefix(got.Content, "1+1 = 2") {
		t.Errorf("the answer: %+v", got)
	}
	// A person who asks for the tool by its name gets its result.
	messages = []providers.Message{user(`/tool find_tools {"query":"x"}`)}
	first = ask(t, messages, few, nil)
	messages = append(messages, first.Message(), result(first.ToolCalls[0].ID, "find_tools", "No tool fits."))
	if got := ask(t, messages, few, nil); !strings.Contains(got.Content, "No tool fits.") {
		t.Errorf("asked by a person: %+v", got)
	}
}

// TestTellsADemandedResult covers a call that only tool_choice asked for.
func TestTellsADemandedResult(t *testing.T) {
	t.Parallel()
	messages := []providers.Message{user("thanks")}
	first := ask(t, messages, allTools(), map[string]any{"tool_choice": map[string]any{"name": "list_dir"}})
	final := ask(t, append(messages, first.Message(), result(first.ToolCalls[0].ID, "list_dir", `{"path":".","entries":[]}`)), allTools(), nil)
	if want := "You're welcome.\n\nThere are no files in the workspace."; !strings.HasPrefix(final.Content, want) {
		t.Errorf("got %q, want %q", final.Content, want)
	}
}

// TestLimitNotice covers the round after the last: the loop's notice is no question.
func TestLimitNotice(t *testing.T) {
	t.Parallel()
	messages := []providers.Message{user("1+1")}
	first := ask(t, messages, allTools(), nil)
	for _, role := range []string{providers.RoleUser, providers.RoleSystem} {
		final := ask(t, append(messages, first.Message(), result(first.ToolCalls[0].ID, "calculator", `{"expression":"1+1","result":2}`),
			providers.Message{Role: role, Content: "iteration limit reached; finalise your answer"}),
			allTools(), map[string]any{"tool_choice": "none"})
		if !strings.HasPrefix(final.Content, "1+1 = 2\n\nI am Parley's") {
			t.Errorf("got %q", final.Content)
		}
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	said := []providers.Message{user("buy milk"), {Role: providers.RoleAssistant, Content: "ok"}, user(strings.Repeat("word ", 200))}
	tests := []struct {
		name     string
		messages []providers.Message
		want     []string
	}{
		{"of the messages", append(said, user("Summarise the conversation so far.")), []string{"buy milk", "word"}},
		{"of a transcript", []providers.Message{
			{Role: providers.RoleSystem, Content: "Keep facts."},
			user("Summarize this conversation history:\nuser: buy milk\nassistant: ok"),
		}, []string{"user: buy milk", "assistant: ok"}},
		{"of a summary", append([]providers.Message{
			user("(the conversation so far was replaced by this summary)"), {Role: providers.RoleAssistant, Content: "So far:\n- sell eggs"},
		}, append(said, user("Summarise our conversation so far in at most 300 words."))...), []string{"- sell eggs\n- buy milk"}},
		{"of nothing", []providers.Message{user("summarise the conversation")}, []string{"Nothing was said"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp := ask(t, tt.messages, nil, nil)
			for _, w := range tt.want {
				if !strings.Contains(resp.Content, w) {
					t.Errorf("%q is missing in %q", w, resp.Content)
				}
			}
			if len(resp.Content) > 5000 {
				t.Errorf("%d bytes", len(resp.Content))
			}
		})
	}
}

func TestStreamsWords(t *testing.T) {
	t.Parallel()
	p := offline.New(offline.Options{Version: "v1.2.3"})
	var _ providers.StreamingProvider = p
	var pieces []string
	emit := func(e providers.StreamEvent) { pieces = append(pieces, e.(providers.TextDelta).Text) }
	resp, err := p.ChatStream(t.Context(), []providers.Message{user("help")}, nil, "", nil, emit)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(pieces, ""); got != resp.Content || len(pieces) < 20 || !strings.Contains(got, "v1.2.3") {
		t.Errorf("%d pieces: %q", len(pieces), pieces)
	}
	plain, err := p.Chat(t.Context(), []providers.Message{user("help")}, nil, "", nil)
	if diff := cmp.Diff(plain, resp); err != nil || diff != "" {
		t.Error(err, diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	_, err = p.ChatStream(ctx, []providers.Message{user("help")}, nil, "", nil, func(providers.StreamEvent) {
		count++
		cancel()
	})
	if !errors.Is(err, context.Canceled) || count != 1 {
		t.Errorf("after the end: %v, %d pieces", err, count)
	}
	if _, err := p.Chat(ctx, nil, nil, "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Chat after the end: %v", err)
	}
}

func TestIsDeterministic(t *testing.T) {
	t.Parallel()
	messages := []providers.Message{user("what is 1+1 and what time is it in Oslo?"), user("ls")}
	if diff := cmp.Diff(ask(t, messages, allTools(), nil), ask(t, messages, allTools(), nil)); diff != "" {
		t.Error(diff)
	}
}

func FuzzChat(f *testing.F) {
	for _, seed := range []string{
		"what is 17*23?", "/tool a {", "list the files in the workspace",
		"[task] x", "what time is it in Ωmega?", "summarise the conversation",
	} {
		f.Add(seed, "required")
	}
	p := offline.New(offline.Options{})
	f.Fuzz(func(t *testing.T, text, option string) {
		resp, err := p.Chat(t.Context(), []providers.Message{user(text)}, allTools(), "", map[string]any{"tool_choice": option})
		if err != nil {
			t.Fatal(err)
		}
		if resp.Content == "" && len(resp.ToolCalls) == 0 {
			t.Fatalf("no answer to %q", text)
		}
		for _, c := range resp.ToolCalls {
			if (c.Arguments == nil) == (c.BadArguments == "") {
				t.Fatalf("call %+v", c)
			}
		}
	})
}
