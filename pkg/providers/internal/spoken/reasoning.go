package spoken

import "strings"

// tag is a pair of marks around reasoning.
type tag struct{ open, close string }

// tags are the marks with which models begin to think aloud.
func tags() []tag {
	const start = "<|start|>assistant"
	return []tag{
		{"<think>", "</think>"},
		{"<thinking>", "</thinking>"},
		{"<thought>", "</thought>"},
		{"<reasoning>", "</reasoning>"},
		{"<seed:think>", "</seed:think>"},
		{"[THINK]", "[/THINK]"},
		{"◁think▷", "◁/think▷"},
		{"<|thought_start|>", "<|thought_end|>"},
		{"<|START_THINKING|>", "<|END_THINKING|>"},
		{"<|channel>thought\n", "<channel|>"},
		{"<|channel|>analysis<|message|>", "<|end|>"},
		{start + "<|channel|>analysis<|message|>", "<|end|>"},
	}
}

// messageMarks begin a text for the person in an answer that is made of channels.
func messageMarks() []string {
	const start = "<|start|>assistant"
	return []string{
		"<|channel|>final<|message|>", start + "<|channel|>final<|message|>",
		"<|channel|>commentary<|message|>", start + "<|channel|>commentary<|message|>",
	}
}

// endMarks end such a text.
func endMarks() []string { return []string{"<|return|>", "<|end|>"} }

// maxMark is more than the length of each mark.
const maxMark = 64

// opening is how a text begins.
type opening struct {
	// think is the tag that it begins with.
	think *tag
	// skip is the length of a mark that it begins with.
	skip int
	// more is true for a text that may yet become either.
	more bool
}

// opens says how a text without leading space begins.
func opens(text string) opening {
	var o opening
	if text == "" {
		return opening{more: true}
	}
	if strings.IndexByte("<[\xe2", text[0]) < 0 { // the last one begins Kimi's marks
		return o
	}
	for _, t := range tags() {
		if strings.HasPrefix(text, t.open) {
			return opening{think: &t}
		}
		o.more = o.more || strings.HasPrefix(t.open, text)
	}
	for _, m := range messageMarks() {
		if strings.HasPrefix(text, m) {
			return opening{skip: len(m)}
		}
		o.more = o.more || strings.HasPrefix(m, text)
	}
	return o
}

// partial is the length of the longest end of text that mark begins with, and that is not
// the whole mark.
func partial(text []byte, mark string) int {
	for n := min(len(mark)-1, len(text)); n > 0; n-- {
		if string(text[len(text)-n:]) == mark[:n] {
			return n
		}
	}
	return 0
}
