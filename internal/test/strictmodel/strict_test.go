package strictmodel_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/strictmodel"
)

// TestServersAreStrict puts one legal conversation and its spoilt forms to each wire.
func TestServersAreStrict(t *testing.T) {
	t.Parallel()
	anthropic := `{"model":"m","max_tokens":4096,"messages":[{"role":"user","content":"q"},
		{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"r"}]}]}`
	gemini := `{"contents":[{"role":"user","parts":[{"text":"q"}]},
		{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},
		{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"r":1}}}]}]}`
	openai := `{"model":"m","messages":[{"role":"user","content":"q"},
		{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"1","content":"r"}]}`
	legal := map[strictmodel.Wire]string{
		strictmodel.Anthropic: anthropic, strictmodel.Gemini: gemini, strictmodel.OpenAI: openai, strictmodel.Llama: openai,
	}
	type spoilt struct {
		wire strictmodel.Wire
		// old is replaced by instead, everywhere; "" leaves the conversation as it is.
		old, instead string
		why          string
	}
	a, g := strictmodel.Anthropic, strictmodel.Gemini
	for name, c := range map[string]spoilt{
		"anthropic": {wire: a}, "gemini": {wire: g}, "openai": {wire: strictmodel.OpenAI}, "llama": {wire: strictmodel.Llama},
		"anthropic, no limit":         {a, `"max_tokens":4096,`, ``, "max_tokens"},
		"anthropic, no result":        {a, `"tool_result"`, `"text","text":"t"`, "extra inputs"},
		"anthropic, text first":       {a, `{"type":"tool_result"`, `{"type":"text","text":"t"},{"type":"tool_result"`, "not in front"},
		"anthropic, result elsewhere": {a, `{"role":"user","content":[`, `{"role":"user","content":"t"},{"role":"user","content":[`, "no tool_result"},
		"anthropic, foreign id":       {a, "toolu_1", "functions.f:0", "tool_use id"},
		"anthropic, unknown field":    {a, `"input"`, `"index":1,"input"`, "unknown field"},
		"anthropic, another's field":  {a, `"input"`, `"text":"x","input"`, "extra inputs"},
		"anthropic, foreign thoughts": {
			a, `{"type":"tool_use"`, `{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use"`, "invalid signature",
		},
		"anthropic, thinking without thoughts": {
			a, `4096,`, `4096,"thinking":{"type":"enabled","budget_tokens":1024},`, "must start with a thinking block",
		},
		"anthropic, blank text":    {a, `"q"`, `" "`, "non-whitespace"},
		"gemini, no signature":     {g, `,"thoughtSignature":"skip_thought_signature_validator"`, ``, "missing a thought_signature"},
		"gemini, signature of old": {g, `skip_thought_signature_validator`, "c2lnbmVk", "not valid"},
		"gemini, no response":      {g, `"functionResponse":{"name":"f","response":{"r":1}}`, `"text":"t"`, "number of function response parts"},
		"gemini, two responses": {
			g, `{"functionResponse"`, `{"functionResponse":{"name":"f","response":{}}},{"functionResponse"`, "number of function response parts",
		},
		"gemini, other id":   {g, `"name":"f","response"`, `"id":"x","name":"f","response"`, "does not answer the call"},
		"gemini, role":       {g, `"model"`, `"assistant"`, "valid role"},
		"gemini, empty part": {g, `{"text":"q"}`, `{}`, "oneof"},
		"gemini, keyword": {
			g, `{"contents"`,
			`{"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","additionalProperties":false}}]}],"contents"`,
			"additionalProperties",
		},
		"openai, foreign field": {strictmodel.OpenAI, `"tool_calls"`, `"thinking":"t","tool_calls"`, "thinking"},
		"llama, no result":      {strictmodel.Llama, `"role":"tool","tool_call_id":"1",`, `"role":"user",`, "no result"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.old == "" {
				c.old = "\x00"
			}
			s := strictmodel.New(c.wire, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("fine") })
			path := map[strictmodel.Wire]string{
				strictmodel.Anthropic: "/v1/messages", strictmodel.Gemini: "/v1beta/models/m:generateContent",
			}[c.wire]
			if path == "" {
				path = "/v1/chat/completions"
			}
			body := strings.NewReader(strings.ReplaceAll(legal[c.wire], c.old, c.instead))
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, body)
			r.Header.Set("Anthropic-Version", "2023-06-01")
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			said := fmt.Sprint(s.Violations())
			if c.why == "" && (w.Code != http.StatusOK || said != "[]" || !strings.Contains(w.Body.String(), "fine")) {
				t.Errorf("%d %s, %s", w.Code, w.Body, said)
			}
			if c.why != "" && (w.Code != http.StatusBadRequest || !strings.Contains(said, c.why)) {
				t.Errorf("%d, %s; want a violation: %s", w.Code, said, c.why)
			}
		})
	}
}
