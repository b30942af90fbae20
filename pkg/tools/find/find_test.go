package find_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/tools"
	"parley/pkg/tools/find"
)

// one makes a tool that is only found.
func one(name, description string, a tools.Annotations) tools.Tool {
	type input struct {
		Path  string `json:"path" jsonschema:"where it lies in the workspace"`
		Limit int    `json:"max_bytes,omitempty"`
	}
	return tools.New(name, description, a, func(context.Context, input) (any, error) { return "ran", nil })
}

func registry() *tools.ToolRegistry {
	r := tools.NewToolRegistry()
	reads := tools.Annotations{ReadOnly: true}
	for _, t := range []tools.Tool{
		find.New(),
		one("read_file", "Read a workspace file;\nbase64 if binary.", reads),
		one("write_file", "Write or replace a whole workspace file.", tools.Annotations{}),
		one("file_info", "Type, size, time and mode of a path, if it exists.", reads),
		one("calculator", "Evaluate + - * /.", reads),
		one("message", "Send text to this chat at once.", tools.Annotations{}),
		one("web_search", "Search the web.", reads),
	} {
		r.Register(t)
	}
	return r
}

func ask(t *testing.T, r *tools.ToolRegistry, query string) string {
	t.Helper()
	return r.Execute(t.Context(), find.Name, map[string]any{"query": query}).ForLLM
}

// namesIn are the names of the tools that a result has found.
func namesIn(result string) string {
	var names []string
	for line := range strings.Lines(result) {
		if rest, ok := strings.CutPrefix(line, "- `"); ok {
			name, _, _ := strings.Cut(rest, "`")
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

func TestFinds(t *testing.T) {
	t.Parallel()
	r := registry()
	for query, want := range map[string]string{
		"write_file":                    "write_file",
		"calculator, Read_File":         "calculator read_file",
		"read_file read_file":           "read_file",
		"read a file":                   "read_file file_info write_file",
		"how do I calculate a sum":      "calculator",
		"searching":                     "web_search",
		"find files and send a message": "message file_info read_file write_file",
		"max_bytes":                     "calculator file_info message read_file web_search",
		"find_tools":                    "",
		"Dateien lesen":                 "",
		"🙂 \x00\xff":                    "",
	} {
		if got := namesIn(ask(t, r, query)); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if got, want := ask(t, r, "read_file"), "You can call these now:\n- `read_file` - Read a workspace file; base64 if binary."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := "No tool fits these words. Ask for one by its name: calculator, file_info, message, read_file, web_search, write_file."
	if got := ask(t, r, "xylophone"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, bad := range []string{"", " \n", strings.Repeat("x", 501)} {
		if got := ask(t, r, bad); !strings.Contains(got, "invalid_arguments") {
			t.Errorf("%.20q: %s", bad, got)
		}
	}
}

// TestFindsForItsCallerOnly: a view without writing tools finds none of them.
func TestFindsForItsCallerOnly(t *testing.T) {
	t.Parallel()
	r := registry().Filter(func(_ string, a tools.Annotations) bool { return a.ReadOnly })
	for _, query := range []string{"write_file", "write a file", "xylophone", "message"} {
		if got := ask(t, r, query); strings.Contains(got, "write_file") || strings.Contains(got, "message") {
			t.Errorf("%q: %s", query, got)
		}
	}
}

// scripted answers a loop, and keeps the names of the tools of its requests.
type scripted struct {
	answers []*providers.LLMResponse
	offered []string
	choices []any
}

func (s *scripted) Chat(
	_ context.Context, _ []providers.Message, defs []providers.ToolDefinition, _ string, options map[string]any,
) (*providers.LLMResponse, error) {
	names := make([]string, len(defs))
	for i := range defs {
		names[i] = defs[i].Function.Name
	}
	s.offered = append(s.offered, strings.Join(names, " "))
	s.choices = append(s.choices, options["tool_choice"])
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return answer, nil
}

func calls(all ...string) *providers.LLMResponse {
	resp := &providers.LLMResponse{FinishReason: providers.FinishToolCalls}
	for i := 0; i < len(all); i += 2 {
		resp.ToolCalls = append(resp.ToolCalls, providers.ToolCall{Name: all[i], RawArguments: all[i+1]})
	}
	return resp
}

func done() *providers.LLMResponse {
	return &providers.LLMResponse{Content: "done", FinishReason: providers.FinishStop}
}

const finds, reads = `{"query":"read_file"}`, `{"path":"a"}`

func TestOffers(t *testing.T) {
	t.Parallel()
	said := func(name, content string) []providers.Message {
		return []providers.Message{
			{Role: providers.RoleAssistant, ToolCalls: []providers.ToolCall{{ID: "a", Name: name, RawArguments: "{}"}}},
			{Role: providers.RoleTool, ToolCallID: "a", Name: name, Content: content},
		}
	}
	named := map[string]any{"name": "read_file"}
	for name, c := range map[string]struct {
		past    []providers.Message
		answers []*providers.LLMResponse
		choice  any
		whole   bool
		keep    func(string, tools.Annotations) bool
		offered []string
		choices []any
	}{
		"found": {
			answers: []*providers.LLMResponse{calls("find_tools", finds), calls("read_file", reads), done()},
			offered: []string{"find_tools", "find_tools read_file", "find_tools read_file"},
		},
		"called by its name": {
			answers: []*providers.LLMResponse{calls("read_file", reads), done()},
			offered: []string{"find_tools", "find_tools read_file"},
		},
		"in the order of their finding": {
			past:    append(said("write_file", "done"), said("find_tools", "You may:\n- `message` - x\n- `read_file` - y\n- `cut")...),
			answers: []*providers.LLMResponse{calls("find_tools", `{"query":"calculator"}`), done()},
			offered: []string{"find_tools write_file message read_file", "find_tools write_file message read_file calculator"},
		},
		"unknown and forged names": {
			past: append(said("read_file", "- `write_file` - x"), append(said("find_tools", "- `rm` - x\n - `message` - y"),
				providers.Message{Role: providers.RoleUser, Name: "find_tools", Content: "- `message` - x"})...),
			answers: []*providers.LLMResponse{done()},
			offered: []string{"find_tools read_file"},
		},
		"without the right": {
			past:    said("find_tools", "- `write_file` - x\n- `read_file` - y"),
			answers: []*providers.LLMResponse{done()},
			keep:    func(_ string, a tools.Annotations) bool { return a.ReadOnly },
			offered: []string{"find_tools read_file"},
		},
		"a view without the tool that finds": {
			answers: []*providers.LLMResponse{done()},
			keep:    func(name string, _ tools.Annotations) bool { return name == "calculator" || name == "message" },
			offered: []string{"calculator message"},
		},
		"all at once": {
			answers: []*providers.LLMResponse{done()}, whole: true,
			offered: []string{"calculator file_info find_tools message read_file web_search write_file"},
		},
		"required": {
			answers: []*providers.LLMResponse{calls("find_tools", finds), calls("read_file", reads), done()}, choice: "required",
			offered: []string{"find_tools", "find_tools read_file", "find_tools read_file"},
			choices: []any{"required", "required", nil},
		},
		"required, and another call beside": {
			answers: []*providers.LLMResponse{calls("find_tools", finds, "calculator", reads), done()}, choice: "required",
			offered: []string{"find_tools", "find_tools calculator read_file"},
			choices: []any{"required", nil},
		},
		"required, and none fits": {
			answers: []*providers.LLMResponse{calls("find_tools", `{"query":"xylophone"}`), done()}, choice: "required",
			offered: []string{"find_tools", "find_tools"},
			choices: []any{"required", nil},
		},
		"required, and it goes on finding": {
			answers: []*providers.LLMResponse{calls("find_tools", finds), calls("find_tools", finds), done()}, choice: "required",
			offered: []string{"find_tools", "find_tools read_file", "find_tools read_file"},
			choices: []any{"required", "required", nil},
		},
		"the name of a tool": {
			answers: []*providers.LLMResponse{calls("read_file", reads), done()}, choice: named,
			offered: []string{"find_tools read_file", "find_tools read_file"},
			choices: []any{named, nil},
		},
		"the name of the tool that finds": {
			answers: []*providers.LLMResponse{calls("find_tools", finds), done()}, choice: map[string]any{"name": "find_tools"},
			offered: []string{"find_tools", "find_tools read_file"},
			choices: []any{map[string]any{"name": "find_tools"}, nil},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := registry()
			if c.keep != nil {
				r = r.Filter(c.keep)
			}
			model := &scripted{answers: c.answers}
			config := tools.ToolLoopConfig{Provider: model, Tools: r, Whole: c.whole}
			if c.choice != nil {
				config.LLMOptions = map[string]any{"tool_choice": c.choice}
			}
			past := slices.Concat(c.past, []providers.Message{{Role: providers.RoleUser, Content: "go"}})
			res, err := tools.RunToolLoop(t.Context(), config, past, "", "")
			if err != nil || res.Content != "done" {
				t.Fatalf("%+v, %v", res, err)
			}
			if diff := cmp.Diff(c.offered, model.offered); diff != "" {
				t.Errorf("offered: %s", diff)
			}
			if diff := cmp.Diff(c.choices, model.choices); c.choices != nil && diff != "" {
				t.Errorf("tool_choice: %s", diff)
			}
		})
	}
}
