package toolmode_test

import (
	"net/http"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
	"parley/pkg/providers/toolmode"
)

// TestConformance runs the suite of all providers against a server without tools, in each
// mode that can use tools there.
func TestConformance(t *testing.T) {
	t.Parallel()
	answers := map[providertest.Behaviour]fakemodel.Answer{
		providertest.Answers: fakemodel.Say("well, hello\n\"you\" \u00e9\U0001f600"),
		providertest.CallsTools: fakemodel.Calls(
			providers.ToolCall{Name: "probe", RawArguments: `{"n":1}`}, providers.ToolCall{Name: "probe", RawArguments: `{"n":2}`}),
		providertest.RateLimited: fakemodel.RateLimited("7"),
		providertest.Overloaded:  fakemodel.Fail(529, "overloaded_error", "Overloaded"),
		providertest.OutOfQuota:  fakemodel.OutOfQuota(),
		providertest.BadKey:      fakemodel.Fail(http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided"),
		providertest.TooLong: fakemodel.Fail(http.StatusBadRequest,
			"context_length_exceeded", "This model's maximum context length is 8192 tokens"),
		providertest.Cuts:   {LLMResponse: providers.LLMResponse{Content: "half an answer"}, Fault: fakemodel.Fault{Cut: 120}},
		providertest.Silent: {Fault: fakemodel.Fault{Silence: true}},
	}
	late := fakemodel.Say("half an answer")
	late.Fault = fakemodel.Fault{ErrorFrame: true, Code: "server_error", Message: "The server had an error"}
	answers[providertest.FailsLate] = late
	whole := fakemodel.Answer{Fault: fakemodel.Fault{ // as such servers say it without a stream
		Body: `{"error":{"message":"Provider returned error","code":502},"choices":[]}`, ContentType: "application/json",
	}}
	for _, mode := range []toolmode.Mode{toolmode.JSONSchema, toolmode.Auto} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			providertest.Run(t, func(t *testing.T, b providertest.Behaviour) providers.LLMProvider {
				t.Helper()
				if b == providertest.Unreachable {
					p := openai.New(openai.Options{BaseURL: "http://127.0.0.1:1/v1", ConnectTimeout: 5 * time.Second})
					return toolmode.New(p, toolmode.Options{Mode: mode})
				}
				answer, known := answers[b]
				if !known {
					return nil
				}
				p, s := serve(t, mode, func(r fakemodel.Request) fakemodel.Answer {
					if b == providertest.FailsLate && !r.Stream {
						return whole
					}
					return answer
				})
				t.Cleanup(func() {
					if v := s.Violations(); len(v) > 0 {
						t.Errorf("violations: %q", v)
					}
				})
				return p
			})
		})
	}
}
