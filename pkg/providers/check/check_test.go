package check_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/pkg/providers"
	"parley/pkg/providers/check"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// model is a model by a function; it counts its questions.
type model struct {
	asked  int
	answer func(messages []providers.Message, tools []providers.ToolDefinition, choice any) (*providers.LLMResponse, error)
}

func (m *model) Chat(
	ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition, _ string, options map[string]any,
) (*providers.LLMResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.asked++
	return m.answer(messages, tools, options["tool_choice"])
}

func say(text string) (*providers.LLMResponse, error) {
	return &providers.LLMResponse{Content: text, Usage: providers.Usage{TotalTokens: 1}}, nil
}

func calls(name, arguments string) (*providers.LLMResponse, error) {
	c := providers.ToolCall{ID: "a", Name: name, RawArguments: arguments}
	var err error
	if c.Arguments, err = providers.DecodeArguments(arguments); err != nil {
		c.BadArguments = err.Error()
	}
	return &providers.LLMResponse{ToolCalls: []providers.ToolCall{c}, Usage: providers.Usage{TotalTokens: 1}}, nil
}

// TestVerdicts are models with one weakness each.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	type tools = []providers.ToolDefinition
	results := func(messages []providers.Message) bool { return messages[len(messages)-1].Role == providers.RoleTool }
	caller := func(name, arguments, last string) func([]providers.Message, tools, any) (*providers.LLMResponse, error) {
		return func(messages []providers.Message, offered tools, choice any) (*providers.LLMResponse, error) {
			switch {
			case results(messages):
				return say(last)
			case choice == "none" || len(offered) == 0:
				return say("no")
			}
			return calls(name, arguments)
		}
	}
	failing := func(kind providers.ErrorKind) func([]providers.Message, tools, any) (*providers.LLMResponse, error) {
		return func([]providers.Message, tools, any) (*providers.LLMResponse, error) {
			return nil, &providers.Error{Kind: kind, Message: "as asked for"}
		}
	}
	for _, c := range []struct {
		name   string
		answer func([]providers.Message, tools, any) (*providers.LLMResponse, error)
		want   map[check.Ability]check.Verdict
		asked  int
		err    bool
	}{
		{"good", caller("add", `{"a":17,"b":25}`, "It is 7351."), map[check.Ability]check.Verdict{
			check.Answers: check.Yes, check.Calls: check.Yes, check.Results: check.Yes, check.Required: check.Yes, check.Named: check.No,
			check.None: check.Yes, check.AtOnce: check.No, check.Pieces: check.No, check.Streams: check.No, check.Thinks: check.No,
			check.Usage: check.Yes, check.Pictures: check.No,
		}, 6, false},
		{"computes itself", caller("add", `{"a":17,"b":25}`, "It is 42."), map[check.Ability]check.Verdict{check.Results: check.No}, 6, false},
		{"the wrong tool", caller("multiply", `{"a":17,"b":25}`, "7351"), map[check.Ability]check.Verdict{
			check.Calls: check.No, check.Named: check.Yes,
		}, 6, false},
		{"words for numbers", caller("add", `{"a":"17","b":25}`, "7351"), map[check.Ability]check.Verdict{check.Calls: check.No}, 6, false},
		{"cut arguments", caller("add", `{"a":17,`, "7351"), map[check.Ability]check.Verdict{check.Calls: check.No}, 6, false},
		{
			"only talks", func([]providers.Message, tools, any) (*providers.LLMResponse, error) { return say("red hello") },
			map[check.Ability]check.Verdict{
				check.Answers: check.Yes, check.Calls: check.No, check.Results: check.Unasked, check.Required: check.No,
				check.None: check.Yes, check.Pictures: check.Yes,
			},
			5, false,
		},
		{
			"always calls", func([]providers.Message, tools, any) (*providers.LLMResponse, error) {
				return calls("add", `{"a":1,"b":2}`)
			},
			map[check.Ability]check.Verdict{check.None: check.No, check.Results: check.No},
			6, false,
		},
		{"refuses tools", func(_ []providers.Message, offered tools, _ any) (*providers.LLMResponse, error) {
			if len(offered) > 0 {
				return nil, &providers.Error{Kind: providers.KindInvalid, Message: "does not support tools"}
			}
			return say("hello")
		}, map[check.Ability]check.Verdict{
			check.Answers: check.Yes, check.Calls: check.No, check.Required: check.Unasked, check.Pictures: check.No,
		}, 3, true},
		{"unreachable", failing(providers.KindUnreachable), map[check.Ability]check.Verdict{
			check.Answers: check.No, check.Calls: check.Unasked, check.Usage: check.Unasked, check.Pictures: check.Unasked,
		}, 1, true},
		{"a bad key", failing(providers.KindAuth), map[check.Ability]check.Verdict{check.Answers: check.No, check.None: check.Unasked}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := &model{answer: c.answer}
			r := check.Model(t.Context(), &check.Subject{Name: "main", Model: "m", Provider: m, Images: true})
			for a, want := range c.want {
				if r.Verdicts[a] != want {
					t.Errorf("%s: %s, want %s", a, r.Verdicts[a], want)
				}
			}
			if m.asked != c.asked || (r.Err != nil) != c.err {
				t.Errorf("%d questions and %v, want %d", m.asked, r.Err, c.asked)
			}
			if len(r.Verdicts) != len(check.Abilities()) {
				t.Errorf("verdicts of %d abilities: %v", len(r.Verdicts), r.Verdicts)
			}
		})
	}
}

// TestBlindModelGetsNoPicture checks a model that is not configured to take pictures.
func TestBlindModelGetsNoPicture(t *testing.T) {
	t.Parallel()
	m := &model{answer: func(messages []providers.Message, _ []providers.ToolDefinition, _ any) (*providers.LLMResponse, error) {
		for i := range messages {
			if len(messages[i].Images) > 0 {
				t.Error("a picture is sent")
			}
		}
		return say("hello")
	}}
	if r := check.Model(t.Context(), &check.Subject{Provider: m}); r.Verdicts[check.Pictures] != check.Unasked {
		t.Errorf("pictures: %s", r.Verdicts[check.Pictures])
	}
}

// TestCheckEndsWithItsContext asks no question once the context has ended.
func TestCheckEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	m := &model{answer: func([]providers.Message, []providers.ToolDefinition, any) (*providers.LLMResponse, error) {
		cancel()
		return say("hello")
	}}
	if r := check.Model(ctx, &check.Subject{Provider: m, Images: true}); m.asked != 1 || !errors.Is(r.Err, context.Canceled) {
		t.Errorf("%d questions, %v", m.asked, r.Err)
	}
}

// TestPrint is the table of two models.
func TestPrint(t *testing.T) {
	t.Parallel()
	good := check.Model(t.Context(), &check.Subject{Name: "größer", Provider: &model{
		answer: func([]providers.Message, []providers.ToolDefinition, any) (*providers.LLMResponse, error) {
			return say("hello")
		},
	}})
	bad := check.Model(t.Context(), &check.Subject{Name: "bad", Provider: &model{
		answer: func([]providers.Message, []providers.ToolDefinition, any) (*providers.LLMResponse, error) {
			return nil, &providers.Error{Kind: providers.KindAuth, Model: "m", Message: "wrong key"}
		},
	}})
	var b strings.Builder
	if err := check.Print(&b, []check.Report{good, bad}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 6 || lines[4] != "bad: model m: auth: wrong key" || !strings.HasPrefix(lines[2], "| größer | yes     |") {
		t.Errorf("the table is\n%s", b.String())
	}
	for _, line := range lines[1:4] {
		if len([]rune(line)) != len([]rune(lines[0])) {
			t.Errorf("the table is crooked:\n%s", b.String())
		}
	}
}
