package gemini_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakegemini"
	"parley/pkg/providers"
	"parley/pkg/providers/gemini"
	"parley/pkg/providers/providertest"
)

// TestContents holds messages against the contents that the server gets.
func TestContents(t *testing.T) {
	t.Parallel()
	const skip = `,"thoughtSignature":"skip_thought_signature_validator"`
	add := func(id, skip string) string {
		return `{"functionCall":{"name":"add","id":"` + id + `","args":{"a":2}}` + skip + `}`
	}
	for name, c := range map[string]struct {
		messages []providers.Message
		model    string
		want     string // the contents
	}{
		"a question": {
			[]providers.Message{system("Be brief."), user("hi")},
			"gemini-3-pro",
			`[{"role":"user","parts":[{"text":"hi"}]}]`,
		},
		"words in a row are one content": {
			[]providers.Message{user("a"), user("b"), assistant("c"), assistant("d"), user("e")},
			"gemini-3-pro",
			`[{"role":"user","parts":[{"text":"a"},{"text":"b"}]},{"role":"model","parts":[{"text":"c"},{"text":"d"}]},
			{"role":"user","parts":[{"text":"e"}]}]`,
		},
		"a system message in the middle": {
			[]providers.Message{user("a"), assistant("b"), system("note"), user("c")},
			"gemini-3-pro",
			`[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"b"}]},
			{"role":"user","parts":[{"text":"note"},{"text":"c"}]}]`,
		},
		"the model begins": {
			[]providers.Message{assistant("", call("x", "add", `{"a":2}`)), result("x", "add", "2")},
			"gemini-2.5-flash",
			`[{"role":"user","parts":[{"text":"(the beginning of this conversation is left out)"}]},
			{"role":"model","parts":[` + add("x", "") + `]},
			{"role":"user","parts":[{"functionResponse":{"name":"add","id":"x","response":{"result":"2"}}}]}]`,
		},
		"instructions alone": {
			[]providers.Message{system("Summarise.")},
			"gemini-3-pro",
			`[{"role":"user","parts":[{"text":"Summarise."}]}]`,
		},
		"blank messages are left out": {
			[]providers.Message{user(""), user("a"), assistant(" \n"), user("\t"), user("b")},
			"gemini-3-pro",
			`[{"role":"user","parts":[{"text":"a"},{"text":"b"}]}]`,
		},
		"the calls of another model": {
			[]providers.Message{
				user("go"), assistant("so", call("x", "add", `{"a":2}`), call("y", "add", `{"a":2}`)), result("x", "add", "2"), result("y", "add", ""),
				assistant("", call("z", "add", `{"a":2}`)), result("z", "add", "4"),
			},
			"gemini-3-pro",
			`[{"role":"user","parts":[{"text":"go"}]},
			{"role":"model","parts":[{"text":"so"},` + add("x", skip) + `,` + add("y", "") + `]},
			{"role":"user","parts":[{"functionResponse":{"name":"add","id":"x","response":{"result":"2"}}},
			{"functionResponse":{"name":"add","id":"y","response":{"result":"(no output)"}}}]},
			{"role":"model","parts":[` + add("z", skip) + `]},
			{"role":"user","parts":[{"functionResponse":{"name":"add","id":"z","response":{"result":"4"}}}]}]`,
		},
		"words behind results are a content of their own": {
			[]providers.Message{
				user("go"), assistant("", call("x", "add", `{"a":2}`)), result("x", "add", "2"),
				user("wait"), assistant("ok"), user("?"),
			},
			"gemini-2.5-pro",
			`[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[` + add("x", "") + `]},
			{"role":"user","parts":[{"functionResponse":{"name":"add","id":"x","response":{"result":"2"}}}]},
			{"role":"user","parts":[{"text":"wait"}]},{"role":"model","parts":[{"text":"ok"}]},{"role":"user","parts":[{"text":"?"}]}]`,
		},
		"names and arguments that no model of the family writes": {
			[]providers.Message{
				user("go"), assistant("", call("x", "9lives", `[1]`), call("y", "", `{"n":12345678901234567890}`)),
				result("x", "9lives", "<&>\u2028\x01"), result("y", "", "no"), result("stray", "add", "of no call"),
			},
			"gemini-2.5-pro",
			`[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"_9lives","id":"x","args":{}}},
			{"functionCall":{"name":"unknown","id":"y","args":{"n":12345678901234567890}}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"_9lives","id":"x","response":{"result":"<&>\u2028\u0001"}}},
			{"functionResponse":{"name":"unknown","id":"y","response":{"result":"no"}}}]}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, fakegemini.Options{})
			if _, err := provider(t, s.URL()).Chat(t.Context(), c.messages, nil, c.model, nil); err != nil {
				t.Fatal(err)
			}
			var want any
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, s.Requests()[0].Body["contents"]); d != "" {
				t.Errorf("(-want +sent):\n%s", d)
			}
		})
	}
}

// TestOptions holds options against the fields that the server gets.
func TestOptions(t *testing.T) {
	t.Parallel()
	config := func(s string) string { return `{"generationConfig":{` + s + `}}` }
	thinking := func(s string) string { return config(`"thinkingConfig":{` + s + `}`) }
	for _, c := range []struct {
		model   string
		options map[string]any
		want    string
	}{
		{"gemini-3-pro", nil, `{}`},
		{"gemini-3-pro", map[string]any{"max_tokens": 5, "temperature": 0.0, "other": 1}, config(`"maxOutputTokens":5,"temperature":0`)},
		{"gemini-3-pro", map[string]any{"top_p": 0.5, "seed": 7}, config(`"topP":0.5,"seed":7`)},
		{
			"gemini-3-pro",
			map[string]any{"stop": []string{"1", "2", "3", "4", "5", "6"}},
			config(`"stopSequences":["1","2","3","4","5"]`),
		},
		{
			"gemini-3-pro",
			map[string]any{"response_format": json.RawMessage(`{"type":"object"}`)},
			config(`"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}`),
		},
		{"gemini-3-pro", map[string]any{"tool_choice": "auto"}, `{"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}}`},
		{"gemini-3-pro", map[string]any{"tool_choice": "none"}, `{"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`},
		{"gemini-3-pro", map[string]any{"tool_choice": "required"}, `{"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}`},
		{
			"gemini-3-pro",
			map[string]any{"tool_choice": map[string]any{"name": "probe"}},
			`{"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["probe"]}}}`,
		},
		{"gemini-3-pro", map[string]any{"reasoning_effort": "high"}, thinking(`"includeThoughts":true,"thinkingLevel":"HIGH"`)},
		{"gemini-3-pro", map[string]any{"reasoning_effort": "xhigh"}, thinking(`"includeThoughts":true,"thinkingLevel":"HIGH"`)},
		{"gemini-2.5-pro", map[string]any{"reasoning_effort": "xhigh"}, thinking(`"includeThoughts":true,"thinkingBudget":24576`)},
		{"gemini-3-pro", map[string]any{"reasoning_effort": "none"}, thinking(`"thinkingLevel":"LOW"`)},
		{"gemini-3-flash", map[string]any{"reasoning_effort": "none"}, thinking(`"thinkingLevel":"MINIMAL"`)},
		{"gemini-2.5-flash", map[string]any{"reasoning_effort": "none"}, thinking(`"thinkingBudget":0`)},
		{"gemini-2.5-pro", map[string]any{"reasoning_effort": "none"}, `{}`},
		{"gemini-2.5-pro", map[string]any{"reasoning_effort": "low"}, thinking(`"includeThoughts":true,"thinkingBudget":1024`)},
		{"gemini-2.0-flash", map[string]any{"reasoning_effort": "high"}, `{}`},
		{"gemma-3-27b-it", map[string]any{"reasoning_effort": "high"}, `{}`},
	} {
		s := serve(t, fakegemini.Options{})
		messages := []providers.Message{user("hi")}
		if _, err := provider(t, s.URL()).Chat(t.Context(), messages, providertest.Tools(), c.model, c.options); err != nil {
			t.Errorf("%s with %v: %v", c.model, c.options, err)
			continue
		}
		sent := s.Requests()[0].Body
		delete(sent, "contents")
		delete(sent, "tools")
		if d := cmp.Diff(object(t, c.want), sent); d != "" {
			t.Errorf("%s with %v (-want +sent):\n%s", c.model, c.options, d)
		}
	}
}

func TestAnUnknownToolChoiceIsRefused(t *testing.T) {
	t.Parallel()
	p := provider(t, "http://127.0.0.1:1")
	_, err := p.Chat(t.Context(), []providers.Message{user("hi")}, providertest.Tools(), "gemini-3-pro", map[string]any{"tool_choice": "any"})
	if e := failure(t, err); e.Kind != providers.KindInvalid || !strings.Contains(e.Message, "tool_choice any") {
		t.Errorf("%+v", e)
	}
}

// TestPaths holds configurations against the path and the key that the server gets.
func TestPaths(t *testing.T) {
	t.Parallel()
	const vertex = "/v1/projects/p/locations/here"
	for _, c := range []struct {
		base, path, model string
		bearer            bool
		want              string
	}{
		{"/v1beta", "", "gemini-3-pro", false, "/v1beta/models/gemini-3-pro"},
		{"/v1beta/", "", "models/gemini-3-pro", false, "/v1beta/models/gemini-3-pro"},
		{"/v1beta", "", "tunedModels/mine", false, "/v1beta/tunedModels/mine"},
		{vertex, "", "gemini-3-pro", true, vertex + "/publishers/google/models/gemini-3-pro"},
		{vertex, "", "endpoints/7", true, vertex + "/endpoints/7"},
		{"", "proxy/{model}/go", "gemini 3", false, "/proxy/gemini%203/go"},
	} {
		var got string
		var key [2]string
		web := listen(t, func(r request) string {
			got, key = r.path, [2]string{r.header.Get("X-Goog-Api-Key"), r.header.Get("Authorization")}
			return fakegemini.Frame(fakegemini.Text("hi"), "STOP")
		})
		p := provider(t, web+c.base, func(o *gemini.Options) {
			o.Path, o.Bearer, o.Key = c.path, c.bearer, func() string { return " secret\n" }
		})
		for _, stream := range []string{":generateContent", ":streamGenerateContent?alt=sse"} {
			ask := p.Chat
			if strings.Contains(stream, "stream") {
				ask = streaming(p)
			}
			if _, err := ask(t.Context(), []providers.Message{user("hi")}, nil, c.model, nil); err != nil {
				t.Errorf("%+v: %v", c, err)
			}
			if got != c.want+stream {
				t.Errorf("path = %q, want %q", got, c.want+stream)
			}
			if want := map[bool][2]string{true: {"", "Bearer secret"}, false: {"secret", ""}}[c.bearer]; key != want {
				t.Errorf("key and token = %q", key)
			}
		}
	}
}

func picture(mime, content string) providers.Image {
	return providers.Image{MIME: mime, Path: "p", Size: int64(len(content)), Open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(strings.NewReader(content)), int64(len(content)), nil
	}}
}

func TestPictures(t *testing.T) {
	t.Parallel()
	question := user("what is this?")
	question.Images = []providers.Image{
		picture("image/png", "PNG"), picture("image/gif", "GIF"),
		{MIME: "image/jpeg", URL: "https://example.org/a.jpg"},
		{MIME: "image/png", Path: "gone"},
	}
	for images, want := range map[bool]string{
		true: `[{"inlineData":{"mimeType":"image/png","data":"UE5H"}},{"text":"[a picture of a kind that this model cannot see: image/gif]"},
			{"fileData":{"mimeType":"image/jpeg","fileUri":"https://example.org/a.jpg"}},
			{"text":"what is this?\n[a picture that is not there any more]"}]`,
		false: `[{"text":"what is this?\n[a picture that this model cannot see]\n[a picture that this model cannot see]\n` +
			`[a picture that this model cannot see]\n[a picture that this model cannot see]"}]`,
	} {
		s := serve(t, fakegemini.Options{})
		p := provider(t, s.URL(), func(o *gemini.Options) { o.Images = images })
		if _, err := p.Chat(t.Context(), []providers.Message{question}, nil, "gemini-3-pro", nil); err != nil {
			t.Fatal(err)
		}
		var wanted any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		sent := s.Requests()[0].Body["contents"].([]any)[0].(map[string]any)["parts"]
		if d := cmp.Diff(wanted, sent); d != "" {
			t.Errorf("images %v (-want +sent):\n%s", images, d)
		}
	}
}
