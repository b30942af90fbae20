package kinds_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers/kinds"
)

// TestOf finds the rows of servers and models as people configure them.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, url, model, server, family string }{
		{"", "https://api.openai.com/v1", "gpt-5-mini", "openai", "gpt-5"},
		{"", "https://api.openai.com/v1", "gpt-4.1-nano", "openai", "gpt-4.1"},
		{"", "https://api.openai.com/v1", "o4-mini", "openai", "o-series"},
		{"", "https://api.openai.com/v1", "olmo-3", "openai", ""},
		{"", "https://API.OpenAI.com/v1/", "chatgpt-4o-latest", "openai", "gpt-4o"},
		{"", "https://openrouter.ai/api/v1", "openai/gpt-5.4-nano", "openrouter", "gpt-5"},
		{"", "https://openrouter.ai/api/v1", "moonshotai/kimi-k2.5", "openrouter", "kimi-2.5"},
		{"", "https://openrouter.ai/api/v1", "qwen/qwen3-vl-8b:free", "openrouter", "qwen-vl"},
		{"", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b", "groq", "gpt-oss"},
		{"", "https://api.deepseek.com", "deepseek-reasoner", "deepseek", "deepseek"},
		{"", "https://api.x.ai/v1", "grok-4-fast", "xai", "grok-fast"},
		{"", "https://api.x.ai/v1", "grok-code-fast-1", "xai", "grok-code"},
		{"", "https://api.mistral.ai/v1", "magistral-medium-latest", "mistral", "mistral"},
		{"", "https://router.huggingface.co/v1", "moonshotai/Kimi-K2-Instruct-0905:groq", "huggingface", "kimi"},
		{"", "https://api.z.ai/api/coding/paas/v4", "glm-4.7-flash", "zai", "glm"},
		{"", "http://127.0.0.1:11434/v1", "minicpm-v:8b", "ollama", "minicpm-v"},
		{"", "http://gpu.lan:8000/v1", "openbmb/MiniCPM4.1-8B", "vllm", "minicpm"},
		{"", "http://localhost:8080/v1", "/models/Qwen3-8B-Q4_K_M.gguf", "llamacpp", "qwen"},
		{"", "http://localhost:30000/v1", "nvidia/Llama-3.1-Nemotron-70B", "sglang", "nemotron"},
		{"", "http://localhost:1234/v1", "agentcpm-explore", "lmstudio", "openbmb"},
		{"", "https://api.avian.io/v1", "moonshotai/kimi-k2.5", "", "kimi-2.5"},
		{"", "https://openai.com.example.org/v1", "mine", "", ""},
		{"", "https://notapi.openai.com/v1", "mine", "", ""},
		{"", "", "", "", ""},
		{"", "::", "hf.co/NousResearch/Hermes-3-Llama-3.1-8B-GGUF:Q4", "", "hermes"},
		{"vllm", "http://gpu.lan:9999/v1", "prod", "vllm", ""},
		{"qwen", "http://gpu.lan:9999/v1", "prod", "qwen", "qwen"}, // server and family of one name
		{"kimi", "http://localhost:8000/v1", "prod", "vllm", "kimi"},
		{"ollama", "https://api.openai.com/v1", "gpt-4o", "ollama", "gpt-4o"},
	} {
		got, ok := kinds.Of(c.kind, c.url, c.model)
		if !ok || got.Server != c.server || got.Family != c.family {
			t.Errorf("Of(%q, %q, %q) = %q and %q, %v; want %q and %q", c.kind, c.url, c.model, got.Server, got.Family, ok, c.server, c.family)
		}
	}
	if got, ok := kinds.Of("chatgpt", "https://api.openai.com/v1", "gpt-4o"); ok || got.Server != "" {
		t.Errorf("an unknown kind gives %+v, %v", got, ok)
	}
	if got, _ := kinds.Of("", "https://llm.example.org/v1", "mine"); !cmp.Equal(got, kinds.Match{}) {
		t.Errorf("a stranger's traits are %+v, want the protocol's own", got)
	}
}

// TestJoin looks at traits of which server and family both have a say.
func TestJoin(t *testing.T) {
	t.Parallel()
	of := func(kind, url, model string) kinds.Traits {
		m, ok := kinds.Of(kind, url, model)
		if !ok {
			t.Errorf("there is no kind %q", kind)
		}
		return m.Traits
	}
	if got := of("groq", "", "openai/gpt-oss-120b").Thinking; got != kinds.ThinkingNever {
		t.Errorf("Groq gets the reasoning back %q, although it refuses the field", got)
	}
	if got := of("", "", "openai/gpt-oss-120b").Thinking; got != kinds.ThinkingTurn {
		t.Errorf("gpt-oss on an unknown server gets its reasoning %q", got)
	}
	if got := of("ollama", "", "qwen3:8b"); got.ThinkingField != kinds.FieldReasoning || got.Thinking != kinds.ThinkingTurn {
		t.Errorf("Qwen on Ollama: %q in %q", got.Thinking, got.ThinkingField)
	}
	if got := of("mistral", "", "pixtral-12b"); got.Images != kinds.Yes || got.IDs != kinds.IDsNine {
		t.Errorf("Pixtral: %+v", got)
	}
	if got := of("deepseek", "", "qwen3-vl").Images; got != kinds.No {
		t.Errorf("a server without pictures takes them: %q", got)
	}
	qwen := of("llamacpp", "", "qwen3-8b")
	if qwen.Context != 0 || !slices.Contains(qwen.Spoken, kinds.FormQwen) || !slices.Contains(qwen.Spoken, kinds.FormJSON) {
		t.Errorf("Qwen on llama.cpp: %+v", qwen)
	}
	if got := of("openrouter", "", "qwen3-8b").Context; got == 0 {
		t.Error("a hosted model has no context size")
	}
	if got := of("xai", "", "grok-code-fast-1").Refuses; !slices.Contains(got, "stop") || !slices.Contains(got, "reasoning_effort") {
		t.Errorf("Grok Code refuses %q", got)
	}
	if !kinds.Choice("").Takes(kinds.ChoiceNamed) || kinds.ChoiceAuto.Takes(kinds.ChoiceNone) || kinds.ChoiceUnsent.Takes(kinds.ChoiceAuto) {
		t.Error("the forms of tool_choice are out of order")
	}
}

// TestRows checks the table itself: every server and family that people were promised,
// unique names, and rows that can be found.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"openai", "openrouter", "groq", "deepseek", "xai", "mistral", "vllm", "sglang", "ollama", "llamacpp", "lmstudio",
		"huggingface", "zai", "minicpm", "nemotron", "openbmb", "qwen", "minimax", "kimi",
	} {
		if !slices.Contains(kinds.Names(), name) {
			t.Errorf("there is no row %s", name)
		}
	}
	seen := map[string]bool{}
	for _, k := range kinds.All() {
		key := k.Name + " of servers"
		if len(k.Models) > 0 {
			key = k.Name + " of families"
		}
		if seen[key] {
			t.Errorf("two rows are named %s", key)
		}
		seen[key] = true
		if k.Title == "" || k.Name != strings.ToLower(k.Name) || (len(k.Hosts) == 0) == (len(k.Models) == 0) {
			t.Errorf("row %+v is neither a server's nor a family's", k)
		}
		if k.BaseURL != "" {
			if m, _ := kinds.Of("", k.BaseURL, ""); m.Server != k.Name {
				t.Errorf("%s is not found by its own address %s, but %q", k.Name, k.BaseURL, m.Server)
			}
		}
		for _, pattern := range k.Models {
			name := "vendor/" + strings.TrimPrefix(pattern, "*")
			if m, _ := kinds.Of("", "", name); m.Family != k.Name {
				t.Errorf("%s is not found by its own model %s, but %q: an earlier row covers it", k.Name, name, m.Family)
			}
		}
	}
}
