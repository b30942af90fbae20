package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// TestEffortIsRefused asks servers that do not know reasoning_effort, or not for the model:
// they are asked again at once without it, and not told again.
func TestEffortIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		message string
		asked   int // for two questions
	}{
		"OpenAI":                 {"Unrecognized request argument supplied: reasoning_effort", 3},
		"an effort it lacks":     {"Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model.", 3},
		"Groq":                   {"reasoning_effort is not supported with this model", 3},
		"a strict host":          {"body.reasoning_effort: Extra inputs are not permitted", 3},
		"Ollama":                 {`"llama3.2" does not support thinking`, 3},
		"Ollama, another effort": {`invalid think value: "xhigh"`, 3},
		"something else":         {"your account is not active", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakemodel.New(fakemodel.Options{Script: func(r fakemodel.Request) fakemodel.Answer {
				if strings.Contains(string(r.Body), `"reasoning_effort":"xhigh"`) {
					return fakemodel.Fail(http.StatusBadRequest, "invalid_request_error", c.message)
				}
				return fakemodel.Say("fine")
			}})
			t.Cleanup(srv.Close)
			p := openai.New(openai.Options{BaseURL: srv.URL()})
			t.Cleanup(p.Close)
			for range 2 {
				resp, err := p.Chat(t.Context(), providertest.Question(), nil, "m", map[string]any{"reasoning_effort": "xhigh"})
				if learnt := err == nil && resp.Content == "fine"; learnt != (c.asked == 3) {
					t.Fatalf("%+v, %v", resp, err)
				}
			}
			if n := len(srv.Requests()); n != c.asked {
				t.Errorf("%d requests, want %d", n, c.asked)
			}
		})
	}
}
