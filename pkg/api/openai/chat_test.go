package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// look is a tool that reads, erase one that a person has to allow.
func look() tools.Tool {
	return faces.Tool("look", tools.Annotations{ReadOnly: true, Level: tools.LevelChat}, func(context.Context) string { return "seen" })
}

func erase() tools.Tool {
	return faces.Tool("erase", tools.Annotations{Destructive: true, Level: tools.LevelChat}, func(context.Context) string { return "erased" })
}

// scripted is a model that does what the newest message says.
func scripted(msgs []providers.Message, defs []providers.ToolDefinition) *providers.LLMResponse {
	m := faces.Last(msgs)
	words := strings.Fields(m.Content + " ")
	switch {
	case m.Role == providers.RoleTool:
		return faces.Says("It says " + m.Content + " here ")
	case len(words) > 1 && words[0] == "call":
		resp := faces.Calls("", words[1], `{"x":1}`)
		resp.Content = "One moment. "
		for i, name := range words[2:] {
			resp.ToolCalls = append(resp.ToolCalls, providers.ToolCall{
				ID: fmt.Sprintf("call_%d", i+2), Type: "function", Name: name, Arguments: map[string]any{}, RawArguments: "{}",
			})
		}
		return resp
	case m.Content == "tools":
		names := []string{"tools:"}
		for i := range defs {
			names = append(names, defs[i].Function.Name)
		}
		return faces.Says(strings.Join(names, " "))
	case m.Content == "system":
		return faces.Says(msgs[0].Content)
	case m.Content == "nothing":
		return faces.Says("NO_REPLY")
	case m.Content == "blank":
		return faces.Says(" ")
	case m.Content == "long":
		return &providers.LLMResponse{Content: "and so on", FinishReason: providers.FinishLength}
	default:
		return faces.Says("You say " + m.Content + " to me ")
	}
}

// chat is the body of a request with one message of the user, and more fields.
func chat(text string, more ...string) string {
	rest := strings.Join(append([]string{""}, more...), ",")
	return fmt.Sprintf(`{"model":"parley","messages":[{"role":"user","content":%q}]%s}`, text, rest)
}

// theirs is a tool of the program.
const theirs = `"tools":[{"type":"function","function":{"name":"theirs","parameters":{"type":"object"}}}]`

// contentOf is the text of a whole completion.
func contentOf(t *testing.T, answer map[string]any) (content, finish string) {
	t.Helper()
	var c struct {
		Choices []struct {
			Message struct{ Content string }
			Finish  string `json:"finish_reason"`
		}
	}
	again, _ := json.Marshal(answer)
	if err := json.Unmarshal(again, &c); err != nil || len(c.Choices) != 1 {
		t.Fatalf("%v: %v", answer, err)
	}
	return c.Choices[0].Message.Content, c.Choices[0].Finish
}

// TestACompletion: the text of a turn, with a tool of the gateway that nobody sees.
func TestACompletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, look(), erase())
	for _, c := range []struct{ ask, want, finish string }{
		{"hi", "You say hi to me", "stop"},
		{"call look", "One moment.\n\nIt says seen here", "stop"},
		{"tools", "tools: erase look", "stop"},
		{"nothing", "I have nothing to add.", "stop"},
		{"long", "and so on", "length"},
		{"/new", "You say /new to me", "stop"}, // no command
	} {
		status, answer := w.do("ada", http.MethodPost, "/chat/completions", chat(c.ask))
		if status != http.StatusOK {
			t.Fatalf("%s: %d %v", c.ask, status, answer)
		}
		content, finish := contentOf(t, answer)
		if !strings.HasPrefix(content, c.want) || finish != c.finish {
			t.Errorf("%s: %q, %s", c.ask, content, finish)
		}
		use, _ := answer["usage"].(map[string]any)
		if answer["object"] != "chat.completion" || answer["model"] != "parley" || use["total_tokens"] == nil {
			t.Errorf("%v", answer)
		}
	}
}

// TestTheStreamOfACompletion: each chunk in its order.
func TestTheStreamOfACompletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, look())
	status, frames := w.frames(chat("call look", `"stream":true`, `"stream_options":{"include_usage":true}`))
	if status != http.StatusOK || len(frames) < 4 || frames[len(frames)-1] != "[DONE]" {
		t.Fatalf("%d %q", status, frames)
	}
	var text, shape []string
	ids := map[string]bool{}
	for _, f := range frames[:len(frames)-1] {
		var c struct {
			ID, Object string
			Usage      *struct{ TotalTokens int }
			Choices    []struct {
				Delta  map[string]any
				Finish *string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(f), &c); err != nil || c.Object != "chat.completion.chunk" {
			t.Fatalf("%s: %v", f, err)
		}
		if !strings.Contains(f, `"usage":`) {
			t.Errorf("no usage in %s", f)
		}
		ids[c.ID] = true
		switch {
		case len(c.Choices) == 0:
			shape = append(shape, fmt.Sprintf("usage %v", c.Usage != nil))
		case c.Choices[0].Finish != nil:
			shape = append(shape, "finish "+*c.Choices[0].Finish)
		default:
			text = append(text, fmt.Sprint(c.Choices[0].Delta["content"]))
			shape = append(shape, fmt.Sprintf("delta %v", c.Choices[0].Delta["role"]))
		}
	}
	if got := strings.Join(text, ""); got != "One moment.\n\nIt says seen here" {
		t.Errorf("%q", got)
	}
	if len(ids) != 1 || shape[0] != "delta assistant" || shape[1] != "delta <nil>" {
		t.Errorf("%v %v", ids, shape)
	}
	if d := cmp.Diff([]string{"finish stop", "usage true"}, shape[len(shape)-2:]); d != "" {
		t.Error(d)
	}
	_, frames = w.frames(chat("hi", `"stream":true`))
	if strings.Contains(strings.Join(frames, ""), "usage") {
		t.Errorf("usage that nobody asked for: %q", frames)
	}
}

// TestAToolOfTheClient: its call goes out alone, and the conversation goes on.
func TestAToolOfTheClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, look())
	_, answer := w.do("ada", http.MethodPost, "/chat/completions", chat("call look theirs", theirs))
	content, finish := contentOf(t, answer)
	spelled, _ := json.Marshal(answer["choices"])
	call := regexp.MustCompile(`"tool_calls":\[\{"function":\{"arguments":"\{\}","name":"theirs"\},"id":"call_c\w+-\w+_1","type":"function"\}\]`)
	if content != "One moment." || finish != "tool_calls" || !call.Match(spelled) {
		t.Errorf("%q %s %s", content, finish, spelled)
	}
	_, frames := w.frames(chat("call look theirs", theirs, `"stream":true`))
	all := strings.Join(frames, "\n")
	for _, want := range []string{
		`_1","type":"function","function":{"name":"theirs","arguments":""}}]`, `"tool_calls":[{"index":0,"id":"call_c`,
		`"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]`, `"finish_reason":"tool_calls"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in %s", want, all)
		}
	}
	if strings.Contains(all, "look") {
		t.Errorf("a tool of the gateway shows: %s", all)
	}
	_, answer = w.do("ada", http.MethodPost, "/chat/completions", `{"model":"parley",`+theirs+`,"messages":[
		{"role":"system","content":"Be brief."},
		{"role":"user","content":"call theirs"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c9","type":"function","function":{"name":"theirs","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c9","content":[{"type":"text","text":"their word"}]}]}`)
	if content, finish = contentOf(t, answer); content != "It says their word here" || finish != "stop" {
		t.Errorf("%q %s", content, finish)
	}
}

// TestTheToolsOfARequest: an empty list and the choice none take all tools away.
func TestTheToolsOfARequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, look())
	for more, want := range map[string]string{
		`"x":1`:                          "tools: look",
		theirs:                           "tools: look theirs",
		`"tools":[]`:                     "tools:",
		`"tool_choice":"none"`:           "tools:",
		theirs + `,"tool_choice":"none"`: "tools:",
		theirs + `,"tool_choice":"auto"`: "tools: look theirs",
		`"tools":[{"type":"function","function":{"name":"look"}}]`: "tools: look",
	} {
		_, answer := w.do("ada", http.MethodPost, "/chat/completions", chat("tools", more))
		if content, _ := contentOf(t, answer); content != want {
			t.Errorf("%s: %q", more, content)
		}
	}
}

// TestInstructionsComeBehindTheOperators: those of the system and of the developer.
func TestInstructionsComeBehindTheOperators(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted)
	_, answer := w.do("ada", http.MethodPost, "/chat/completions", `{"model":"parley","messages":[
		{"role":"system","content":"One."},{"role":"user","content":"system"},{"role":"developer","content":"Two."},
		{"role":"user","content":"system"}]}`)
	if content, _ := contentOf(t, answer); !strings.HasPrefix(content, "The channel is web.") || !strings.HasSuffix(content, "One.\n\nTwo.") {
		t.Errorf("%q", content)
	}
}

// TestRefusals: each in OpenAI's form, with the field that is wrong.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted)
	message := func(s string) string { return `{"model":"parley","messages":[` + s + `]}` }
	for _, c := range []struct {
		token, body string
		status      int
		param       string
	}{
		{"stranger", chat("hi"), http.StatusUnauthorized, ""},
		{"ada", `{`, http.StatusBadRequest, ""},
		{"ada", `{} {}`, http.StatusBadRequest, ""},
		{"ada", `{"messages":[]}`, http.StatusBadRequest, "model"},
		{"ada", `{"model":"small","messages":[]}`, http.StatusNotFound, "model"},
		{"chooser", chat("hi"), http.StatusNotFound, "model"},
		{"ada", message(``), http.StatusBadRequest, "messages"},
		{"ada", message(`{"role":"system","content":"x"}`), http.StatusBadRequest, "messages"},
		{"ada", message(`{"role":"god","content":"x"}`), http.StatusBadRequest, "messages[0].role"},
		{"ada", message(`{"role":"user","content":7}`), http.StatusBadRequest, ""},
		{"ada", message(`{"role":"user","content":[{"type":"image_url"}]}`), http.StatusBadRequest, "messages[0].content"},
		{"ada", message(`{"role":"user","content":"x"},{"role":"assistant","content":"y"}`), http.StatusBadRequest, "messages"},
		{"ada", message(`{"role":"tool","tool_call_id":"c","content":"y"}`), http.StatusBadRequest, "messages"},
		{
			"ada", message(`{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"look","arguments":"{}"}}]},{"role":"user"}`),
			http.StatusBadRequest, "messages",
		},
		{"ada", chat("hi", `"n":2`), http.StatusBadRequest, "n"},
		{"ada", chat("hi", `"response_format":{"type":"json_schema"}`), http.StatusBadRequest, "response_format"},
		{"ada", chat("hi", `"tools":[{"type":"custom"}]`), http.StatusBadRequest, "tools[0].type"},
		{"ada", chat("hi", `"tools":[{"type":"function","function":{"name":"a b"}}]`), http.StatusBadRequest, "tools[0]"},
		{"ada", chat("hi", `"tool_choice":"any"`), http.StatusBadRequest, "tool_choice"},
		{"ada", chat("hi", `"tool_choice":{"type":"function","function":{"name":"look"}}`), http.StatusBadRequest, "tool_choice"},
		{"ada", chat(strings.Repeat("x", channels.MaxSaidBytes+1)), http.StatusBadRequest, "messages"},
		{"ada", chat(strings.Repeat("x", 8<<20)), http.StatusRequestEntityTooLarge, ""},
	} {
		status, answer := w.do(c.token, http.MethodPost, "/chat/completions", c.body)
		e, _ := answer["error"].(map[string]any)
		param, _ := e["param"].(string)
		if status != c.status || param != c.param || e["message"] == "" || e["type"] == nil || e["code"] == nil || len(e) != 4 {
			t.Errorf("%.80s: %d %v", c.body, status, answer)
		}
	}
	for path, want := range map[string]int{
		"/nothing": http.StatusNotFound, "/models/none": http.StatusNotFound, "/chat/completions": http.StatusMethodNotAllowed,
	} {
		status, answer := w.do("ada", http.MethodGet, path, "")
		if e, _ := answer["error"].(map[string]any); status != want || len(e) != 4 {
			t.Errorf("%s: %d %v", path, status, answer)
		}
	}
}

// TestModelsOfAToken: those of its list that the gateway has, and ids with a slash.
func TestModelsOfAToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted)
	for token, want := range map[string]string{"ada": "[parley]", "chooser": "[small vendor/large]"} {
		_, list := w.do(token, http.MethodGet, "/models", "")
		var ids []any
		data, _ := list["data"].([]any)
		for _, d := range data {
			m, _ := d.(map[string]any)
			ids = append(ids, m["id"])
			status, one := w.do(token, http.MethodGet, fmt.Sprintf("/models/%v", m["id"]), "")
			if d := cmp.Diff(d, any(one)); status != http.StatusOK || d != "" {
				t.Errorf("%d %s", status, d)
			}
		}
		if got := fmt.Sprint(ids); got != want || list["object"] != "list" {
			t.Errorf("%s: %s", token, got)
		}
	}
	large := strings.Replace(chat("hi"), "parley", "vendor/large", 1)
	if status, _ := w.do("chooser", http.MethodPost, "/chat/completions", large); status != http.StatusOK {
		t.Errorf("a model of the list: %d", status)
	}
}
