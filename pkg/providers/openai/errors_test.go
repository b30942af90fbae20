package openai_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// TestRefusals are refusals as servers word them, and the decision they carry.
func TestRefusals(t *testing.T) {
	t.Parallel()
	openAI := func(code, message string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":"x","param":null,"code":%q}}`, message, code)
	}
	const html = "<html><body><h1>502 Bad Gateway</h1></body></html>"
	for _, c := range []struct {
		name   string
		status int
		header string
		body   string
		want   providers.ErrorKind
		after  time.Duration
		text   string
	}{
		{
			name: "rate", status: 429, header: "Retry-After: 37", body: openAI("rate_limit_exceeded", "slow down"),
			want: providers.KindRateLimited, after: 37 * time.Second, text: "slow down",
		},
		{
			name:   "rate in milliseconds",
			status: 429,
			header: "Retry-After-Ms: 1500",
			body:   openAI("rate_limit_exceeded", "slow down"),
			want:   providers.KindRateLimited,
			after:  1500 * time.Millisecond,
		},
		{name: "rate with a fraction", status: 429, header: "Retry-After: 0.5", want: providers.KindRateLimited, after: 500 * time.Millisecond},
		{name: "rate with nonsense", status: 429, header: "Retry-After: soon", want: providers.KindRateLimited},
		{name: "rate with a negative wait", status: 429, header: "Retry-After: -5", want: providers.KindRateLimited},
		{
			name:   "rate with a date that has passed",
			status: 429,
			header: "Retry-After: Mon, 02 Jan 2006 15:04:05 GMT",
			want:   providers.KindRateLimited,
		},
		{name: "rate with an endless wait", status: 429, header: "Retry-After: 1e300", want: providers.KindRateLimited, after: 24 * time.Hour},
		{name: "Gemini's rate", status: 429, body: `[{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x"},{"retryDelay":"37s"}]}}]`, want: providers.KindRateLimited, after: 37 * time.Second, text: "Resource exhausted"},
		{
			name:   "quota",
			status: 429,
			header: "Retry-After: 37",
			body:   openAI("insufficient_quota", "You exceeded your current quota"),
			want:   providers.KindQuota,
			after:  37 * time.Second,
		},
		{name: "payment", status: 402, body: `{"error":{"message":"Insufficient credits","code":402}}`, want: providers.KindQuota},
		{name: "Moonshot's quota", status: 403, body: `{"error":{"message":"Your account is not active, please check your plan","type":"exceeded_current_quota_error"}}`, want: providers.KindQuota},
		{name: "xAI's quota", status: 429, body: `{"code":"Some resource has been exhausted","error":"Your team 16f2 has either used all available credits or reached its monthly spending limit."}`, want: providers.KindQuota},
		{name: "key", status: 401, body: openAI("invalid_api_key", "Incorrect API key provided"), want: providers.KindAuth},
		{name: "Gemini's key", status: 400, body: `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, want: providers.KindAuth},
		{name: "forbidden", status: 403, body: "no", want: providers.KindAuth, text: "Forbidden"},
		{name: "moderation", status: 403, body: `{"error":{"code":403,"message":"Your input was flagged"}}`, want: providers.KindFiltered},
		{name: "filter", status: 400, body: openAI("content_filter", "The response was filtered"), want: providers.KindFiltered},
		{name: "model", status: 404, body: openAI("model_not_found", "The model does not exist"), want: providers.KindNotFound},
		{name: "model as a plain string", status: 404, body: `{"error":"model 'x' not found"}`, want: providers.KindNotFound, text: "model 'x' not found"},
		{name: "OpenRouter's model", status: 404, body: `{"error":{"message":"No endpoints found for x/y.","code":404}}`, want: providers.KindNotFound},
		{name: "OpenRouter's tools", status: 404, body: `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, want: providers.KindInvalid},
		{name: "llama.cpp without tools", status: 500, body: `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, want: providers.KindInvalid},
		{
			name:   "length",
			status: 400,
			body:   openAI("context_length_exceeded", "This model's maximum context length is 128000 tokens"),
			want:   providers.KindTooLong,
		},
		{name: "llama.cpp's length", status: 400, body: `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, want: providers.KindTooLong},
		{name: "vLLM's length", status: 400, body: `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`, want: providers.KindTooLong},
		{name: "xAI's length", status: 400, body: `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 136973 tokens."}`, want: providers.KindTooLong},
		{name: "Moonshot's length", status: 400, body: `{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)","type":"invalid_request_error"}}`, want: providers.KindTooLong},
		{name: "Model Studio's length", status: 400, body: `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]","type":"invalid_request_error"}}`, want: providers.KindTooLong},
		{name: "Z.ai's length", status: 400, body: openAI("1261", "Prompt exceeds max length"), want: providers.KindTooLong},
		{name: "TGI's length", status: 422, body: `{"error":"Input validation error: \u0060inputs\u0060 tokens + \u0060max_new_tokens\u0060 must be <= 8192. Given: 9000 \u0060inputs\u0060 tokens and 0 \u0060max_new_tokens\u0060","error_type":"validation"}`, want: providers.KindTooLong},
		{name: "TGI's length of the input", status: 422, body: `{"error":"Input validation error: \u0060inputs\u0060 must have less than 8192 tokens. Given: 9000","error_type":"validation"}`, want: providers.KindTooLong},
		{name: "TGI's option", status: 422, body: `{"error":"Input validation error: \u0060max_new_tokens\u0060 must be strictly positive","error_type":"validation"}`, want: providers.KindInvalid},
		{name: "body too large", status: 413, body: html, want: providers.KindTooLong},
		{name: "invalid", status: 400, body: openAI("invalid_value", "messages.1: no"), want: providers.KindInvalid, text: "messages.1: no"},
		{name: "FastAPI's invalid", status: 422, body: `{"detail":"field required"}`, want: providers.KindInvalid, text: "field required"},
		{name: "408", status: 408, want: providers.KindOverloaded},
		{name: "409", status: 409, want: providers.KindOverloaded},
		{name: "500", status: 500, body: openAI("server_error", "boom"), want: providers.KindOverloaded},
		{
			name: "503 with a wait", status: 503, header: "Retry-After: 2", body: html,
			want: providers.KindOverloaded, after: 2 * time.Second, text: "Service Unavailable",
		},
		{name: "529", status: 529, body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, want: providers.KindOverloaded, text: "Overloaded"},
		{name: "redirect", status: 307, header: "Location: https://elsewhere.example/", want: providers.KindNotFound},
		{name: "web page with 200", status: 200, body: html, want: providers.KindOverloaded},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if name, value, ok := strings.Cut(c.header, ": "); ok {
					w.Header().Set(name, value)
				}
				w.WriteHeader(c.status)
				w.Write([]byte(c.body))
			}))
			t.Cleanup(srv.Close)
			for way, p := range bothWays(provider(t, srv.URL)) {
				failure := askFailure(t, p)
				if failure.Kind != c.want || failure.RetryAfter != c.after || failure.Server != srv.URL ||
					failure.Model != "m" || c.status != 200 && failure.Status != c.status {
					t.Errorf("%s: %+v, want %s after %v", way, failure, c.want, c.after)
				}
				if c.text != "" && failure.Message != c.text {
					t.Errorf("message = %q, want %q", failure.Message, c.text)
				}
				if strings.Contains(failure.Message, "<html") {
					t.Errorf("the message holds a web page: %q", failure.Message)
				}
			}
		})
	}
}

// whole hides that a provider streams.
type whole struct{ providers.LLMProvider }

// bothWays is p as it streams, and as it does not.
func bothWays(p *openai.Provider) map[string]providers.LLMProvider {
	return map[string]providers.LLMProvider{"stream": p, "whole": whole{p}}
}

func askFailure(t *testing.T, p providers.LLMProvider) *providers.Error {
	t.Helper()
	_, err := providers.Stream(t.Context(), p, providertest.Question(), nil, "m", nil, nil)
	var failure *providers.Error
	if !errors.As(err, &failure) {
		t.Fatalf("%v; want a *providers.Error", err)
	}
	return failure
}

// TestSecretsStayOut plants a key and credentials, and lets everything fail that can.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	const key, user, password = "sk-canary-key", "canaryuser", "canarypass"
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, pass, _ := r.BasicAuth()
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":{"message":"you sent %s %s %s to %s","code":"%s"}}`, r.Header.Get("Authorization"), name, pass, r.Host, key)
	}))
	t.Cleanup(echo.Close)
	frame := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"error\":{\"message\":\"bad %s\"}}\n\n", r.Header.Get("Authorization"))
	}))
	t.Cleanup(frame.Close)
	withUser := func(url string) string { return strings.Replace(url, "://", "://"+user+":"+password+"@", 1) }
	for name, url := range map[string]string{
		"echo": echo.URL, "echo with credentials": withUser(echo.URL), "frame": withUser(frame.URL),
		"unreachable": withUser("http://127.0.0.1:1"), "no such scheme": withUser("gopher://127.0.0.1"),
		"malformed": "http://" + user + ":" + password + "@127.0.0.1:port/", "unresolvable": withUser("http://nowhere.invalid"),
	} {
		for _, keyed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, key %v", name, keyed), func(t *testing.T) {
				t.Parallel()
				p := provider(t, url, func(o *openai.Options) {
					if keyed {
						o.Key = func() string { return key }
					}
				})
				for _, p := range bothWays(p) {
					failure := askFailure(t, p)
					all := fmt.Sprintf("%v %+v %s", failure, *failure, failure.PersonMessage())
					for err := error(failure); err != nil; err = errors.Unwrap(err) {
						all += " " + err.Error()
					}
					for _, secret := range []string{key, user, password} {
						if (keyed || secret != key) && strings.Contains(all, secret) {
							t.Errorf("%q holds %q", all, secret)
						}
					}
				}
			})
		}
	}
}

// TestLongMessageIsCut is a server that has much to say.
func TestLongMessageIsCut(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":{"message":"%s"}}`, strings.Repeat("é", 10000))
	}))
	t.Cleanup(srv.Close)
	failure := askFailure(t, provider(t, srv.URL))
	if n := len(failure.Message); n == 0 || n > 500 || strings.ContainsRune(failure.Message, '\ufffd') {
		t.Errorf("a message of %d bytes: %.20q…", n, failure.Message)
	}
}
