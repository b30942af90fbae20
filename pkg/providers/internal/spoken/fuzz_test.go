package spoken_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/spoken"
)

// FuzzReader reads any answer in pieces and whole. The outcome must be the same, no text may
// be added, and the text of a call that a message held must stay text.
func FuzzReader(f *testing.F) {
	for _, c := range forms() {
		f.Add(c.answer, "hello", uint16(c.form), 3, false)
		f.Add(c.answer, c.answer, uint16(every), 1, true)
		f.Add("<think>hm</think>"+c.answer+"x", "", uint16(every), 2, false)
	}
	f.Add("```\n~~~\n`a` <tool_call>", "", uint16(every), 1, false)
	f.Add("<tool_call>now<arg_key></arg_key><arg_value>\"\xff\"</arg_value></tool_call>", "", uint16(every), 1, false)
	f.Fuzz(func(t *testing.T, answer, message string, forms uint16, size int, opened bool) {
		h := spoken.Habits{Calls: spoken.Forms(forms) & every, Opened: opened}
		messages := []providers.Message{{Role: providers.RoleTool, ToolCallID: "1", Content: message}}
		whole, _ := read(t, h, messages, answer, len(answer)+1)
		pieces, _ := read(t, h, messages, answer, 1+max(0, size%64))
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Errorf("whole and in pieces differ: -whole +pieces\n%s", diff)
		}
		if len(whole.Content) > len(answer) {
			t.Errorf("%q became %q", answer, whole.Content)
		}
		if !opened && !strings.ContainsAny(answer, "<[{◁") && whole.Content != answer {
			t.Errorf("%q became %q", answer, whole.Content)
		}
		echo := []providers.Message{messages[0], {Role: providers.RoleUser, Content: answer}}
		if again, _ := read(t, h, echo, answer, 64); len(again.Calls) > 0 {
			t.Errorf("an echo became %v", again.Calls)
		}
	})
}

// TestLongAnswers reads answers that are made to be read again and again. The test's own
// limit of time would end it if the work grew with the square of the length.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	const long = 1 << 21
	for name, unit := range map[string]string{
		"space":         " ",
		"openers":       "<tool_call>",
		"openers, JSON": `<tool_call>{"a":"`,
		"strings":       `<tool_call>{"name":"now","arguments":{"a":"b`,
		"lists":         "[TOOL_CALLS][",
		"thoughts":      "<think></think>",
		"unclosed":      "<think>",
		"backticks":     "`",
		"parameters":    "<tool_call><function=weather><parameter=days>1</parameter>",
		"marks":         "<|channel|>final<|message|><|end|>",
		"Python":        "<|tool_call_start|>[weather(city=[",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := strings.Repeat(unit, long/len(unit))
			got, _ := read(t, spoken.Habits{Calls: every}, hello(), answer, 50)
			if len(got.Calls) > 0 || len(got.Content)+len(got.Reasoning) > len(answer) {
				t.Errorf("%d bytes became %d of content, %d calls", len(answer), len(got.Content), len(got.Calls))
			}
		})
	}
	t.Run("one call of many parameters", func(t *testing.T) {
		t.Parallel()
		const parameter = "<parameter=x>1</parameter>"
		answer := "<tool_call><function=weather>" + strings.Repeat(parameter, long/len(parameter)) + "</function></tool_call>"
		r := spoken.NewReader(spoken.Habits{Calls: every}, hello(), offered(), func(providers.StreamEvent) {})
		r.Emit(providers.TextDelta{Text: answer})
		resp := r.Finish(&providers.LLMResponse{Content: answer})
		if len(resp.ToolCalls) != 1 || resp.ToolCalls[0].BadArguments == "" {
			t.Errorf("%d calls; the same parameter twice must be refused", len(resp.ToolCalls))
		}
	})
}
