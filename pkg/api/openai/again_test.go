package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/local"
	"parley/pkg/tools"
)

// TestAChatOfOneRequest: it is nobody's past, and a lasting one that a header names is.
func TestAChatOfOneRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
		var all []string
		for i := range msgs {
			if msgs[i].Role != providers.RoleSystem && !msgs[i].Aside {
				all = append(all, msgs[i].Content)
			}
		}
		return faces.Says(strings.Join(all, "|"))
	})
	ask := func(body string, header ...string) string {
		_, answer := w.do("ada", http.MethodPost, "/chat/completions", body, header...)
		content, _ := contentOf(t, answer)
		return content
	}
	const again = `{"model":"parley","messages":[{"role":"user","content":"one"},
		{"role":"assistant","content":"claimed"},{"role":"user","content":"two"}]}`
	ask(chat("one"))
	if got := ask(again); got != "one|claimed|two" {
		t.Errorf("%q", got)
	}
	ask(chat("one"), "X-Chat", "main")
	if got := ask(again, "X-Chat", "main"); got != "one|one|two" { // its own words, not the claimed ones
		t.Errorf("%q", got)
	}
	if got := ask(again, "X-Chat", "an/other"); got != "two" {
		t.Errorf("%q", got)
	}
}

// TestEqualKeysAreOneTurn: twenty at once, streamed and whole, and one that comes later; each
// reads the same answer. Another body under the key is refused.
func TestEqualKeysAreOneTurn(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Says(fmt.Sprintf("answer %d ", asked.Add(1)))
	})
	ask := func() {
		status, answer := w.do("ada", http.MethodPost, "/chat/completions", chat("hi"), "Idempotency-Key", "k1")
		if status != http.StatusOK {
			t.Errorf("%d %v", status, answer)
			return
		}
		if content, _ := contentOf(t, answer); content != "answer 1" {
			t.Errorf("%q", content)
		}
	}
	var asks sync.WaitGroup
	for range 20 {
		asks.Go(ask)
	}
	asks.Wait()
	ask()
	status, answer := w.do("ada", http.MethodPost, "/chat/completions", chat("another"), "Idempotency-Key", "k1")
	if status != http.StatusConflict {
		t.Errorf("%d %v", status, answer)
	}
	status, _ = w.do("helper", http.MethodPost, "/chat/completions", chat("hi"), "Idempotency-Key", "k1")
	if status != http.StatusOK || asked.Load() != 2 { // another token has keys of its own
		t.Errorf("%d, asked %d times", status, asked.Load())
	}
}

// TestAnAnswerWhoseEventsAreGone is read from the store.
func TestAnAnswerWhoseEventsAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, look())
	for key, body := range map[string]string{"a": chat("call look", theirs), "b": chat("call look theirs", theirs)} {
		var first map[string]any
		for _, when := range []string{"at once", "later"} {
			status, answer := w.do("ada", http.MethodPost, "/chat/completions", body, "Idempotency-Key", key)
			choices, _ := json.Marshal(answer["choices"])
			if first == nil {
				first = answer
				w.Forget()
				continue
			}
			want, _ := json.Marshal(first["choices"])
			if d := cmp.Diff(first["usage"], answer["usage"]); d != "" || strings.Contains(fmt.Sprint(answer["usage"]), "total_tokens:0") {
				t.Errorf("%s: %s", when, d)
			}
			if d := cmp.Diff(string(want), string(choices)); status != http.StatusOK || d != "" {
				t.Errorf("%s: %d %s", when, status, d)
			}
		}
	}
}

// TestAClientThatLeaves ends its turn, unless it has a key to come back with.
func TestAClientThatLeaves(t *testing.T) {
	t.Parallel()
	for name, header := range map[string][]string{"without a key": nil, "with a key": {"Idempotency-Key", "k1"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, ended := make(chan struct{}), make(chan error, 1)
			goOn := make(chan struct{})
			wait := faces.Tool("wait", tools.Annotations{ReadOnly: true, Level: tools.LevelChat}, func(ctx context.Context) string {
				close(begun)
				select {
				case <-ctx.Done():
				case <-goOn:
				}
				ended <- ctx.Err()
				return "waited"
			})
			w := newWorld(t, scripted, wait)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			left := make(chan struct{})
			go func() {
				defer close(left)
				req, err := faces.Request(ctx, http.MethodPost, w.URL+"/v1/chat/completions", "ada", chat("call wait"), header...)
				if err != nil {
					return
				}
				if resp, err := http.DefaultClient.Do(req); err == nil {
					_ = resp.Body.Close()
				}
			}()
			<-begun
			leave()
			<-left
			if header == nil {
				select {
				case err := <-ended:
					if !errors.Is(err, context.Canceled) {
						t.Errorf("the call went on: %v", err)
					}
				case <-time.After(faces.Patience):
					t.Error("the turn of a client that left goes on")
				}
				return
			}
			close(goOn)
			if err := <-ended; err != nil {
				t.Error(err)
			}
			_, answer := w.do("ada", http.MethodPost, "/chat/completions", chat("call wait"), header...)
			if content, _ := contentOf(t, answer); !strings.Contains(content, "It says waited here") {
				t.Errorf("%q", content)
			}
		})
	}
}

// TestAClientThatLeavesWhileItWaits behind the turn of another client does not end that one.
func TestAClientThatLeavesWhileItWaits(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	wait := faces.Tool("wait", tools.Annotations{ReadOnly: true, Level: tools.LevelChat}, func(ctx context.Context) string {
		close(begun)
		select {
		case <-ctx.Done():
			return "ended"
		case <-goOn:
			return "waited"
		}
	})
	w := newWorld(t, scripted, wait)
	first := make(chan string, 1)
	go func() {
		_, answer := w.do("ada", http.MethodPost, "/chat/completions", chat("call wait"), "X-Chat", "main")
		content, _ := contentOf(t, answer)
		first <- content
	}()
	<-begun
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	left := make(chan struct{})
	go func() {
		defer close(left)
		req, err := faces.Request(ctx, http.MethodPost, w.URL+"/v1/chat/completions", "ada", chat("a title"), "X-Chat", "main")
		if err != nil {
			return
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	w.waiting(2)
	leave()
	<-left
	if all := w.waiting(3); all[2].Inbound.Text != "/stop" || all[2].Inbound.Original != all[1].Inbound.ID {
		t.Errorf("behind the message %q stands %q of %q", all[1].Inbound.ID, all[2].Inbound.Text, all[2].Inbound.Original)
	}
	close(goOn)
	if got := <-first; !strings.Contains(got, "It says waited here") {
		t.Errorf("the other client gets %q", got)
	}
	w.Settled()
}

// mainChat is the lasting chat "main" of Ada.
var mainChat = channels.Address{Channel: "web", Chat: "web:ada.main"}

// waiting waits until so many messages of Ada's lasting chat have no answer, and returns them.
func (w *world) waiting(n int) []session.Item {
	w.T.Helper()
	for deadline := time.After(faces.Patience); ; {
		all, err := local.Reading(w.Store).Queued(w.T.Context(), mainChat, n)
		if err == nil && len(all) == n {
			return all
		}
		select {
		case <-deadline:
			w.T.Fatalf("%d messages wait: %v", len(all), err)
		case <-time.After(time.Millisecond):
		}
	}
}

// TestACallThatAPersonHasToAllow ends the answer with the place where it is allowed.
func TestACallThatAPersonHasToAllow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, erase())
	_, answer := w.do("ada", http.MethodPost, "/chat/completions", chat("call erase"))
	content, finish := contentOf(t, answer)
	if !strings.Contains(content, "has to allow the call of erase") || !strings.Contains(content, "POST /api/chats/once-") ||
		finish != "stop" {
		t.Errorf("%q %s", content, finish)
	}
	if raw, _ := json.Marshal(answer); strings.Contains(string(raw), "tool_calls") {
		t.Errorf("the call shows as one of the client: %s", raw)
	}
}
