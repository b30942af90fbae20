package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakegemini"
	"parley/pkg/providers"
	"parley/pkg/providers/gemini"
	"parley/pkg/providers/providertest"
)

// parts are those of the n-th content of a request.
func parts(r fakegemini.Request, n int) any {
	return r.Body["contents"].([]any)[n].(map[string]any)["parts"]
}

// TestSignaturesReturnWhereTheyCame asks again with an answer in the history.
func TestSignaturesReturnWhereTheyCame(t *testing.T) {
	t.Parallel()
	text, thought, add := fakegemini.Text, fakegemini.Thought, fakegemini.Call("x", "add", `{"a":2}`)
	for name, c := range map[string]struct {
		answer []string
		want   []string // the parts of the model in the next request
	}{
		"on a call":           {[]string{text("so"), fakegemini.Signed(add, "A")}, nil},
		"on each call":        {[]string{fakegemini.Signed(add, "A"), fakegemini.Signed(fakegemini.Call("y", "add", `{}`), "B")}, nil},
		"on the first of two": {[]string{fakegemini.Signed(add, "A"), fakegemini.Call("y", "add", `{}`)}, nil},
		"on a text":           {[]string{fakegemini.Signed(text("Grüße"), "A"), text(" and more")}, nil},
		"behind a text": {
			[]string{text("one "), text("two"), fakegemini.Signed(text(""), "A")}, []string{text("one two"), fakegemini.Signed(text(""), "A")},
		},
		"behind a call":        {[]string{add, fakegemini.Signed(text(""), "A")}, nil},
		"between texts":        {[]string{text("a"), fakegemini.Signed(text("b"), "A"), fakegemini.Signed(text("c"), "B"), text("d")}, nil},
		"a text behind a call": {[]string{fakegemini.Signed(add, "A"), text("done")}, nil},
		"on a thought": {
			[]string{thought("hm"), fakegemini.Signed(thought("ha"), "A"), text("b")}, []string{fakegemini.Signed(thought("ha"), "A"), text("b")},
		},
		"on an empty thought": {
			[]string{thought("hm"), fakegemini.Signed(thought(""), "A"), fakegemini.Signed(add, "B")},
			[]string{fakegemini.Signed(thought(""), "A"), fakegemini.Signed(add, "B")},
		},
		"nowhere": {[]string{thought("hm"), text("b")}, []string{text("b")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, stream := range []bool{false, true} {
				s := serve(t, script(fakegemini.Ends("STOP", c.answer...)))
				p := provider(t, s.URL())
				ask := p.Chat
				if stream {
					ask = streaming(p)
				}
				messages := []providers.Message{user("go")}
				resp, err := ask(t.Context(), messages, providertest.Tools(), "gemini-3-pro", nil)
				if err != nil {
					t.Fatal(err)
				}
				messages = append(messages, stored(t, resp.Message()))
				for _, call := range resp.ToolCalls {
					messages = append(messages, result(call.ID, call.Name, "4"))
				}
				if _, err := ask(t.Context(), append(messages, user("?")), providertest.Tools(), "gemini-3-pro", nil); err != nil {
					t.Fatal(err)
				}
				want := c.want
				if want == nil {
					want = c.answer
				}
				var wanted any
				if err := json.Unmarshal([]byte("["+strings.Join(want, ",")+"]"), &wanted); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(wanted, parts(s.Requests()[1], 1)); d != "" {
					t.Errorf("stream %v (-want +sent):\n%s", stream, d)
				}
			}
		})
	}
}

// TestSignaturesOfOthersStayAway asks a model with the history of another one, and with a
// history that was changed.
func TestSignaturesOfOthersStayAway(t *testing.T) {
	t.Parallel()
	const skip = "skip_thought_signature_validator"
	answer := fakegemini.Ends("STOP",
		fakegemini.Signed(fakegemini.Text("so"), "T"), fakegemini.Signed(fakegemini.Call("x", "add", `{"a":2}`), "A"))
	for name, c := range map[string]struct {
		model  string // of the second question
		change func(*providers.Message)
		want   string
	}{
		"another model of the family": {
			"gemini-3-flash", nil,
			`[{"text":"so"},{"functionCall":{"name":"add","id":"x","args":{"a":2}},"thoughtSignature":"` + skip + `"}]`,
		},
		"a model that checks none": {
			"gemini-2.5-flash", nil, `[{"text":"so"},{"functionCall":{"name":"add","id":"x","args":{"a":2}}}]`,
		},
		"a shorter text": {
			"gemini-3-pro", func(m *providers.Message) { m.Content = "s" },
			`[{"text":"s","thoughtSignature":"T"},{"functionCall":{"name":"add","id":"x","args":{"a":2}},"thoughtSignature":"A"}]`,
		},
		"no extra data": {
			"gemini-3-pro", func(m *providers.Message) { m.Extra, m.ToolCalls[0].Extra = nil, nil },
			`[{"text":"so"},{"functionCall":{"name":"add","id":"x","args":{"a":2}},"thoughtSignature":"` + skip + `"}]`,
		},
		"a call without its signature": {
			"gemini-3-pro", func(m *providers.Message) { m.ToolCalls[0].Extra = nil },
			`[{"text":"so","thoughtSignature":"T"},{"functionCall":{"name":"add","id":"x","args":{"a":2}},"thoughtSignature":"` + skip + `"}]`,
		},
		"extra data of another form": {
			"gemini-3-pro", func(m *providers.Message) {
				m.Extra = json.RawMessage(strings.Replace(string(m.Extra), `"bytes":2`, `"bytes":-7`, 1))
				m.ToolCalls[0].Extra = json.RawMessage(strings.Replace(string(m.ToolCalls[0].Extra), `"A"`, `7`, 1))
			},
			`[{"text":"so","thoughtSignature":"T"},{"functionCall":{"name":"add","id":"x","args":{"a":2}},"thoughtSignature":"` + skip + `"}]`,
		},
		"a new id": {
			"gemini-3-pro", func(m *providers.Message) { m.ToolCalls[0].ID = "x_2" },
			`[{"text":"so","thoughtSignature":"T"},{"functionCall":{"name":"add","id":"x","args":{"a":2}},"thoughtSignature":"A"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, script(answer))
			p := provider(t, s.URL())
			messages := []providers.Message{user("go")}
			resp, err := p.Chat(t.Context(), messages, nil, "gemini-3-pro", nil)
			if err != nil {
				t.Fatal(err)
			}
			m := stored(t, resp.Message())
			if c.change != nil {
				c.change(&m)
			}
			messages = append(messages, m, result(m.ToolCalls[0].ID, "add", "4"))
			if _, err := p.Chat(t.Context(), messages, nil, c.model, nil); err != nil {
				t.Fatal(err)
			}
			var want any
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, parts(s.Requests()[1], 1)); d != "" {
				t.Errorf("(-want +sent):\n%s", d)
			}
		})
	}
}

// TestLearnsFromARefusal lets a server refuse a field, and asks again without it.
func TestLearnsFromARefusal(t *testing.T) {
	t.Parallel()
	history := []providers.Message{user("go"), assistant("", call("x", "add", `{"a":2}`)), result("x", "add", "4")}
	refusal := func(text string) fakegemini.Reply { return fakegemini.Failure(400, "INVALID_ARGUMENT", text) }
	for name, c := range map[string]struct {
		model   string
		refusal string
		field   string // of the JSON text, which the second request has or lacks
		there   bool
		options map[string]any
	}{
		"a missing signature": {
			"my-alias", "Function call is missing a thought_signature in functionCall parts.", "skip_thought_signature_validator", true, nil,
		},
		"ids": {
			"gemini-3-pro", `Invalid JSON payload received. Unknown name "id" at 'contents[1].parts[0].function_call': Cannot find field.`,
			`"id":`, false, nil,
		},
		"thinking": {
			"gemini-2.5-flash-lite", "Thinking is not supported for this model", "thinkingConfig", false, map[string]any{"reasoning_effort": "low"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, script(refusal(c.refusal), fakegemini.Say("fine")))
			p := provider(t, s.URL())
			for range 2 {
				if _, err := p.Chat(t.Context(), history, providertest.Tools(), c.model, c.options); err != nil {
					t.Fatal(err)
				}
			}
			var have []bool
			for _, r := range s.Requests() {
				b, err := json.Marshal(r.Body)
				if err != nil {
					t.Fatal(err)
				}
				have = append(have, strings.Contains(string(b), c.field))
			}
			if want := []bool{!c.there, c.there, c.there}; !cmp.Equal(have, want) {
				t.Errorf("the field %s in the requests: %v, want %v", c.field, have, want)
			}
		})
	}
}

// TestSignaturesThatAreRefused moves a conversation to another project, which does not know
// its signatures; the signatures that this project gives out are used.
func TestSignaturesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := fakegemini.New(fakegemini.Options{Script: func(r fakegemini.Request) fakegemini.Reply {
		return fakegemini.Ends("STOP", fakegemini.Signed(fakegemini.Call("", "add", `{"a":2}`), "sig"+string(rune('A'+r.N))))
	}})
	t.Cleanup(s.Close)
	p := provider(t, s.URL())
	messages := []providers.Message{user("go")}
	for step := range 4 {
		switch step {
		case 2:
			s.Forget()
		case 3: // a new turn, in which the old signatures are not checked
			messages = append(messages, user("on"))
		}
		resp, err := p.ChatStream(t.Context(), messages, nil, "gemini-3-pro", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, stored(t, resp.Message()), result(resp.ToolCalls[0].ID, "add", "4"))
	}
	if v := s.Violations(); len(v) != 1 || !strings.Contains(v[0], "Corrupted") {
		t.Errorf("violations: %q", v)
	}
	sent := s.Requests()
	b, err := json.Marshal(sent[len(sent)-1].Body)
	if err != nil || !strings.Contains(string(b), "sigB") || strings.Contains(string(b), "skip_") {
		t.Errorf("the last request: %s, %v", b, err)
	}
}

// TestTooFewSignatures loses that of the first of two calls: all are left out then.
func TestTooFewSignatures(t *testing.T) {
	t.Parallel()
	s := fakegemini.New(script(fakegemini.Ends("STOP",
		fakegemini.Signed(fakegemini.Call("x", "add", `{"a":1}`), "A"), fakegemini.Signed(fakegemini.Call("y", "add", `{"a":2}`), "B"))))
	t.Cleanup(s.Close)
	p := provider(t, s.URL())
	messages := []providers.Message{user("go")}
	resp, err := p.Chat(t.Context(), messages, nil, "gemini-3-pro", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.ToolCalls[0].Extra = nil
	messages = append(messages, resp.Message(), result("x", "add", "1"), result("y", "add", "2"))
	if _, err := p.Chat(t.Context(), messages, nil, "gemini-3-pro", nil); err != nil {
		t.Fatal(err)
	}
	if v := s.Violations(); len(v) != 1 || !strings.Contains(v[0], "missing a thought_signature") {
		t.Errorf("violations: %q", v)
	}
}

// TestARefusalForGood is not asked again.
func TestARefusalForGood(t *testing.T) {
	t.Parallel()
	s := serve(t, script(fakegemini.Failure(400, "INVALID_ARGUMENT", "Corrupted thought signature.")))
	_, err := provider(t, s.URL()).Chat(t.Context(), []providers.Message{user("hi")}, nil, "gemini-3-pro", nil)
	if e := failure(t, err); e.Kind != providers.KindInvalid || len(s.Requests()) != 2 {
		t.Errorf("%+v after %d requests", e, len(s.Requests()))
	}
}

// TestVertex asks a server that takes no ids.
func TestVertex(t *testing.T) {
	t.Parallel()
	o := script(fakegemini.Ends("STOP", fakegemini.Call("", "add", `{"a":1}`), fakegemini.Call("", "add", `{"a":2}`)), fakegemini.Say("3"))
	o.Vertex, o.Token = true, "token"
	s := serve(t, o)
	p := provider(t, s.URL(), func(o *gemini.Options) { o.Bearer, o.Key = true, func() string { return "token" } })
	messages := []providers.Message{user("go"), assistant("", call("toolu_1", "add", `{}`)), result("toolu_1", "add", "0"), user("on")}
	resp, err := p.Chat(t.Context(), messages, nil, "gemini-2.5-pro", nil)
	if err != nil {
		t.Fatal(err)
	}
	messages = append(messages, resp.Message(), result(resp.ToolCalls[0].ID, "add", "1"), result(resp.ToolCalls[1].ID, "add", "2"))
	if resp, err = p.Chat(t.Context(), messages, nil, "gemini-2.5-pro", nil); err != nil || resp.Content != "3" {
		t.Fatalf("%+v, %v", resp, err)
	}
}
