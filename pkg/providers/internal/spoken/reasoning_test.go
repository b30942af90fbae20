package spoken_test

import (
	"strings"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/spoken"
)

func TestReasoning(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		want   outcome
	}{
		"none":            {"Hello <think>.", outcome{Content: "Hello <think>."}},
		"empty":           {"", outcome{}},
		"think":           {"<think>hm</think>\n\nHello.", outcome{Content: "Hello.", Reasoning: "hm"}},
		"space before":    {"\n <think>\nhm\n</think>Hello.", outcome{Content: "Hello.", Reasoning: "hm"}},
		"thinking":        {"<thinking>a < b</thinking> Hello.", outcome{Content: "Hello.", Reasoning: "a < b"}},
		"empty thoughts":  {"<think>\n\n</think>\n\nHello.", outcome{Content: "Hello."}},
		"only thoughts":   {"<think>hm</think>", outcome{Reasoning: "hm"}},
		"twice":           {"<think>a</think>\n<think>b</think>c", outcome{Content: "c", Reasoning: "ab"}},
		"Magistral":       {"[THINK]hm[/THINK]Hello.", outcome{Content: "Hello.", Reasoning: "hm"}},
		"Kimi":            {"◁think▷hm◁/think▷Hello.", outcome{Content: "Hello.", Reasoning: "hm"}},
		"MiniCPM":         {"<|thought_start|>\nhm\n<|thought_end|>\nHello.", outcome{Content: "Hello.", Reasoning: "hm"}},
		"Seed":            {"<seed:think>hm</seed:think>Hello.", outcome{Content: "Hello.", Reasoning: "hm"}},
		"Gemma":           {"<|channel>thought\nhm<channel|>Hello.", outcome{Content: "Hello.", Reasoning: "hm"}},
		"unclosed":        {"<think>hm and so on", outcome{Content: "<think>hm and so on"}},
		"half a mark":     {" <thin", outcome{Content: " <thin"}},
		"half an end":     {"<think>hm</thin", outcome{Content: "<think>hm</thin"}},
		"second unclosed": {"<think>a</think> <think>b", outcome{Content: "<think>b", Reasoning: "a"}},
		"in code":         {"```\n<think>a</think>\n```", outcome{Content: "```\n<think>a</think>\n```"}},
		"in a span":       {"`<think>` begins, `</think>` ends.", outcome{Content: "`<think>` begins, `</think>` ends."}},
		"in the middle":   {"Hello. <think>a</think>", outcome{Content: "Hello. <think>a</think>"}},
		"another tag":     {"<b>Hello</b>", outcome{Content: "<b>Hello</b>"}},
		"spaces kept":     {"  Hello \n", outcome{Content: "  Hello \n"}},
		"channels": {
			"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hello <|x|> `<|end|>`.<|return|>",
			outcome{Content: "Hello <|x|> `<|end|>`.", Reasoning: "hm"},
		},
		"a channel before the last": {
			"<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>analysis<|message|>hm<|end|>" +
				"<|start|>assistant<|channel|>final<|message|>Hello.",
			outcome{Content: "I look.\n\nHello.", Reasoning: "hm"},
		},
		"a channel unclosed": {"<|channel|>analysis<|message|>hm", outcome{Content: "<|channel|>analysis<|message|>hm"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, spoken.Habits{}, hello(), c.answer, c.want)
			expect(t, spoken.Habits{Calls: every}, hello(), c.answer, c.want)
		})
	}
}

// TestReasoningOpened reads answers of a model whose template writes the first mark.
func TestReasoningOpened(t *testing.T) {
	t.Parallel()
	h := spoken.Habits{Opened: true}
	expect(t, h, hello(), "hm</think>\nHello.", outcome{Content: "Hello.", Reasoning: "hm"})
	expect(t, h, hello(), "<think>hm</think>\nHello </think>.", outcome{Content: "Hello </think>.", Reasoning: "hm"})
	expect(t, h, hello(), " Hello.", outcome{Content: " Hello."})
}

// TestReasoningStreams wants thoughts as they come, and text as soon as they end.
func TestReasoningStreams(t *testing.T) {
	t.Parallel()
	var events []string
	r := spoken.NewReader(spoken.Habits{Calls: every}, hello(), offered(), func(e providers.StreamEvent) {
		switch e := e.(type) {
		case providers.TextDelta:
			events = append(events, "text "+e.Text)
		case providers.ReasoningDelta:
			events = append(events, "thought "+e.Text)
		}
	})
	for _, piece := range []string{"<think>one ", "two", "</think>", "Hello", " you.", " Bye"} {
		r.Emit(providers.TextDelta{Text: piece})
	}
	want := "thought one |thought two|text Hello|text  you.|text  Bye"
	if got := strings.Join(events, "|"); got != want {
		t.Errorf("events are %q, want %q", got, want)
	}
	r.Finish(&providers.LLMResponse{})
}

// TestReasoningBeside keeps the reasoning that the server told apart.
func TestReasoningBeside(t *testing.T) {
	t.Parallel()
	r := spoken.NewReader(spoken.Habits{}, nil, nil, func(providers.StreamEvent) {})
	r.Emit(providers.ReasoningDelta{Text: "a"})
	r.Emit(providers.TextDelta{Text: "<think>b</think>Hello."})
	resp := r.Finish(&providers.LLMResponse{Content: "<think>b</think>Hello.", Reasoning: "a"})
	if resp.Reasoning != "a\nb" || resp.Content != "Hello." {
		t.Errorf("answer is %+v", resp)
	}
}

// TestReasoningOpenedApart reads the text of a server that tells reasoning apart as it comes.
func TestReasoningOpenedApart(t *testing.T) {
	t.Parallel()
	shown := ""
	r := spoken.NewReader(spoken.Habits{Opened: true}, nil, nil, func(e providers.StreamEvent) {
		if text, ok := e.(providers.TextDelta); ok {
			shown += text.Text
		}
	})
	r.Emit(providers.ReasoningDelta{Text: "hm"})
	r.Emit(providers.TextDelta{Text: "Write </think> at the end."})
	if shown != "Write </think> at the end." {
		t.Errorf("shown %q before the end", shown)
	}
	r.Finish(&providers.LLMResponse{})
}
