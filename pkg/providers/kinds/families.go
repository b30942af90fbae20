package kinds

import "slices"

// Sizes of contexts, in tokens.
const (
	tokens32K  = 32 << 10
	tokens128K = 128 << 10
	tokens192K = 192 << 10
	tokens200K = 200_000
	tokens256K = 256 << 10
	tokens400K = 400_000
	tokens1M   = 1 << 20
	tokens2M   = 2_000_000
)

// families are the rows of the model families. The first one that fits counts, so the
// narrower name comes first.
func families() []Kind { return slices.Concat(famous(), open()) }

// famous are the families whose weights are kept, and those close to them.
func famous() []Kind {
	thinker := Traits{ // OpenAI's reasoning models
		MaxTokens: "max_completion_tokens", Refuses: []string{"temperature", "top_p", "stop"}, Images: Yes, Context: tokens200K,
	}
	gpt5 := thinker
	gpt5.Context = tokens400K
	return []Kind{
		{Name: "gpt-5", Title: "GPT-5", Models: []string{"gpt-5"}, Traits: gpt5},
		{Name: "o-series", Title: "o1, o3, o4", Models: []string{"o1", "o3", "o4"}, Traits: thinker},
		{Name: "gpt-oss", Title: "gpt-oss", Models: []string{"gpt-oss"}, Traits: Traits{
			Thinking: ThinkingTurn, Spoken: []Form{FormHarmony}, Images: No, Context: tokens128K,
		}},
		{Name: "gpt-4.1", Title: "GPT-4.1", Models: []string{"gpt-4.1"}, Traits: Traits{
			Images: Yes, Context: tokens1M,
		}},
		{Name: "gpt-4o", Title: "GPT-4o", Models: []string{"gpt-4o", "chatgpt-4o"}, Traits: Traits{
			Images: Yes, Context: 128_000,
		}},
		{Name: "claude", Title: "Claude", Models: []string{"claude"}, Traits: Traits{
			Images: Yes, Context: tokens200K,
		}},
		{Name: "gemini", Title: "Gemini", Models: []string{"gemini"}, Traits: Traits{
			Images: Yes, Context: tokens1M,
		}},
		{ // they were not taught to call tools
			Name: "gemma", Title: "Gemma 2 and 3", Models: []string{"gemma2", "gemma-2", "gemma3", "gemma-3"},
			Traits: Traits{ToolMode: "json_schema", ByTurns: true, Context: tokens128K},
		},
		{Name: "grok-fast", Title: "Grok Fast", Models: []string{"grok-4-fast", "grok-4-1-fast", "grok-4.1-fast"}, Traits: Traits{
			Refuses: []string{"reasoning_effort"}, Images: Yes, Context: tokens2M,
		}},
		{Name: "grok-code", Title: "Grok Code", Models: []string{"grok-code"}, Traits: Traits{
			Refuses: []string{"reasoning_effort"}, Images: No, Context: tokens256K,
		}},
		{Name: "grok", Title: "Grok", Models: []string{"grok"}, Traits: Traits{Context: tokens128K}},
	}
}

// open are the families that anyone may run.
func open() []Kind {
	return []Kind{
		{Name: "hermes", Title: "Hermes", Models: []string{"*hermes"}, Traits: Traits{
			Spoken: []Form{FormHermes}, Images: No, Context: tokens128K,
		}},
		{Name: "nemotron", Title: "Nemotron", Models: []string{"*nemotron"}, Traits: Traits{
			Spoken: []Form{FormHermes, FormQwen, FormNemotron, FormJSON}, Context: tokens128K,
		}},
		{Name: "deepseek-r1", Title: "DeepSeek R1", Models: []string{"*deepseek-r1"}, Traits: Traits{
			Spoken: []Form{FormDeepSeek}, Opened: true, Images: No, Context: tokens128K,
		}},
		{Name: "deepseek", Title: "DeepSeek", Models: []string{"*deepseek"}, Traits: Traits{
			Spoken: []Form{FormDeepSeek}, Images: No, Context: tokens128K,
		}},
		{Name: "kimi-2.5", Title: "Kimi K2.5 and later", Models: []string{"kimi-k2.5", "kimi-k2.6", "kimi-k2.7"}, Traits: Traits{
			Refuses: []string{"temperature", "top_p"}, Thinking: ThinkingGiven, Spoken: []Form{FormKimi}, Images: Yes, Context: tokens256K,
		}},
		{Name: "kimi", Title: "Kimi", Models: []string{"kimi", "moonshot"}, Traits: Traits{
			Thinking: ThinkingTurn, Spoken: []Form{FormKimi}, Images: No, Context: tokens128K,
		}},
		{Name: "minimax", Title: "MiniMax", Models: []string{"minimax"}, Traits: Traits{
			Thinking: ThinkingGiven, ThinkingField: FieldTag, Spoken: []Form{FormMiniMax}, Images: No, Context: tokens192K,
		}},
		{Name: "minicpm-v", Title: "MiniCPM-V and -o", Models: []string{"minicpm-v", "minicpm-o", "minicpm_v", "minicpm_o"}, Traits: Traits{
			Spoken: []Form{FormHermes, FormJSON}, Images: Yes, Context: tokens32K,
		}},
		{Name: "minicpm", Title: "MiniCPM", Models: []string{"minicpm"}, Traits: Traits{
			Spoken: []Form{FormHermes, FormMiniCPM, FormJSON}, Images: No, Context: tokens32K,
		}},
		{Name: "openbmb", Title: "OpenBMB's others", Models: []string{"agentcpm", "cpm-", "openbmb"}, Traits: Traits{
			Spoken: []Form{FormHermes, FormMiniCPM, FormJSON}, Images: No, Context: tokens32K,
		}},
		{Name: "qwen-vl", Title: "Qwen-VL", Models: []string{"qwen-vl", "qwen2-vl", "qwen2.5-vl", "qwen2.5vl", "qwen3-vl", "qvq"}, Traits: Traits{
			Spoken: []Form{FormHermes}, Images: Yes, Context: tokens128K,
		}},
		{Name: "qwq", Title: "QwQ", Models: []string{"qwq"}, Traits: Traits{
			Thinking: ThinkingTurn, Spoken: []Form{FormHermes}, Opened: true, Images: No, Context: tokens128K,
		}},
		{Name: "qwen", Title: "Qwen", Models: []string{"qwen"}, Traits: Traits{
			Thinking: ThinkingTurn, Spoken: []Form{FormHermes, FormQwen}, Context: tokens128K,
		}},
		{Name: "glm", Title: "GLM", Models: []string{"glm", "chatglm"}, Traits: Traits{
			Thinking: ThinkingTurn, Spoken: []Form{FormGLM}, Context: tokens128K,
		}},
		{Name: "pixtral", Title: "Pixtral", Models: []string{"pixtral"}, Traits: Traits{
			IDs: IDsNine, ByTurns: true, Images: Yes, Context: tokens128K,
		}},
		{Name: "mistral", Title: "Mistral's models", Models: []string{
			"mistral", "ministral", "mixtral", "magistral", "devstral", "codestral",
		}, Traits: Traits{IDs: IDsNine, ByTurns: true, Spoken: []Form{FormMistral}, Context: tokens128K}},
		{Name: "llama", Title: "Llama", Models: []string{"llama", "meta-llama"}, Traits: Traits{
			Spoken: []Form{FormLlama, FormJSON}, Context: tokens128K,
		}},
	}
}
