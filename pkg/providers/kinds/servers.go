package kinds

import "slices"

// servers are the rows of the servers.
func servers() []Kind { return slices.Concat(hosted(), makers(), local()) }

// hosted are services with models of several makers, or of families with rows of
// their own.
func hosted() []Kind {
	return []Kind{
		{
			Name: "openai", Title: "OpenAI", BaseURL: "https://api.openai.com/v1", Hosts: []string{"api.openai.com"},
			Key: "OPENAI_API_KEY", Traits: Traits{Thinking: ThinkingNever, IDs: IDsShort},
		},
		{ // it wants its reasoning_details back, which travel as they came
			Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", Hosts: []string{"openrouter.ai"},
			Key: "OPENROUTER_API_KEY", Traits: Traits{Thinking: ThinkingNever},
		},
		{ // a field that it does not know is a 400
			Name: "groq", Title: "Groq", BaseURL: "https://api.groq.com/openai/v1", Hosts: []string{"api.groq.com"},
			Key: "GROQ_API_KEY", Traits: Traits{Thinking: ThinkingNever, ToolName: true},
		},
		{ // like Groq's
			Name: "cerebras", Title: "Cerebras", BaseURL: "https://api.cerebras.ai/v1", Hosts: []string{"api.cerebras.ai"},
			Key: "CEREBRAS_API_KEY", Traits: Traits{Thinking: ThinkingNever},
		},
		{
			Name: "huggingface", Title: "Hugging Face", BaseURL: "https://router.huggingface.co/v1", Hosts: []string{"router.huggingface.co"},
			Key: "HF_TOKEN", Traits: Traits{Thinking: ThinkingNever},
		},
		{
			Name: "nvidia", Title: "NVIDIA", BaseURL: "https://integrate.api.nvidia.com/v1", Hosts: []string{"integrate.api.nvidia.com"},
			Key: "NVIDIA_API_KEY",
		},
	}
}

// makers are services of makers for their own models.
func makers() []Kind {
	return []Kind{
		{ // its thinking models take no forced call, and want every message's reasoning
			Name: "deepseek", Title: "DeepSeek", BaseURL: "https://api.deepseek.com/v1", Hosts: []string{"api.deepseek.com"},
			Key: "DEEPSEEK_API_KEY", Traits: Traits{
				Choice: ChoiceNone, Thinking: ThinkingAlways, EmptyContent: true, Images: No, Refuses: []string{"response_format"},
			},
		},
		{
			Name: "xai", Title: "xAI", BaseURL: "https://api.x.ai/v1", Hosts: []string{"api.x.ai"},
			Key: "XAI_API_KEY", Traits: Traits{Thinking: ThinkingTurn, Refuses: []string{"stop"}},
		},
		{ // a field that it does not know is a 422
			Name: "mistral", Title: "Mistral", BaseURL: "https://api.mistral.ai/v1", Hosts: []string{"api.mistral.ai"},
			Key: "MISTRAL_API_KEY", Traits: Traits{
				Refuses: []string{"stream_options", "seed", "reasoning_effort"}, Thinking: ThinkingNever, ToolName: true, IDs: IDsNine,
			},
		},
		{
			Name: "moonshot", Title: "Moonshot", BaseURL: "https://api.moonshot.ai/v1", Hosts: []string{"api.moonshot.ai", "api.moonshot.cn"},
			Key: "MOONSHOT_API_KEY", Traits: Traits{
				Choice: ChoiceNone, Refuses: []string{"temperature", "top_p"}, Thinking: ThinkingAlways, ToolName: true,
			},
		},
		{
			Name: "minimax", Title: "MiniMax", BaseURL: "https://api.minimax.io/v1", Hosts: []string{"api.minimax.io", "api.minimaxi.com"},
			Key: "MINIMAX_API_KEY", Traits: Traits{
				MaxTokens: "max_completion_tokens", Refuses: []string{"seed", "stop", "reasoning_effort"}, Choice: ChoiceUnsent,
				Thinking: ThinkingGiven, ThinkingField: FieldTag,
			},
		},
		{
			Name: "qwen", Title: "Alibaba Model Studio", BaseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
			Hosts: []string{"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"},
			Key:   "DASHSCOPE_API_KEY", Traits: Traits{Choice: ChoiceNone, EmptyContent: true},
		},
		{
			Name: "zai", Title: "Z.ai", BaseURL: "https://api.z.ai/api/paas/v4", Hosts: []string{"api.z.ai", "open.bigmodel.cn"},
			Key: "ZAI_API_KEY", Traits: Traits{Choice: ChoiceAuto, Thinking: ThinkingTurn, EmptyContent: true, Refuses: []string{"response_format"}},
		},
	}
}

// local are programs that the operator starts.
func local() []Kind {
	return []Kind{
		{ // it overlooks tool_choice
			Name: "ollama", Title: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Hosts: []string{":11434", "ollama.com"}, Local: true,
			Traits: Traits{Choice: ChoiceAuto, ThinkingField: FieldReasoning, ToolName: true},
		},
		{
			Name: "llamacpp", Title: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1", Hosts: []string{":8080"}, Local: true,
			Traits: Traits{
				Thinking: ThinkingTurn, Choice: ChoiceRequired, Spoken: []Form{FormHermes, FormJSON}, Grammar: true,
			},
		},
		{
			Name: "lmstudio", Title: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1", Hosts: []string{":1234"}, Local: true,
			Traits: Traits{Choice: ChoiceRequired, Thinking: ThinkingNever, Spoken: []Form{FormHermes, FormJSON}},
		},
		{ // started without a parser for its model, it passes calls on as text
			Name: "vllm", Title: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", Hosts: []string{":8000"}, Local: true,
			Traits: Traits{Spoken: []Form{FormHermes, FormJSON}},
		},
		{
			Name: "sglang", Title: "SGLang", BaseURL: "http://127.0.0.1:30000/v1", Hosts: []string{":30000"}, Local: true,
			Traits: Traits{Spoken: []Form{FormHermes, FormJSON}},
		},
	}
}
