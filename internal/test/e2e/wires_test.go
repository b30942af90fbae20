package e2e_test

import (
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/rig"
	"parley/internal/test/strictmodel"
)

// wireModel is a model with the protocol of its server.
type wireModel struct {
	wire                  strictmodel.Wire
	provider, model, path string
}

// wires are one model of each protocol.
func wires() []wireModel {
	return []wireModel{
		{strictmodel.OpenAI, "openai", "gpt-4o", "/v1"},
		{strictmodel.Anthropic, "anthropic", "claude-sonnet-4-5", ""},
		{strictmodel.Gemini, "gemini", "gemini-3-pro-preview", "/v1beta"},
	}
}

// world prepares a gateway whose model answers by a script.
func (m *wireModel) world(t *testing.T, s settings, script strictmodel.Script) (*world, *strictmodel.Server) {
	t.Helper()
	w := prepare(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("no") }, rig.Config{})
	w.configure(s)
	server := strictmodel.New(m.wire, script)
	w.asks(m.provider, m.model, serve(t, server.Handler())+m.path)
	return w, server
}

// failure is a way in which a model fails, with the attempts that it deserves, and its word
// in the log.
type failure struct {
	answer fakemodel.Answer
	asked  int64
	word   string
}

// failures are the ways in which a model of a wire fails.
func failures(wire strictmodel.Wire) map[string]failure {
	r := refusalsOf(wire)
	after := func(wait string) fakemodel.Answer {
		a := r.rate
		a.Fault.RetryAfter = wait
		return a
	}
	late := fakemodel.Say("this answer ends in an error")
	late.Fault.ErrorFrame, late.Fault.Code, late.Fault.Message = true, r.overloaded.Fault.Code, "broken"
	cut := fakemodel.Say("this answer is cut off in the middle")
	cut.Fault.Frames = 1
	if wire != strictmodel.Gemini { // the frame behind has the text
		cut.Fault.Frames = 3
	}
	within := fakemodel.Say("this answer is cut off in the middle")
	within.Fault.Cut = 300
	hang := fakemodel.Say("never")
	hang.Fault.Silence = true
	halted := fakemodel.Say("this answer stops in the middle")
	halted.Fault.Silence, halted.Fault.Frames = true, 2
	broken := fakemodel.Call("effect", `{"text":"half`)
	said := broken
	said.Content = "I shall do it at once."
	unread := failure{broken, 1, "unusable"}
	if wire == strictmodel.Gemini { // its server reads the calls, and says so
		unread = failure{broken, 2, "cut"}
	}
	told := unread
	told.answer = said
	return map[string]failure{
		"429":                         {r.rate, 2, "rate_limited"},
		"429, Retry-After 1":          {after("1"), 2, "rate_limited"},
		"429, Retry-After 16":         {after("16"), 1, "rate_limited"},
		"500":                         {r.broken, 2, "overloaded"},
		"529":                         {r.overloaded, 2, "overloaded"},
		"quota":                       {r.quota, 1, "quota"},
		"bad key":                     {r.key, 1, "auth"},
		"error after half an answer":  {late, 2, "overloaded"},
		"a cut answer":                {cut, 2, "cut"},
		"an answer cut in a frame":    {within, 2, "cut"},
		"hang":                        {hang, 1, "timeout"},
		"hang behind a text":          {halted, 1, "timeout"},
		"drip":                        {drip(wire), 1, "timeout"},
		"arguments that are no JSON":  unread,
		"the same behind a text":      told,
		"no choices":                  {streamed(r.empty), 2, "cut"},
		"an answer without any words": {fakemodel.Say(""), 1, "unusable"},
	}
}

// streamed answers with events as they are.
func streamed(events string) fakemodel.Answer {
	return fakemodel.Answer{Fault: fakemodel.Fault{Body: events, ContentType: "text/event-stream"}}
}

// drip answers with a word every 300 ms, and with no end.
func drip(wire strictmodel.Wire) fakemodel.Answer {
	drop := map[strictmodel.Wire]string{
		strictmodel.OpenAI:    `{"choices":[{"index":0,"delta":{"content":"drop "}}]}`,
		strictmodel.Anthropic: `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"drop "}}`,
		strictmodel.Gemini:    `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"drop "}]}}]}`,
	}[wire]
	drop = "data: " + drop + "\n\n"
	a := streamed(strings.Repeat(drop, 100))
	a.Fault.Piece, a.Fault.Gap = len(drop), 300*time.Millisecond
	return a
}

// refusals are those of a wire's server in its own words; empty is a stream without an answer.
type refusals struct {
	rate, broken, overloaded, quota, key fakemodel.Answer
	empty                                string
}

func refusalsOf(wire strictmodel.Wire) refusals {
	switch wire {
	case strictmodel.Anthropic:
		return refusals{
			rate:       fakemodel.Fail(429, "rate_limit_error", "This request would exceed your rate limit"),
			broken:     fakemodel.Fail(500, "api_error", "Internal server error"),
			overloaded: fakemodel.Fail(529, "overloaded_error", "Overloaded"),
			quota:      fakemodel.Fail(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
			key:        fakemodel.Fail(401, "authentication_error", "invalid x-api-key"),
			empty: `data: {"type":"message_start","message":{"type":"message","content":[]}}` + "\n\n" +
				`data: {"type":"message_stop"}` + "\n\n",
		}
	case strictmodel.Gemini:
		detailed := func(status int, word, message, details string) fakemodel.Answer {
			a := fakemodel.Fail(status, word, message)
			a.Fault.Body = `{"error":{"code":400,"message":"` + message + `","status":"` + word + `","details":[` + details + `]}}`
			a.Fault.ContentType = "application/json"
			return a
		}
		return refusals{
			rate:       fakemodel.Fail(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
			broken:     fakemodel.Fail(500, "INTERNAL", "An internal error has occurred."),
			overloaded: fakemodel.Fail(529, "UNAVAILABLE", "The model is overloaded."),
			quota: detailed(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.",
				`{"@type":"type.googleapis.com/google.rpc.QuotaFailure",`+
					`"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},`+
					`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3s"}`),
			key: detailed(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.",
				`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}`),
			empty: `data: {"usageMetadata":{"promptTokenCount":5,"totalTokenCount":5}}` + "\n\n",
		}
	default:
		return refusals{
			rate:       fakemodel.Fail(429, "rate_limit_exceeded", "slow down"),
			broken:     fakemodel.Fail(500, "server_error", "broken"),
			overloaded: fakemodel.Fail(529, "overloaded_error", "Overloaded"),
			quota:      fakemodel.OutOfQuota(),
			key:        fakemodel.Fail(401, "invalid_api_key", "Incorrect API key"),
			empty:      `data: {"choices":[]}` + "\n\ndata: [DONE]\n\n",
		}
	}
}
