package spoken

import "strings"

// Forms is the set of forms in which a model writes calls into its text.
type Forms uint16

// The forms, each named for the family that began it.
const (
	// Hermes is <tool_call> around JSON, around Qwen's <function=NAME> with parameters, or
	// around GLM's name with pairs of arg_key and arg_value.
	Hermes Forms = 1 << iota
	// Llama is <function=NAME>{…}</function>, or JSON behind <|python_tag|>.
	Llama
	// Mistral is [TOOL_CALLS] before a list, or before each name with [ARGS].
	Mistral
	// DeepSeek is its special tokens around names and JSON, or its DSML tags.
	DeepSeek
	// MiniMax is <minimax:tool_call> around invocations, or <tool_calls> around JSON.
	MiniMax
	// Kimi is its section of calls with ids such as functions.NAME:0.
	Kimi
	// MiniCPM is <|tool_call_start|> around calls as Python writes them.
	MiniCPM
	// Nemotron is <TOOLCALL> around a list.
	Nemotron
	// Harmony is a message of the commentary channel to functions.NAME.
	Harmony
	// Bare is one JSON object that is the whole answer and exactly a call of an offered tool.
	Bare
)

// Named gives the forms of a name, such as kinds use in their rows; none for any other.
func Named(name string) Forms {
	return map[string]Forms{
		"hermes": Hermes, "qwen": Hermes, "glm": Hermes, "llama": Llama, "mistral": Mistral, "deepseek": DeepSeek,
		"minimax": MiniMax, "kimi": Kimi, "minicpm": MiniCPM, "nemotron": Nemotron, "harmony": Harmony, "json": Bare,
	}[name]
}

// opener begins the calls of a form. Its parser gets the text behind it, up to the end of
// the answer.
type opener struct {
	text  string
	form  Forms
	parse func(*scanner) bool
}

// openers are all of them; none is the beginning of another.
func openers() []opener {
	return []opener{
		{"<tool_call>", Hermes, blocksOf("<tool_call>", "</tool_call>", hermesBlock)},
		{"<function=", Llama, blocksOf("<function=", "</function>", llamaBlock)},
		{"<|python_tag|>", Llama, pythonTag},
		{"[TOOL_CALLS]", Mistral, mistral},
		{"<｜tool▁calls▁begin｜>", DeepSeek, deepSeek},
		{dsml("<", "function_calls>"), DeepSeek, invocations("｜DSML｜", dsml("</", "function_calls>"))},
		{dsml("<", "tool_calls>"), DeepSeek, invocations("｜DSML｜", dsml("</", "tool_calls>"))},
		{"<minimax:tool_call>", MiniMax, invocations("", "</minimax:tool_call>")},
		{"<tool_calls>", MiniMax, blocksOf("<tool_calls>", "</tool_calls>", objects)},
		{"<|tool_calls_section_begin|>", Kimi, kimi},
		{"<|tool_call_start|>", MiniCPM, blocksOf("<|tool_call_start|>", "<|tool_call_end|>", pythonBlock)},
		{"<TOOLCALL>", Nemotron, blocksOf("<TOOLCALL>", "</TOOLCALL>", list)},
		{"<|channel|>commentary to=functions.", Harmony, harmony},
		{"<|start|>assistant<|channel|>commentary to=functions.", Harmony, harmony},
	}
}

func dsml(before, after string) string { return before + "｜DSML｜" + after }

// openersOf are those of some forms.
func openersOf(f Forms) []opener {
	if f == 0 {
		return nil
	}
	all := openers()
	own := all[:0]
	for _, o := range all {
		if o.form&f != 0 {
			own = append(own, o)
		}
	}
	return own
}

// begins tells which opener a text begins with; nil if none. More is true for the beginning
// of an opener.
func begins(text string, all []opener) (o *opener, more bool) {
	for i := range all {
		switch {
		case strings.HasPrefix(text, all[i].text):
			return &all[i], false
		case strings.HasPrefix(all[i].text, text):
			more = true
		}
	}
	return nil, more
}
