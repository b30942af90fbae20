package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/faces"
	"parley/internal/test/fakemodel"
)

// wantsClock calls the program's own tool, and tells what it gave.
func wantsClock(req fakemodel.Request) fakemodel.Answer {
	if got := results(req); len(got) > 0 {
		return fakemodel.Say("told: " + strings.Join(got, ", "))
	}
	return fakemodel.Call("clock", `{}`)
}

// clockTool is the program's tool, in the form of most protocols.
const clockTool = `{"type":"function","function":{"name":"clock","description":"the time","parameters":{"type":"object"}}}`

// face is a protocol as a program speaks it.
type face struct {
	// asks begins a turn, and gives the id of the call that it ends with, and that of the answer.
	asks func(w *apiWorld) (call, answer string)
	// gives sends the result of the call, and gives the text of the answer.
	gives func(w *apiWorld, call, answer string) string
}

func callerFaces() map[string]face {
	return map[string]face{
		"native": {
			func(w *apiWorld) (call, _ string) {
				_, said := w.do(http.MethodPost, "/chats/main/messages", `{"message":"go","tools":[`+clockTool+`]}`, "1")
				for _, e := range w.follow(fmt.Sprint(said["after"]), isNamed("done")) {
					if e.Event == "tool_call" {
						call = field(e.Data, "id")
					}
				}
				return call, ""
			},
			func(w *apiWorld, call, _ string) (text string) {
				_, said := w.do(http.MethodPost, "/chats/main/messages", `{"tools":[`+clockTool+`],"messages":[{"role":"user","content":"go"},
					{"role":"assistant","tool_calls":[{"id":"`+call+`","type":"function","function":{"name":"clock","arguments":"{}"}}]},
					{"role":"tool","tool_call_id":"`+call+`","content":"noon"}]}`, "2")
				if said["after"] == "0-0" { // it is answered already
					_, page := w.do(http.MethodGet, "/chats/main", "", "")
					all, _ := page["messages"].([]any)
					return fmt.Sprint(all[len(all)-1].(map[string]any)["text"])
				}
				for _, e := range w.follow(fmt.Sprint(said["after"]), isNamed("done")) {
					if e.Event == "done" {
						text = field(e.Data, "text")
					}
				}
				return text
			},
		},
		"chat completions": {
			func(w *apiWorld) (string, string) {
				said := w.v1("/chat/completions", `{"model":"parley","messages":[{"role":"user","content":"go"}],"tools":[`+clockTool+`]}`, "1")
				return said.Choices[0].Message.ToolCalls[0].ID, ""
			},
			func(w *apiWorld, call, _ string) string {
				return w.v1("/chat/completions", `{"model":"parley","tools":[`+clockTool+`],"messages":[{"role":"user","content":"go"},
					{"role":"assistant","tool_calls":[{"id":"`+call+`","type":"function","function":{"name":"clock","arguments":"{}"}}]},
					{"role":"tool","tool_call_id":"`+call+`","content":"noon"}]}`, "2").Choices[0].Message.Content
			},
		},
		"responses": {
			func(w *apiWorld) (string, string) {
				said := w.v1("/responses", `{"model":"parley","input":"go","tools":[{"type":"function","name":"clock","parameters":{"type":"object"}}]}`, "1")
				return said.Output[0].CallID, said.ID
			},
			func(w *apiWorld, call, answer string) string {
				return w.v1("/responses", `{"model":"parley","previous_response_id":"`+answer+`",
					"tools":[{"type":"function","name":"clock","parameters":{"type":"object"}}],
					"input":[{"type":"function_call_output","call_id":"`+call+`","output":"noon"}]}`, "2").Output[0].Content[0].Text
			},
		},
		"AG-UI": {
			func(w *apiWorld) (string, string) {
				events := w.agui(`{"threadId":"main","runId":"1","messages":[{"id":"m1","role":"user","content":"go"}],` + aguiClock + `}`)
				for _, e := range events {
					if id := field(e, "toolCallId"); id != "" {
						return id, ""
					}
				}
				return "", ""
			},
			func(w *apiWorld, call, _ string) (text string) {
				for _, e := range w.agui(`{"threadId":"main","runId":"2","messages":[{"id":"m1","role":"user","content":"go"},
					{"id":"m2","role":"assistant","toolCalls":[{"id":"` + call + `","type":"function","function":{"name":"clock","arguments":"{}"}}]},
					{"id":"m3","role":"tool","toolCallId":"` + call + `","content":"noon"}],` + aguiClock + `}`) {
					text += field(e, "delta")
					if strings.Contains(e, "MESSAGES_SNAPSHOT") { // it is answered already
						var s struct{ Messages []struct{ Content string } }
						_ = json.Unmarshal([]byte(e), &s)
						text = s.Messages[len(s.Messages)-1].Content
					}
				}
				return text
			},
		},
	}
}

const aguiClock = `"tools":[{"name":"clock","description":"the time","parameters":{"type":"object"}}]`

// field is a text of a JSON object, or "".
func field(data, name string) string {
	var all map[string]any
	_ = json.Unmarshal([]byte(data), &all)
	text, _ := all[name].(string)
	return text
}

// v1Answer is what the tests read of an answer of /v1.
type v1Answer struct {
	ID      string
	Choices []struct {
		Message struct {
			Content   string
			ToolCalls []struct{ ID string } `json:"tool_calls"`
		}
	}
	Output []struct {
		CallID  string `json:"call_id"`
		Content []struct{ Text string }
	}
}

// v1 asks until the gateway answers; one that is no turn's ends the test.
func (w *apiWorld) v1(path, body, key string) (said v1Answer) {
	w.t.Helper()
	base := w.base
	w.base = strings.TrimSuffix(base, "/api") + "/v1"
	status, whole := w.do(http.MethodPost, path, body, key)
	w.base = base
	raw, err := json.Marshal(whole)
	if err != nil || json.Unmarshal(raw, &said) != nil || status != http.StatusOK || len(said.Choices)+len(said.Output) != 1 {
		w.t.Fatalf("%d %s %v", status, raw, err)
	}
	return said
}

// agui posts a run until it is taken, and gives its events.
func (w *apiWorld) agui(body string) (all []string) {
	w.t.Helper()
	for w.ctx.Err() == nil {
		req, err := faces.Request(w.ctx, http.MethodPost, strings.TrimSuffix(w.base, "/api")+"/agui", w.token, body)
		if err != nil {
			w.t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			continue
		}
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				all = append(all, data)
			}
		}
		_ = resp.Body.Close()
		return all
	}
	w.t.Fatal("no run")
	return nil
}

// TestAKillBetweenACallAndItsResult: the program has the call of its own tool when the process is
// killed, and sends the result to the next one. It reaches the model once, also when the process is
// killed behind the answer and the program sends the result again.
func TestAKillBetweenACallAndItsResult(t *testing.T) {
	t.Parallel()
	for name, f := range callerFaces() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newAPIWorld(t, wantsClock)
			call, answer := f.asks(w)
			if call == "" {
				t.Fatal("no call")
			}
			w.kill()
			w.start()
			const want = "told: noon"
			if text := f.gives(w, call, answer); text != want {
				t.Errorf("after a kill: %q", text)
			}
			w.kill()
			w.start()
			if text := f.gives(w, call, answer); text != want {
				t.Errorf("sent again after a kill: %q", text)
			}
			asked := slices.DeleteFunc(w.model.Requests(), func(r fakemodel.Request) bool { return len(results(r)) == 0 })
			if len(asked) != 1 {
				t.Errorf("%d requests had the result", len(asked))
			}
		})
	}
}
