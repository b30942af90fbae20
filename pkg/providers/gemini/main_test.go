package gemini_test

import (
	"testing"

	"go.uber.org/goleak"

	"parley/internal/test/fakegemini"
	"parley/pkg/providers"
	"parley/pkg/providers/gemini"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a fake server that ends with the test, which fails for a broken rule.
func serve(t *testing.T, o fakegemini.Options) *fakegemini.Server {
	t.Helper()
	s := fakegemini.New(o)
	t.Cleanup(func() {
		s.Close()
		if !o.Lax {
			for _, v := range s.Violations() {
				t.Errorf("broken rule: %s", v)
			}
		}
	})
	return s
}

// script answers with each reply in turn, then with the last.
func script(replies ...fakegemini.Reply) fakegemini.Options {
	return fakegemini.Options{Script: func(r fakegemini.Request) fakegemini.Reply {
		return replies[min(r.N, len(replies))-1]
	}}
}

// provider makes a provider; its connections end with the test.
func provider(t *testing.T, url string, change ...func(*gemini.Options)) *gemini.Provider {
	t.Helper()
	o := gemini.Options{BaseURL: url}
	for _, c := range change {
		c(&o)
	}
	p := gemini.New(o)
	t.Cleanup(p.Close)
	return p
}

func system(text string) providers.Message {
	return providers.Message{Role: providers.RoleSystem, Content: text}
}

func user(text string) providers.Message {
	return providers.Message{Role: providers.RoleUser, Content: text}
}

func assistant(text string, calls ...providers.ToolCall) providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Content: text, ToolCalls: calls}
}

func call(id, name, args string) providers.ToolCall {
	return providers.ToolCall{ID: id, Type: "function", Name: name, RawArguments: args}
}

func result(id, name, text string) providers.Message {
	return providers.Message{Role: providers.RoleTool, ToolCallID: id, Name: name, Content: text}
}
