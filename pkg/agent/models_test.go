package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/pkg/agent"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// TestHistoryFitsTheContext: a model with a small context is sent less of the conversation
// than the configured bound allows, and /usage says how much.
func TestHistoryFitsTheContext(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("words and ", 20)
	s := &shelf{context: 2048}
	w := newWorld(t, nil, nil, withModels(s))
	const turns = 40
	for range turns {
		w.write("1", "1", filler)
		w.expect()
	}
	w.write("1", "1", "/usage")
	if got := w.expect().Text; !strings.Contains(got, "of at most 1024 tokens") {
		t.Errorf("told %q", got)
	}
	w.write("1", "1", "/compact")
	w.expect()
	for i, n := range s.sizes() {
		if n > 2048 || i == turns-1 && n < 600 {
			t.Errorf("request %d has %d estimated tokens", i+1, n)
		}
	}
	w.settled()
}

// TestAPictureDoesNotShortenTheConversation where the model that looks at it has a small
// context: the next turns have all of the conversation again.
func TestAPictureDoesNotShortenTheConversation(t *testing.T) {
	t.Parallel()
	s := &shelf{small: 400}
	w := newWorld(t, nil, nil, withModels(s), fetching(func(context.Context, string, channels.Attachment) prompt.Fetched {
		return prompt.Fetched{Picture: &providers.Image{MIME: "image/png", Path: "a.png", Size: 100}}
	}))
	for range 12 {
		w.write("1", "1", strings.Repeat("words and ", 20))
		w.expectText("this is model-a")
	}
	w.accept(attached("picture", "look", channels.Attachment{About: "photo", Ref: "r", Name: "a.png"}))
	w.expectText("this is model-b")
	w.write("1", "1", "hello")
	w.expectText("this is model-a")
	sizes := s.sizes()
	if n := len(sizes); n != 14 || sizes[n-1] < sizes[n-2]+500 {
		t.Errorf("the requests have %v estimated tokens", sizes)
	}
	w.settled()
}

// shelf offers the models a and b, of which b takes pictures. Each answers with its name,
// and remembers the tool choice that it was asked with.
type shelf struct {
	mu    sync.Mutex
	roles []turn.Role
	tried []any
	// choice is the tool choice of every model; gone hides b.
	choice any
	gone   bool
	// context is that of every model; sent are the sizes of the requests.
	context int
	sent    []int
	// small is the context of the model for pictures.
	small int
}

func (s *shelf) sizes() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

func (s *shelf) For(role turn.Role, _ channels.Address, chosen string) turn.Model {
	s.mu.Lock()
	defer s.mu.Unlock()
	if role != turn.RoleChat && role != turn.RoleTool {
		s.roles = append(s.roles, role)
	}
	if role == turn.RoleTool {
		return turn.Model{}
	}
	name, choice := "model-a", "a"
	if role == turn.RoleVision || chosen == "b" && !s.gone {
		name, choice = "model-b", "b"
	}
	size := s.context
	if role == turn.RoleVision {
		size = s.small
	}
	return turn.Model{Provider: nameSayer{s}, Name: name, Choice: choice, Images: name == "model-b", ToolChoice: s.choice, Context: size}
}

func (s *shelf) Choices() []turn.Choice {
	if s.gone {
		return []turn.Choice{{Name: "a", Model: "model-a"}}
	}
	return []turn.Choice{{Name: "a", Model: "model-a"}, {Name: "b", Model: "model-b"}}
}

func (s *shelf) asked() ([]turn.Role, []any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.roles), slices.Clone(s.tried)
}

// nameSayer answers with the name of the model that is asked.
type nameSayer struct{ s *shelf }

func (n nameSayer) Chat(
	_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition, model string, options map[string]any,
) (*providers.LLMResponse, error) {
	size := 0
	for i := range msgs {
		size += providers.EstimateTokens(msgs[i])
	}
	n.s.mu.Lock()
	defer n.s.mu.Unlock()
	n.s.sent = append(n.s.sent, size)
	n.s.tried = append(n.s.tried, options["tool_choice"])
	return say("this is " + model)
}

func withModels(s *shelf) option {
	return withOptions(func(o *agent.Options) { o.Models = s })
}

// TestAChatChoosesItsModel: an owner chooses by name, the choice holds over /new and a
// restart and for this chat alone, and a person of a lower level cannot choose.
func TestAChatChoosesItsModel(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	w := newWorld(t, nil, nil, withModels(s))
	ask := func(chat, sender, text string, wants ...string) {
		t.Helper()
		w.write(chat, sender, text)
		got := w.expect().Text
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s: told %q, want %q in it", text, got, want)
			}
		}
	}
	ask("1", "1", "hello", "this is model-a")
	ask("1", "1", "/model", "Model: model-a (a)\n", "- `a` - model-a (default)\n- `b` - model-b\n", "/model default")
	ask("1", "1", "/model c", "There is no model c.", "- `b` - model-b")
	ask("1", "1", "/model B", "the model model-b (b) answers")
	ask("1", "1", "/model", "Model: model-b (b)\n", "- `a` - model-a (default)\n- `b` - model-b (chosen here)")
	ask("1", "1", "hello", "this is model-b")
	ask("1", "1", "/status", "Model: model-b (b)\n")
	ask("1", "1", "/new")
	ask("2", "2", "hello", "this is model-a")
	ask("2", "2", "/model b", "needs the level write, and yours is read")
	ask("2", "2", "hello", "this is model-a")
	w.write("2", "2", "/model")
	w.expectText("Model: model-a (a)")
	w.stop()
	w.start()
	ask("1", "1", "hello", "this is model-b")
	w.stop()
	s.gone = true
	w.start()
	ask("1", "1", "hello", "this is model-a")
	ask("1", "1", "/model", "Model: model-a", "had chosen b, which is no longer configured")
	w.stop()
	s.gone = false
	w.start()
	ask("1", "1", "/model DEFAULT", "the model model-a (a) answers")
	ask("1", "1", "/model a", "the model model-a (a) answers")
	ask("1", "1", "/model", "- `a` - model-a (default, chosen here)\n")
	ask("1", "1", "hello", "this is model-a")
	w.settled()
}

// twins are two models whose names differ in case alone.
type twins struct{ shelf }

func (s *twins) For(role turn.Role, _ channels.Address, chosen string) turn.Model {
	if role == turn.RoleTool {
		return turn.Model{}
	}
	return turn.Model{Provider: nameSayer{&s.shelf}, Name: "model-" + chosen, Choice: chosen}
}

func (s *twins) Choices() []turn.Choice {
	return []turn.Choice{{Name: "Qwen", Model: "model-Qwen"}, {Name: "qwen", Model: "model-qwen"}}
}

// TestModelsThatDifferInCaseAlone are each reached by their own name, and the first of them by
// any other.
func TestModelsThatDifferInCaseAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil, withOptions(func(o *agent.Options) { o.Models = &twins{} }))
	for typed, want := range map[string]string{"Qwen": "Qwen", "qwen": "qwen", "QWEN": "Qwen"} {
		w.write("1", "1", "/model "+typed)
		if got := w.expect().Text; !strings.Contains(got, "the model model-"+want) {
			t.Errorf("/model %s: told %q", typed, got)
		}
		w.write("1", "1", "hello")
		w.expectText("this is model-" + want)
	}
	w.settled()
}

// TestModelsByRole asks for the model of the purpose.
func TestModelsByRole(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	w := newWorld(t, nil, nil, withModels(s))
	w.write("1", "1", "hello")
	w.expectText("this is model-a")
	w.write("1", "1", "/compact")
	if got := w.expect().Text; !strings.Contains(got, "this is model-a") {
		t.Errorf("told %q", got)
	}
	if roles, _ := s.asked(); !slices.Equal(roles, []turn.Role{turn.RoleSummary}) {
		t.Errorf("asked for %v", roles)
	}
	w.settled()
}

// TestToolChoiceOfAModel: a forced call holds for the first answer to a message; where the
// tool is not offered the message is answered all the same.
func TestToolChoiceOfAModel(t *testing.T) {
	t.Parallel()
	look := fn{name: "look", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("x") }}
	for name, c := range map[string]struct {
		choice any
		tools  []tools.Tool
		want   any
	}{
		"none":          {"none", []tools.Tool{look}, "none"},
		"required":      {"required", []tools.Tool{look}, "required"},
		"no tool":       {"required", nil, nil},
		"a tool":        {map[string]any{"name": "look"}, []tools.Tool{look}, "look"},
		"another tool":  {map[string]any{"name": "see"}, []tools.Tool{look}, nil},
		"left out":      {nil, []tools.Tool{look}, nil},
		"auto of tools": {"auto", []tools.Tool{look}, "auto"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &shelf{choice: c.choice}
			w := newWorld(t, nil, c.tools, withModels(s))
			w.write("1", "1", "hello")
			w.expectText("this is model-a")
			_, tried := s.asked()
			got := tried[0]
			if m, ok := got.(map[string]any); ok {
				got = m["name"]
			}
			if len(tried) != 1 || got != c.want {
				t.Errorf("asked with %v, want %v", tried, c.want)
			}
			w.settled()
		})
	}
}

// TestAPromptForAChat: the operator's instructions for a chat are read for each turn
// there, and for no other chat.
func TestAPromptForAChat(t *testing.T) {
	t.Parallel()
	system := script(func(_ context.Context, m []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say(m[0].Content)
	})
	w := newWorld(t, system, nil, withOptions(func(o *agent.Options) {
		o.Files.AgentFile = func() string { return "The rules." }
		o.Files.ChatFile = func(a channels.Address) string {
			if a == chatAddr("1") {
				return "Speak like a pirate.\n"
			}
			return ""
		}
	}))
	w.write("1", "1", "hello")
	if got := w.expect().Text; !strings.HasPrefix(got, "The rules.\n\n# This chat\nSpeak like a pirate.\n\nThe channel is ") {
		t.Errorf("chat 1 reads %q", got)
	}
	w.write("2", "2", "hello")
	if got := w.expect().Text; !strings.HasPrefix(got, "The rules.\n\nThe channel is ") {
		t.Errorf("chat 2 reads %q", got)
	}
	w.settled()
}

// withTool are models with one of their own for /tool.
type withTool struct {
	turn.Models

	direct providers.LLMProvider
}

func (w withTool) For(role turn.Role, at channels.Address, chosen string) turn.Model {
	if role == turn.RoleTool {
		return turn.Model{Provider: w.direct}
	}
	return w.Models.For(role, at, chosen)
}
