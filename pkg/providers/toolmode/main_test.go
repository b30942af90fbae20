package toolmode_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/toolmode"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server without tools and wraps its provider.
func serve(t *testing.T, mode toolmode.Mode, script func(fakemodel.Request) fakemodel.Answer) (*toolmode.Provider, *fakemodel.Server) {
	t.Helper()
	s := fakemodel.New(fakemodel.Options{Script: script, NoTools: true})
	p := openai.New(openai.Options{BaseURL: s.URL()})
	t.Cleanup(func() {
		p.Close()
		s.Close()
	})
	return toolmode.New(p, toolmode.Options{Mode: mode}), s
}

// scripted is a model that needs no server.
type scripted func(q asked) (*providers.LLMResponse, error)

type asked struct {
	messages []providers.Message
	tools    []providers.ToolDefinition
	options  map[string]any
}

func (s scripted) Chat(
	_ context.Context, messages []providers.Message, tools []providers.ToolDefinition, _ string, options map[string]any,
) (*providers.LLMResponse, error) {
	return s(asked{messages, tools, options})
}

// pieces is a model that says an answer in pieces.
type pieces struct {
	answer string
	size   int
	finish string
}

func (p pieces) Chat(
	context.Context, []providers.Message, []providers.ToolDefinition, string, map[string]any,
) (*providers.LLMResponse, error) {
	return &providers.LLMResponse{Content: p.answer, FinishReason: p.finish}, nil
}

func (p pieces) ChatStream(
	ctx context.Context, m []providers.Message, t []providers.ToolDefinition, model string, o map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	for rest := p.answer; rest != ""; {
		n := min(p.size, len(rest))
		emit(providers.TextDelta{Text: rest[:n]})
		rest = rest[n:]
	}
	return p.Chat(ctx, m, t, model, o)
}

func user(text string) []providers.Message {
	return []providers.Message{{Role: providers.RoleUser, Content: text}}
}
