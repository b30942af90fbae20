package kindserver

import "regexp"

// rule is the manner of one server or family.
type rule struct {
	limit   string   // the only name that the limit of an answer may have
	refused []string // fields of a request that are refused
	fields  []string // fields that a message may have besides OpenAI's
	closed  bool     // any other field of a message is refused
	choices []string // values of tool_choice that are taken; others are refused
	ignores bool     // tool_choice is overlooked
	ids     *regexp.Regexp
	// thought names the field that every message of the model, or every one with calls,
	// needs once a request has tools.
	thought     string
	thoughtCall bool
	content     bool // a message with calls alone needs a content
	blind       bool // a picture is refused
	turns       bool // the person and the model take turns
	toolless    bool // tools are refused; an answer follows the schema of response_format

	whole    bool // a call comes in one frame
	unnumber bool // without index
	// field has the reasoning of an answer. "<think>" puts it into the content, "</think>"
	// without its beginning, and "parts" as a part of it.
	field  string
	spoken string // the form in which calls stand in the content, because the server has no parser for them
	status int    // of a refusal, 400 if 0
}

// serverRules are those of the servers; a row without one is as OpenAI's protocol has it.
func serverRules() map[string]rule {
	short := regexp.MustCompile(`^.{1,40}$`)
	nine := regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
	weak := []string{"auto", "none"}
	words := []string{"auto", "none", "required"}
	return map[string]rule{
		"openai":     {ids: short, closed: true},
		"openrouter": {field: "reasoning", fields: []string{"reasoning_details"}},
		"cerebras":   {closed: true},
		"groq":       {closed: true, whole: true, field: "reasoning"},
		"deepseek":   {choices: weak, thought: "reasoning_content", content: true, blind: true, field: "reasoning_content"},
		"xai":        {whole: true, refused: []string{"stop"}, field: "reasoning_content"},
		"mistral": {
			closed: true, ids: nine, whole: true, status: 422, field: "parts",
			refused: []string{"stream_options", "seed", "reasoning_effort", "max_completion_tokens"},
		},
		"moonshot": {
			choices: weak, refused: []string{"temperature", "top_p"},
			thought: "reasoning_content", thoughtCall: true, field: "reasoning_content",
		},
		"minimax": {
			limit:   "max_completion_tokens",
			refused: []string{"seed", "stop", "reasoning_effort", "tool_choice"}, field: "<think>",
		},
		"qwen":        {choices: weak, content: true, field: "reasoning_content"},
		"zai":         {choices: []string{"auto"}, limit: "max_tokens", content: true, whole: true, field: "reasoning_content"},
		"huggingface": {whole: true},
		"ollama":      {ignores: true, whole: true, field: "reasoning"},
		"llamacpp":    {choices: words, field: "reasoning_content"},
		"lmstudio":    {choices: words},
		"vllm":        {field: "reasoning_content"},
		"sglang":      {unnumber: true, whole: true, field: "reasoning_content"},
	}
}

// familyRules are those of the families, on a server of OpenAI's protocol.
func familyRules() map[string]rule {
	short := regexp.MustCompile(`^.{1,40}$`)
	nine := regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
	sampling := []string{"temperature", "top_p", "stop"}
	return map[string]rule{
		"gpt-5":    {limit: "max_completion_tokens", refused: sampling, closed: true, ids: short},
		"o-series": {limit: "max_completion_tokens", refused: sampling, closed: true, ids: short},
		"kimi-2.5": {
			refused: []string{"temperature", "top_p"}, spoken: "kimi",
			thought: "reasoning_content", thoughtCall: true, field: "reasoning_content",
		},
		"gpt-oss":     {field: "reasoning_content"},
		"mistral":     {ids: nine, spoken: "mistral", turns: true},
		"pixtral":     {ids: nine, turns: true},
		"minimax":     {field: "<think>", spoken: "minimax"},
		"gemma":       {toolless: true, turns: true},
		"hermes":      {spoken: "hermes"},
		"nemotron":    {field: "<think>", spoken: "nemotron"},
		"deepseek-r1": {field: "</think>", spoken: "deepseek"},
		"deepseek":    {field: "<think>", spoken: "deepseek", blind: true},
		"kimi":        {spoken: "kimi"},
		"minicpm-v":   {field: "<think>", spoken: "hermes"},
		"minicpm":     {field: "<think>", spoken: "minicpm"},
		"openbmb":     {spoken: "hermes"},
		"qwen-vl":     {spoken: "hermes"},
		"qwq":         {field: "</think>", spoken: "hermes"},
		"qwen":        {field: "<think>", spoken: "qwen"},
		"glm":         {field: "<think>", spoken: "glm"},
		"llama":       {spoken: "llama"},
	}
}
