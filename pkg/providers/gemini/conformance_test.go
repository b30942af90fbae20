package gemini_test

import (
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakegemini"
	"parley/pkg/providers"
	"parley/pkg/providers/gemini"
	"parley/pkg/providers/providertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	half := fakegemini.Frame(fakegemini.Text("half an answer"), "")
	replies := map[providertest.Behaviour]fakegemini.Reply{
		providertest.Answers:    fakegemini.Say("well, hello"),
		providertest.CallsTools: fakegemini.Ends("STOP", fakegemini.Call("", "probe", `{"n":1}`), fakegemini.Call("", "probe", `{"n":2}`)),
		providertest.RateLimited: fakegemini.Failure(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).",
			retryInfo("7s")),
		providertest.Overloaded: fakegemini.Failure(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
		providertest.OutOfQuota: fakegemini.Failure(429, "RESOURCE_EXHAUSTED",
			"You exceeded your current quota, please check your plan and billing details.",
			quotaFailure("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), retryInfo("37s")),
		providertest.BadKey: fakegemini.Failure(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
		providertest.TooLong: fakegemini.Failure(400, "INVALID_ARGUMENT",
			"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
		providertest.Cuts: {Frames: []string{half, fakegemini.Frame("", "STOP")}, Cut: len(half)},
		providertest.FailsLate: {Frames: []string{
			half, `{"error":{"code":500,"message":"An internal error has occurred.","status":"INTERNAL"}}`,
		}},
		providertest.Silent: {Silence: true},
	}
	providertest.Run(t, func(t *testing.T, b providertest.Behaviour) providers.LLMProvider {
		t.Helper()
		if b == providertest.Unreachable {
			return gemini.New(gemini.Options{BaseURL: "http://127.0.0.1:1/v1beta", ConnectTimeout: 5 * time.Second})
		}
		return provider(t, serve(t, script(replies[b])).URL())
	})
}

func retryInfo(delay string) string {
	return `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"` + delay + `"}`
}

func quotaFailure(id string) string {
	return `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"` + id + `"}]}`
}

// TestRefusals holds errors of the real servers against their kind.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const reason = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}`
	for _, c := range []struct {
		code            int
		status, message string
		details         []string
		kind            providers.ErrorKind
		wait            time.Duration
	}{
		{
			429, "RESOURCE_EXHAUSTED", "Quota exceeded.",
			[]string{quotaFailure("GenerateRequestsPerMinutePerProjectPerModel"), retryInfo("12.5s")},
			"rate_limited", 12500 * time.Millisecond,
		},
		{429, "RESOURCE_EXHAUSTED", "Quota exceeded.", []string{quotaFailure("GenerateRequestsPerDayPerProjectPerModel")}, "quota", 0},
		{429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", nil, "quota", 0},
		{400, "INVALID_ARGUMENT", "API key expired. Please renew the API key.", []string{reason}, "auth", 0},
		{401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", nil, "auth", 0},
		{403, "PERMISSION_DENIED", "Permission denied on resource project p.", nil, "auth", 0},
		{404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta", nil, "not_found", 0},
		{400, "FAILED_PRECONDITION", "User location is not supported for the API use.", nil, "invalid", 0},
		{400, "INVALID_ARGUMENT", "Please use a valid role: user, model.", nil, "invalid", 0},
		{413, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes.", nil, "too_long", 0},
		{499, "CANCELLED", "The operation was cancelled.", nil, "invalid", 0},
		{500, "INTERNAL", "An internal error has occurred.", nil, "overloaded", 0},
		{503, "UNAVAILABLE", "The model is overloaded.", nil, "overloaded", 0},
		{504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete.", nil, "overloaded", 0},
	} {
		for _, form := range []string{"an object", "a list"} {
			reply := fakegemini.Failure(c.code, c.status, c.message, c.details...)
			if form == "a list" {
				reply.Body = "[" + reply.Body + "\n]"
			}
			_, err := provider(t, serve(t, script(reply)).URL()).Chat(t.Context(), []providers.Message{user("hi")}, nil, "gemini-3-pro", nil)
			e := failure(t, err)
			if e.Kind != c.kind || e.Status != c.code || e.RetryAfter != c.wait ||
				e.Message != c.message || e.Code != c.status || e.PersonMessage() == "" {
				t.Errorf("%s, %s: %+v, want %s after %s", c.message, form, e, c.kind, c.wait)
			}
		}
	}
}

// TestSecretsStayOut lets a server repeat the key and the credentials of the base URL.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	const key, password = "AIzaSySecretOfATest", "passwordOfATest"
	s := serve(t, script(fakegemini.Failure(403, "PERMISSION_DENIED", "no: "+key+" "+password)))
	for _, bearer := range []bool{false, true} {
		p := provider(t, strings.Replace(s.URL(), "http://", "http://person:"+password+"@", 1), func(o *gemini.Options) {
			o.Key, o.Bearer = func() string { return key }, bearer
		})
		for _, ask := range []chat{p.Chat, streaming(p)} {
			_, err := ask(t.Context(), []providers.Message{user("hi")}, nil, "gemini-3-pro", nil)
			e := failure(t, err)
			for _, text := range []string{e.Error(), e.Message, e.Code, e.Server, e.PersonMessage()} {
				if strings.Contains(text, key) || strings.Contains(text, password) {
					t.Errorf("a secret in %q", text)
				}
			}
		}
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	s := serve(t, fakegemini.Options{Models: []string{"gemini-3-pro", "gemma-3"}, Key: "k"})
	p := provider(t, s.URL(), func(o *gemini.Options) { o.Key = func() string { return "k" } })
	names, err := p.Models(t.Context())
	if err != nil || strings.Join(names, " ") != "gemini-3-pro gemma-3" {
		t.Errorf("%v, %v", names, err)
	}
	_, err = provider(t, s.URL()).Models(t.Context())
	if e := failure(t, err); e.Kind != providers.KindAuth {
		t.Errorf("%+v", e)
	}
}
