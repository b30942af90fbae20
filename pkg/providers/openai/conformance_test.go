package openai_test

import (
	"net/http"
	"testing"
	"time"

	"parley/internal/test/cassette"
	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	answers := map[providertest.Behaviour]fakemodel.Answer{
		providertest.Answers: fakemodel.Say("well, hello"),
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
	providertest.Run(t, func(t *testing.T, b providertest.Behaviour) providers.LLMProvider {
		t.Helper()
		if b == providertest.Unreachable {
			return openai.New(openai.Options{BaseURL: "http://127.0.0.1:1/v1", ConnectTimeout: 5 * time.Second})
		}
		s := serve(t, func(r fakemodel.Request) fakemodel.Answer {
			if b == providertest.FailsLate && !r.Stream { // the same, as such servers say it without a stream
				return fakemodel.Answer{Fault: fakemodel.Fault{
					Body: `{"error":{"message":"Provider returned error","code":502},"choices":[]}`, ContentType: "application/json",
				}}
			}
			return answers[b]
		})
		return provider(t, s.URL())
	})
}

func TestConformanceOverHTTP(t *testing.T) {
	t.Parallel()
	suite := cassette.Suite(cassette.OpenAI)
	suite.Connect = func(t *testing.T, s providertest.Server) providers.LLMProvider {
		t.Helper()
		return provider(t, s.URL+"/v1", func(o *openai.Options) {
			o.Key, o.Images, o.Transport = func() string { return s.Key }, s.Images, s.Transport
		})
	}
	providertest.RunHTTP(t, suite)
}

// serve starts a fake model server that ends with the test.
func serve(t *testing.T, script func(fakemodel.Request) fakemodel.Answer) *fakemodel.Server {
	t.Helper()
	s := fakemodel.New(fakemodel.Options{Script: script})
	t.Cleanup(s.Close)
	return s
}

// provider makes a provider; its connections end with the test.
func provider(t *testing.T, url string, change ...func(*openai.Options)) *openai.Provider {
	t.Helper()
	o := openai.Options{BaseURL: url}
	for _, c := range change {
		c(&o)
	}
	p := openai.New(o)
	t.Cleanup(p.Close)
	return p
}
