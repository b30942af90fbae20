package e2e_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/pkg/httpd"
)

// TestACompletionOverAKill: twenty equal requests with one key are one turn, with a kill in
// the middle of the answer; each of them ends with the whole answer, and the call with an
// effect ran once.
func TestACompletionOverAKill(t *testing.T) {
	t.Parallel()
	var killed atomic.Bool
	reached := make(chan struct{})
	once := sync.OnceFunc(func() { close(reached) })
	w := newAPIWorld(t, breaksOff(&killed, once))
	w.base = strings.TrimSuffix(w.base, "/api") + "/v1"
	const body = `{"model":"parley","messages":[{"role":"user","content":"do it"}]}`
	ask := func() {
		status, whole := w.do(http.MethodPost, "/chat/completions", body, "key-1")
		var c struct {
			Choices []struct{ Message struct{ Content string } }
		}
		raw, err := json.Marshal(whole)
		if err != nil || json.Unmarshal(raw, &c) != nil || status != http.StatusOK || len(c.Choices) != 1 ||
			c.Choices[0].Message.Content != brokenAnswer {
			t.Errorf("%d %s %v", status, raw, err)
		}
	}
	var asks sync.WaitGroup
	for range 20 {
		asks.Go(ask)
	}
	<-reached
	killed.Store(true)
	w.kill()
	w.start()
	asks.Wait()
	ask()
	w.kill()
	w.start()
	ask() // the events of the turn are gone
	if n := w.ran(); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
}

// TestNoClientWaitsForTheModelOfAnother: as many turns of a person as may be shown at once
// ask the model, which answers when it has all of them.
func TestNoClientWaitsForTheModelOfAnother(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	all := make(chan struct{})
	w := newAPIWorld(t, func(fakemodel.Request) fakemodel.Answer {
		if asked.Add(1) == httpd.MaxStreams {
			close(all)
		}
		select {
		case <-all:
		case <-t.Context().Done():
		}
		return fakemodel.Say("hello")
	})
	w.base = strings.TrimSuffix(w.base, "/api") + "/v1"
	var asks sync.WaitGroup
	for range httpd.MaxStreams {
		asks.Go(func() {
			const body = `{"model":"parley","messages":[{"role":"user","content":"hi"}]}`
			if status, answer := w.do(http.MethodPost, "/chat/completions", body, ""); status != http.StatusOK {
				t.Errorf("%d %v", status, answer)
			}
		})
	}
	asks.Wait()
}
