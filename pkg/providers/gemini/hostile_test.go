package gemini_test

import (
	"testing"

	"parley/pkg/providers/gemini"
	"parley/pkg/providers/providertest"
)

// TestOddDataBesideAnAnswer: the answer counts, in whatever form the data beside it comes.
func TestOddDataBesideAnAnswer(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{`null`, `"x"`, `[]`, `[1]`, `{"a":{}}`, `true`, `-3`, `1.5`, `1e400`} {
		url := listen(t, func(request) string {
			return `{"candidates":[{"index":"0","content":{"parts":[{"text":"hello"}]},"finishReason":"STOP","finishMessage":` + odd +
				`}],"modelVersion":` + odd + `,"usageMetadata":{"promptTokenCount":"7","candidatesTokenCount":2.0,"totalTokenCount":` + odd + `}}`
		})
		p := gemini.New(gemini.Options{BaseURL: url})
		t.Cleanup(p.Close)
		resp, err := p.ChatStream(t.Context(), providertest.Question(), nil, "gemini-x", nil, nil)
		if err != nil || resp.Content != "hello" {
			t.Errorf("with %s: %+v, %v", odd, resp, err)
		} else if u := resp.Usage; u.PromptTokens != 7 || u.CompletionTokens != 2 || u.TotalTokens < 0 {
			t.Errorf("with %s: %+v, %v", odd, resp, err)
		}
	}
}
