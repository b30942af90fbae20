package fakemodel_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, o fakemodel.Options) *fakemodel.Server {
	t.Helper()
	s := fakemodel.New(o)
	t.Cleanup(s.Close)
	return s
}

// post sends a body as it is and gives status and answer.
func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post(url+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// TestViolations are requests that some real server refuses.
func TestViolations(t *testing.T) {
	t.Parallel()
	const hi = `{"role":"user","content":"hi"}`
	body := func(messages string) string { return `{"model":"m","messages":[` + messages + `]}` }
	tools := func(tool string) string { return `{"model":"m","messages":[` + hi + `],"tools":[` + tool + `]}` }
	asst := func(ids ...string) string {
		var calls []string
		for _, id := range ids {
			calls = append(calls, `{"id":"`+id+`","type":"function","function":{"name":"probe","arguments":"{}"}}`)
		}
		return `{"role":"assistant","tool_calls":[` + strings.Join(calls, ",") + `]}`
	}
	result := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"x"}` }
	const schema = `{"type":"object","properties":{}}`
	for name, b := range map[string]string{
		"no JSON":                   `{`,
		"text after it":             body(hi) + "{}",
		"no model":                  `{"messages":[` + hi + `]}`,
		"no messages":               body(""),
		"unknown field":             `{"model":"m","messages":[` + hi + `],"modell":1}`,
		"unknown message field":     body(`{"role":"user","content":"hi","extra":1}`),
		"unknown role":              body(`{"role":"root","content":"hi"}`),
		"empty user":                body(`{"role":"user","content":""}`),
		"blank user":                body(`{"role":"user","content":" \n"}`),
		"NUL":                       body(`{"role":"user","content":"a\u0000"}`),
		"user without content":      body(`{"role":"user"}`),
		"empty parts":               body(`{"role":"user","content":[]}`),
		"unknown part":              body(`{"role":"user","content":[{"type":"smell","text":"x"}]}`),
		"picture of an assistant":   body(`{"role":"assistant","content":[{"type":"image_url","image_url":{"url":"u"}}]}`),
		"empty assistant":           body(hi + `,{"role":"assistant","content":null}`),
		"call without result":       body(asst("a") + "," + hi),
		"call without result, last": body(asst("a")),
		"half of the results":       body(asst("a", "b") + "," + result("a") + "," + hi),
		"result without call":       body(hi + "," + result("a")),
		"result twice":              body(asst("a") + "," + result("a") + "," + result("a")),
		"empty result":              body(asst("a") + `,{"role":"tool","tool_call_id":"a","content":""}`),
		"one id twice":              body(asst("a", "a") + "," + result("a")),
		"one id in two turns":       body(asst("a") + "," + result("a") + "," + asst("a") + "," + result("a")),
		"empty id":                  body(asst("") + "," + result("")),
		"overlong id":               body(asst(strings.Repeat("a", 41)) + "," + result(strings.Repeat("a", 41))),
		"arguments are no object":   body(strings.Replace(asst("a"), `"{}"`, `"[]"`, 1) + "," + result("a")),
		"arguments are cut":         body(strings.Replace(asst("a"), `"{}"`, `"{"`, 1) + "," + result("a")),
		"illegal name called":       body(strings.Replace(asst("a"), "probe", "pro be", 1) + "," + result("a")),
		"calls of a user":           body(strings.Replace(asst("a"), "assistant", "user", 1) + "," + result("a")),
		"illegal tool name":         tools(`{"type":"function","function":{"name":"a.b","parameters":` + schema + `}}`),
		"tool name twice":           tools(strings.Repeat(`,{"type":"function","function":{"name":"a","parameters":`+schema+`}}`, 2)[1:]),
		"tool type":                 tools(`{"type":"func","function":{"name":"a","parameters":` + schema + `}}`),
		"schema of a list":          tools(`{"type":"function","function":{"name":"a","parameters":{"type":"array"}}}`),
		"schema without properties": tools(`{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}`),
		"required is no property":   tools(`{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{},"required":["x"]}}}`),
		"choice without tools":      `{"model":"m","messages":[` + hi + `],"tool_choice":"auto"}`,
		"choice of nothing":         `{"model":"m","messages":[` + hi + `],"tools":[{"type":"function","function":{"name":"a","parameters":` + schema + `}}],"tool_choice":{"type":"function","function":{"name":"b"}}}`,
		"unknown choice":            `{"model":"m","messages":[` + hi + `],"tools":[{"type":"function","function":{"name":"a","parameters":` + schema + `}}],"tool_choice":"maybe"}`,
		"stream options alone":      `{"model":"m","messages":[` + hi + `],"stream_options":{"include_usage":true}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, fakemodel.Options{})
			status, answer := post(t, s.URL(), b)
			if status != http.StatusBadRequest || !strings.Contains(answer, `"error"`) {
				t.Errorf("%d %s; want 400", status, answer)
			}
			if s.Stats().Violations != 1 || len(s.Violations()) != 1 || len(s.Requests()) != 0 {
				t.Errorf("stats = %+v, violations %q", s.Stats(), s.Violations())
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		s := start(t, fakemodel.Options{})
		status, answer := post(t, s.URL(), body(hi+","+asst("a", "b")+","+result("b")+","+result("a")+`,{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"u"}}]}`))
		if status != http.StatusOK || s.Stats().Violations != 0 || len(s.Requests()) != 1 {
			t.Errorf("%d %s, %+v", status, answer, s.Stats())
		}
	})
}

// TestEcho speaks to the default script as a gateway does.
func TestEcho(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ask, first, last string }{
		{"hello there", "echo: hello there", ""},
		{`tool probe {"n": 7}`, `[probe {"n": 7}]`, "ran probe"},
		{"please\ntool probe", `[probe {}]`, "ran probe"},
		{"tools 3", "[probe {} probe {} probe {}]", "ran probe\nran probe\nran probe"},
		{`tools 2 other {"a":1}`, `[other {"a":1} other {"a":1}]`, "ran other\nran other"},
		{"tools none", "echo: tools none", ""},
		{"sleep 1ms", "slept 1ms", ""},
		{"long 3", "word word word", ""},
		{"fail 500", "overloaded", ""},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", c.ask, stream), func(t *testing.T) {
				t.Parallel()
				s := start(t, fakemodel.Options{})
				streaming := openai.New(openai.Options{BaseURL: s.URL()})
				t.Cleanup(streaming.Close)
				var p providers.LLMProvider = streaming
				if !stream {
					p = whole{p}
				}
				messages := []providers.Message{{Role: "user", Content: c.ask}}
				resp := ask(t, p, &messages)
				if resp != c.first {
					t.Fatalf("first answer %q, want %q", resp, c.first)
				}
				if c.last == "" {
					return
				}
				if resp = ask(t, p, &messages); resp != c.last {
					t.Errorf("last answer %q, want %q", resp, c.last)
				}
				if v := s.Violations(); len(v) > 0 {
					t.Error(v)
				}
			})
		}
	}
}

// whole hides that a provider streams.
type whole struct{ providers.LLMProvider }

// ask asks once, appends the answer with made-up results, and gives the answer.
func ask(t *testing.T, p providers.LLMProvider, messages *[]providers.Message) string {
	t.Helper()
	resp, err := providers.Stream(t.Context(), p, *messages, providertest.Tools(), "m", nil, nil)
	if failure, ok := errors.AsType[*providers.Error](err); ok {
		return string(failure.Kind)
	}
	*messages = append(*messages, resp.Message())
	var calls []string
	for _, c := range resp.ToolCalls {
		calls = append(calls, c.Name+" "+c.RawArguments)
		*messages = append(*messages, providers.Message{Role: "tool", ToolCallID: c.ID, Name: c.Name, Content: "ran " + c.Name})
	}
	if len(calls) > 0 {
		return fmt.Sprint(calls)
	}
	if resp.FinishReason != providers.FinishStop || resp.Usage.TotalTokens == 0 {
		t.Errorf("finish reason %q, usage %+v", resp.FinishReason, resp.Usage)
	}
	return resp.Content
}

// TestFaultsOnTheWire looks at the bytes of faults that a provider does not tell apart.
func TestFaultsOnTheWire(t *testing.T) {
	t.Parallel()
	const stream = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	answer := fakemodel.Say("hello")
	for _, c := range []struct {
		name      string
		fault     fakemodel.Fault
		want, not string
	}{
		{"none", fakemodel.Fault{}, "data: [DONE]", "usage"},
		{"no [DONE]", fakemodel.Fault{NoDone: true}, `"finish_reason":"stop"`, "[DONE]"},
		{"no finish reason", fakemodel.Fault{NoFinish: true}, "[DONE]", `"stop"`},
		{"error frame", fakemodel.Fault{ErrorFrame: true, Code: "boom"}, `"code":"boom"`, "[DONE]"},
		{"pieces", fakemodel.Fault{Piece: 3}, "data: [DONE]", "\x00"},
		{"frames with a gap", fakemodel.Fault{Gap: time.Millisecond}, "data: [DONE]", "\x00"},
		{"body", fakemodel.Fault{Body: "<html>"}, "<html>", "data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, fakemodel.Options{Script: func(fakemodel.Request) fakemodel.Answer {
				a := answer
				a.Fault = c.fault
				return a
			}})
			if status, got := post(t, s.URL(), stream); status != 200 || !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
				t.Errorf("%d %s\nwant %q, not %q", status, got, c.want, c.not)
			}
		})
	}
	t.Run("cut", func(t *testing.T) {
		t.Parallel()
		s := start(t, fakemodel.Options{Script: func(fakemodel.Request) fakemodel.Answer {
			return fakemodel.Answer{LLMResponse: answer.LLMResponse, Fault: fakemodel.Fault{Cut: 20}}
		}})
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Post(s.URL()+"/chat/completions", "", strings.NewReader(stream))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		if len(got) != 20 || err == nil {
			t.Errorf("%q, %v; want 20 bytes and a broken connection", got, err)
		}
	})
	t.Run("silence", func(t *testing.T) {
		t.Parallel()
		s := start(t, fakemodel.Options{Script: func(fakemodel.Request) fakemodel.Answer {
			return fakemodel.Answer{LLMResponse: answer.LLMResponse, Fault: fakemodel.Fault{Silence: true, Cut: 6}}
		}})
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/chat/completions", strings.NewReader(stream))
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		r := bufio.NewReader(resp.Body)
		if got, err := r.Peek(6); string(got) != "data: " {
			t.Errorf("%q, %v", got, err)
		}
		if s.Stats().InFlight != 1 {
			t.Errorf("%+v, want one in flight", s.Stats())
		}
		cancel()
		if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want nothing until the client leaves", err)
		}
	})
}

func TestKeepsTheNewestRequests(t *testing.T) {
	t.Parallel()
	s := start(t, fakemodel.Options{Keep: 2})
	for i := range 3 {
		post(t, s.URL(), fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"%d"}]}`, i))
	}
	got := s.Requests()
	if len(got) != 2 || got[0].LastUser() != "1" || got[1].LastUser() != "2" || got[1].N != 3 {
		t.Errorf("%+v", got)
	}
	if s.Stats().Requests != 3 || s.Stats().InFlight != 0 {
		t.Errorf("%+v", s.Stats())
	}
}

func BenchmarkChat(b *testing.B) {
	s := httptest.NewServer(fakemodel.NewHandler(fakemodel.Options{Keep: -1}).Handler())
	defer s.Close()
	p := openai.New(openai.Options{BaseURL: s.URL + "/v1"})
	defer p.Close()
	b.SetParallelism(100)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := p.ChatStream(b.Context(), providertest.Question(), providertest.Tools(), "m", nil, nil); err != nil {
				b.Error(err)
			}
		}
	})
}
