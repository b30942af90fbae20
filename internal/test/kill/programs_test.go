package kill_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/test/rig"
	"parley/internal/test/testtools"
	"parley/internal/tools/promises"
)

// face is a protocol by which programs that nobody here wrote ask, and ask again.
type face struct {
	name, path string
	header     []string
	// chat is the one that keeps the turn, by its id in the native API; "" for none that lasts.
	chat string
	// body asks a text, and is the same request each time.
	body func(text string) map[string]any
	// whole reads an answer to its end: false where it broke off.
	whole func(r io.Reader) (text string, ok bool)
}

func said(text string) []map[string]any {
	return []map[string]any{{"id": "m1", "role": "user", "content": text}}
}

// faces are those of the OpenAI API, streamed and whole, in chats of one request and in lasting ones,
// and AG-UI.
func faces() []face {
	completion := func(stream bool) func(string) map[string]any {
		return func(text string) map[string]any {
			return map[string]any{"model": "parley", "stream": stream, "messages": said(text)}
		}
	}
	key := []string{"Idempotency-Key", "the key"}
	return []face{
		{"completion", "/v1/chat/completions", key, "", completion(false), wholeCompletion},
		{"stream", "/v1/chat/completions", append([]string{"X-Chat", "program"}, key...), "program", completion(true), streamedCompletion},
		{"response", "/v1/responses", key, "lasts", func(text string) map[string]any {
			return map[string]any{"model": "parley", "conversation": "lasts", "input": text}
		}, wholeResponse},
		{"agui", "/agui", nil, "thread", func(text string) map[string]any {
			return map[string]any{"threadId": "thread", "runId": "1", "messages": said(text)}
		}, wholeRun},
	}
}

func wholeCompletion(r io.Reader) (string, bool) {
	var a struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if json.NewDecoder(r).Decode(&a) != nil || len(a.Choices) != 1 {
		return "", false
	}
	return a.Choices[0].Message.Content, true
}

func wholeResponse(r io.Reader) (text string, ok bool) {
	var a struct {
		Status string
		Output []struct{ Content []struct{ Text string } }
	}
	if json.NewDecoder(r).Decode(&a) != nil || a.Status != "completed" {
		return "", false
	}
	for _, o := range a.Output {
		for _, c := range o.Content {
			text += c.Text
		}
	}
	return text, true
}

// records are the data of a stream of events, to its end.
func records(r io.Reader, tell func(data string)) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			tell(data)
		}
	}
}

func streamedCompletion(r io.Reader) (text string, ok bool) {
	records(r, func(data string) {
		var c struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if data == "[DONE]" {
			ok = true
		} else if json.Unmarshal([]byte(data), &c) == nil && len(c.Choices) == 1 {
			text += c.Choices[0].Delta.Content
		}
	})
	return text, ok
}

// wholeRun is what a run says last: its own words, or those of the store where its events are gone.
func wholeRun(r io.Reader) (text string, ok bool) {
	records(r, func(data string) {
		var e struct {
			Type, Delta string
			Messages    []struct{ Role, Content string }
		}
		if json.Unmarshal([]byte(data), &e) != nil {
			return
		}
		switch e.Type {
		case "TEXT_MESSAGE_START":
			text = ""
		case "TEXT_MESSAGE_CONTENT":
			text += e.Delta
		case "MESSAGES_SNAPSHOT":
			text = e.Messages[len(e.Messages)-1].Content
		case "RUN_FINISHED":
			ok = true
		}
	})
	return text, ok
}

// answerTo sends the request until it has its whole answer.
func (p *onWeb) answerTo(ctx context.Context, f *face, body string) (text string) {
	p.insist(ctx, func() (done bool) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(p.base, "/api/chats/")+f.path, strings.NewReader(body))
		if err != nil {
			return false
		}
		req.Header.Set("Authorization", "Bearer "+p.token)
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(f.header); i += 2 {
			req.Header.Set(f.header[i], f.header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode >= http.StatusBadRequest && resp.StatusCode < http.StatusInternalServerError {
			raw, _ := io.ReadAll(resp.Body)
			p.violates("%s: %d %s", f.name, resp.StatusCode, raw)
			return true
		}
		text, done = f.whole(resp.Body)
		return done
	})
	return text
}

// TestKillProgramsAtEachPoint kills the gateway at each point of a turn that a program asked for over
// the OpenAI API or AG-UI. The program sends its request again until it has the whole answer: there is
// one turn, its call with an effect ran once or it is unknown whether it did, and the same request again
// has the same answer. P3 and P12 do not exist there, and P9 is a word of a tool.
func TestKillProgramsAtEachPoint(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	all := slices.DeleteFunc(points(), func(p point) bool { return slices.Contains([]string{"P3", "P9", "P12"}, p.name) })
	for i, f := range faces() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			some := all
			if seeds == 1 { // the steps of a turn are those of the engine: each face has every fourth, and all have all
				some = nil
				for j := i; j < len(all); j += len(faces()) {
					some = append(some, all[j])
				}
				some = append(some, point{name: "P2"}, point{name: "P11"})
			}
			eachSeed(t, some, func(t *testing.T, p point, seed int) {
				t.Helper()
				killProgram(t, &f, p, seed)
			})
		})
	}
}

func killProgram(t *testing.T, f *face, p point, seed int) {
	t.Helper()
	rng := newRand("program"+f.name+p.name, seed)
	w := newWebWorld(t)
	w.model.Delay(time.Duration(rng.IntN(10)) * time.Millisecond)
	program, _ := w.platform.(*onWeb)
	nonce, note := fmt.Sprintf("%012x", rng.Uint64N(1<<48)), fmt.Sprintf("note %012x", rng.Uint64N(1<<48))
	raw, err := json.Marshal(f.body(rig.Script{Rounds: [][]rig.ScriptCall{
		{{Tool: "lookup", Args: map[string]any{"text": "a word"}}}, {{Tool: "effect", Args: map[string]any{"text": note}}},
	}}.Ask(nonce)))
	if err != nil {
		t.Fatal(err)
	}
	dying := w.start(p.name + ":1")
	answer := make(chan string, 1)
	go func() { answer <- program.answerTo(w.ctx, f, string(raw)) }()
	w.died(dying, p.name)
	last := w.start("")
	first := <-answer
	if !strings.Contains(first, "rq"+nonce) {
		t.Errorf("the answer is %q", first)
	}
	if again := program.answerTo(w.ctx, f, string(raw)); again != first {
		t.Errorf("the same request again: %q, before %q", again, first)
	}
	if f.chat != "" {
		asked, told := program.history(w.ctx, f.chat, nonce)
		if asked != 1 || told != 1 {
			t.Errorf("the chat has the request %d times and its answer %d times", asked, told)
		}
	}
	w.terminate(last)
	w.storeCheck()
	effects, err := testtools.ReadEffects(w.effects)
	if err != nil {
		t.Fatal(err)
	}
	unknown := strings.Contains(w.lastResult("effect"), "unknown whether it took effect")
	if len(effects) > 1 || len(effects) == 0 && !unknown {
		t.Errorf("the call ran %d times, and the model was told %q", len(effects), w.lastResult("effect"))
	}
	row := tally{channel: f.name, point: p.name, crashes: 1, asks: 1}
	if len(effects) > 1 {
		row.reruns = 1
	}
	summary.add(row)
}

// history counts the messages of a chat that ask with a nonce, and those that answer it.
func (p *onWeb) history(ctx context.Context, chat, nonce string) (asked, told int) {
	p.insist(ctx, func() bool {
		resp := p.ask(ctx, p.token, http.MethodGet, chat, "", "")
		if resp == nil {
			return false
		}
		defer func() { _ = resp.Body.Close() }()
		var h struct{ Messages []struct{ Role, Text string } }
		if json.NewDecoder(resp.Body).Decode(&h) != nil {
			return false
		}
		asked, told = 0, 0
		for _, m := range h.Messages {
			if m.Role == "user" && strings.Contains(m.Text, "nq"+nonce) {
				asked++
			}
			if m.Role == "assistant" && strings.Contains(m.Text, "rq"+nonce) {
				told++
			}
		}
		return true
	})
	return asked, told
}
