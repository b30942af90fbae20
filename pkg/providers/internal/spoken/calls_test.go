package spoken_test

import (
	"testing"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/spoken"
)

const paris = `weather{"city":"Paris"}`

// forms are answers of the families that write calls into their text.
func forms() map[string]struct {
	form   spoken.Forms
	answer string
	want   outcome
} {
	one, none := []string{paris}, []string{"now{}"}
	return map[string]struct {
		form   spoken.Forms
		answer string
		want   outcome
	}{
		"Hermes": {
			spoken.Hermes,
			"<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
			outcome{Calls: one},
		},
		"Hermes, two": {
			spoken.Hermes,
			`<tool_call>{"name":"weather","arguments":{"city":"Paris"}}</tool_call>` + "\n" +
				`<tool_call>{"name":"now","arguments":{}}</tool_call>` + "\n",
			outcome{Calls: []string{paris, "now{}"}},
		},
		"Hermes, encoded twice": {
			spoken.Hermes, `<tool_call>{"name":"weather","arguments":"{\"city\":\"Paris\"}"}</tool_call>`, outcome{Calls: one},
		},
		"Qwen": {
			spoken.Hermes,
			"I look.\n<tool_call>\n<function=weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n" +
				"<parameter=code>\n12\n</parameter>\n</function>\n</tool_call>",
			outcome{Content: "I look.", Calls: []string{`weather{"city":"Paris","code":"12","days":3}`}},
		},
		"Qwen, an end within": {
			spoken.Hermes,
			"<tool_call><function=weather><parameter=code>\na </parameter> b\n\n</parameter></function></tool_call>",
			outcome{Calls: []string{`weather{"code":"a \u003c/parameter\u003e b\n"}`}},
		},
		"GLM": {
			spoken.Hermes,
			"<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
			outcome{Calls: one},
		},
		"GLM, no arguments": {spoken.Hermes, "<tool_call>now\n</tool_call>", outcome{Calls: none}},
		"Llama":             {spoken.Llama, `<function=weather>{"city": "Paris"}</function>`, outcome{Calls: one}},
		"Llama, tag":        {spoken.Llama, `<|python_tag|>{"name": "weather", "parameters": {"city": "Paris"}}<|eom_id|>`, outcome{Calls: one}},
		"Mistral":           {spoken.Mistral, `[TOOL_CALLS][{"name": "weather", "arguments": {"city": "Paris"}}]`, outcome{Calls: one}},
		"Mistral, names": {
			spoken.Mistral, `[TOOL_CALLS]weather[ARGS]{"city": "Paris"}[TOOL_CALLS]now[CALL_ID]abc[ARGS]{}`,
			outcome{Calls: []string{paris, "now{}"}},
		},
		"DeepSeek": {
			spoken.DeepSeek,
			"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n{\"city\": \"Paris\"}\n```" +
				"<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
			outcome{Calls: one},
		},
		"DeepSeek, newer": {
			spoken.DeepSeek,
			"I look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>" +
				"{\"city\": \"Paris\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
			outcome{Content: "I look.", Calls: one},
		},
		"DeepSeek, DSML": {
			spoken.DeepSeek,
			"<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"weather\">\n" +
				"<｜DSML｜parameter name=\"city\" string=\"true\">Paris</｜DSML｜parameter>\n" +
				"<｜DSML｜parameter name=\"days\" string=\"false\">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
			outcome{Calls: []string{`weather{"city":"Paris","days":2}`}},
		},
		"MiniMax": {
			spoken.MiniMax,
			"<minimax:tool_call>\n<invoke name=\"weather\">\n<parameter name=\"city\">Paris</parameter>\n</invoke>\n" +
				"<invoke name=\"now\">\n</invoke>\n</minimax:tool_call>",
			outcome{Calls: []string{paris, "now{}"}},
		},
		"MiniMax, JSON": {
			spoken.MiniMax,
			"<tool_calls>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Paris\"}}\n{\"name\": \"now\", \"arguments\": {}}\n</tool_calls>",
			outcome{Calls: []string{paris, "now{}"}},
		},
		"Kimi": {
			spoken.Kimi,
			"<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>" +
				"{\"city\": \"Paris\"}<|tool_call_end|>" +
				"<|tool_calls_section_end|>",
			outcome{Calls: one},
		},
		"MiniCPM": {
			spoken.MiniCPM,
			"<|tool_call_start|>\n```python\nweather(city=\"Paris\")\nnow()\n```\n<|tool_call_end|>",
			outcome{Calls: []string{paris, "now{}"}},
		},
		"Python, list": {
			spoken.MiniCPM,
			`<|tool_call_start|>[weather(city='a\'b\n', days=-3, code={"k": [True, None, (1,)]},)]<|tool_call_end|>`,
			outcome{Calls: []string{`weather{"city":"a'b\n","code":{"k":[true,null,[1]]},"days":-3}`}},
		},
		"Nemotron": {spoken.Nemotron, `<TOOLCALL>[{"name": "weather", "arguments": {"city": "Paris"}}]</TOOLCALL>`, outcome{Calls: one}},
		"Harmony": {
			spoken.Harmony,
			"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json" +
				"<|message|>{\"city\": \"Paris\"}<|call|>",
			outcome{Reasoning: "hm", Calls: one},
		},
		"Harmony, said before": {
			spoken.Harmony,
			"<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.now<|message|>{}",
			outcome{Content: "I look.", Calls: none},
		},
		"bare":             {spoken.Bare, ` {"name": "weather", "parameters": {"city": "Paris"}} `, outcome{Calls: one}},
		"bare, as offered": {spoken.Bare, `{"type":"function","function":{"name":"weather","arguments":{"city":"Paris"}}}`, outcome{Calls: one}},
		"behind thoughts": {
			spoken.Hermes, "<think>hm</think>\n\n<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Paris\"}}</tool_call>",
			outcome{Reasoning: "hm", Calls: one},
		},
		"behind the word": {
			spoken.Hermes, "I use <tool_call> now. `x`\n<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Paris\"}}</tool_call>",
			outcome{Content: "I use <tool_call> now. `x`", Calls: one},
		},
		"behind code": {
			spoken.Hermes, "```\nx\n```\n<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Paris\"}}</tool_call>",
			outcome{Content: "```\nx\n```", Calls: one},
		},
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for name, c := range forms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, spoken.Habits{Calls: c.form}, hello(), c.answer, c.want)
			expect(t, spoken.Habits{Calls: every}, hello(), c.answer, c.want)
			for _, other := range []spoken.Forms{0, every &^ c.form} {
				if got, _ := read(t, spoken.Habits{Calls: other}, hello(), c.answer, 7); len(got.Calls) > 0 {
					t.Errorf("forms %b read %q as %v", other, c.answer, got.Calls)
				}
			}
		})
	}
}

// TestNoCalls reads answers that are text, and must arrive as they came.
func TestNoCalls(t *testing.T) {
	t.Parallel()
	const call = `<tool_call>{"name":"weather","arguments":{"city":"Paris"}}</tool_call>`
	for name, answer := range map[string]string{
		"text behind":            call + " So it is.",
		"in a block of code":     "```\n" + call + "\n```",
		"in an unclosed block":   "```xml\n" + call,
		"in a tilde block":       "~~~\n" + call,
		"in a span":              "Write `" + call,
		"in a long span":         "Write `` ` " + call,
		"indented":               "So:\n\n    " + call,
		"in a quotation":         "The page says:\n\n> " + call,
		"in a tight quotation":   "So:\n >" + call,
		"unclosed":               `<tool_call>{"name":"weather","arguments":{"city":"Paris"}}`,
		"half":                   `<tool_call>{"name":"wea`,
		"half a mark":            "Hello <tool_ca",
		"broken JSON":            `<tool_call>{"name":"weather","arguments":{"city":}}</tool_call>`,
		"no name":                `<tool_call>{"arguments":{"city":"Paris"}}</tool_call>`,
		"a list of arguments":    `<function=weather>[1]</function>`,
		"a name of words":        `<tool_call>{"name":"rm -rf","arguments":{}}</tool_call>`,
		"arguments twice":        `<tool_call>{"name":"now","arguments":{},"parameters":{}}</tool_call>`,
		"more fields":            `<tool_call>{"name":"now","arguments":{},"note":1}</tool_call>`,
		"bare, not offered":      `{"name":"Paris","arguments":{}}`,
		"bare, more fields":      `{"name":"weather","arguments":{},"age":3}`,
		"bare, no arguments":     `{"name":"weather"}`,
		"bare, text arguments":   `{"name":"weather","arguments":"{}"}`,
		"bare, two":              `{"name":"now","arguments":{}}{"name":"now","arguments":{}}`,
		"bare, text behind":      `{"name":"now","arguments":{}} it is`,
		"bare, text before":      `Now: {"name":"now","arguments":{}}`,
		"bare, in code":          "```json\n{\"name\":\"now\",\"arguments\":{}}\n```",
		"JSON":                   `{"a": [1, 2]}`,
		"Python that calls":      "<|tool_call_start|>[weather(city=now())]<|tool_call_end|>",
		"Python without names":   `<|tool_call_start|>[weather("Paris")]<|tool_call_end|>`,
		"Python that adds":       `<|tool_call_start|>[weather(city="a" + "b")]<|tool_call_end|>`,
		"an empty list":          "[TOOL_CALLS][]",
		"prose within":           "<tool_call>weather in Paris</tool_call>",
		"a word within":          "<tool_call>Paris</tool_call>",
		"thoughts unclosed":      "<think>" + call,
		"Kimi, no arguments":     "<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_end|><|tool_calls_section_end|>",
		"an invocation unclosed": "<minimax:tool_call><invoke name=\"now\">",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, spoken.Habits{Calls: every}, hello(), answer, outcome{Content: answer})
		})
	}
}

// TestCallsBeside leaves the text alone in an answer to which the server gave calls.
func TestCallsBeside(t *testing.T) {
	t.Parallel()
	const answer = `<tool_call>{"name":"now","arguments":{}}</tool_call>`
	shown := ""
	r := spoken.NewReader(spoken.Habits{Calls: every}, hello(), offered(), func(e providers.StreamEvent) {
		if text, ok := e.(providers.TextDelta); ok {
			shown += text.Text
		}
	})
	r.Emit(providers.TextDelta{Text: answer})
	resp := r.Finish(&providers.LLMResponse{Content: answer, ToolCalls: []providers.ToolCall{{ID: "1", Name: "weather"}}})
	if shown != answer || resp.Content != answer || len(resp.ToolCalls) != 1 || resp.ToolCalls[0].Name != "weather" {
		t.Errorf("shown %q, answer %+v", shown, resp)
	}
}

// TestCallsAreOfferedOnly keeps text as text where no tool was offered.
func TestCallsAreOfferedOnly(t *testing.T) {
	t.Parallel()
	const answer = `<tool_call>{"name":"now","arguments":{}}</tool_call>`
	r := spoken.NewReader(spoken.Habits{Calls: every}, hello(), nil, func(providers.StreamEvent) {})
	r.Emit(providers.TextDelta{Text: answer})
	if resp := r.Finish(&providers.LLMResponse{Content: answer}); resp.Content != answer || len(resp.ToolCalls) > 0 {
		t.Errorf("answer %+v", resp)
	}
}

// TestCallIDs wants ids that are the same for the same answer, and differ otherwise.
func TestCallIDs(t *testing.T) {
	t.Parallel()
	const answer = `<tool_call>{"name":"now","arguments":{}}</tool_call><tool_call>{"name":"now","arguments":{}}</tool_call>`
	h := spoken.Habits{Calls: spoken.Hermes}
	_, a := read(t, h, hello(), answer, 5)
	_, b := read(t, h, hello(), answer, 9)
	_, c := read(t, h, append(hello(), providers.Message{Role: providers.RoleAssistant, Content: "x"}), answer, 9)
	if a.ToolCalls[0].ID != b.ToolCalls[0].ID || a.ToolCalls[0].ID == a.ToolCalls[1].ID || a.ToolCalls[0].ID == c.ToolCalls[0].ID {
		t.Errorf("ids are %v, %v, %v", a.ToolCalls, b.ToolCalls, c.ToolCalls)
	}
}

// TestNamed finds every form by a name.
func TestNamed(t *testing.T) {
	t.Parallel()
	var found spoken.Forms
	for _, name := range []string{
		"hermes", "qwen", "glm", "llama", "mistral", "deepseek", "minimax", "kimi", "minicpm", "nemotron", "harmony", "json",
	} {
		found |= spoken.Named(name)
	}
	if found != every || spoken.Named("other") != 0 {
		t.Errorf("the names give %b, want %b", found, every)
	}
}
