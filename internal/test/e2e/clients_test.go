package e2e_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/node"
)

// asClientsExpect is a model that does what the last words say.
func asClientsExpect(req fakemodel.Request) fakemodel.Answer {
	asked := req.LastUser()
	switch found := results(req); {
	case len(found) > 0:
		return fakemodel.Say("It says " + found[len(found)-1])
	case asked == "effect" || asked == "effect_asked":
		return fakemodel.Call(asked, `{"text":"once"}`)
	case asked == "theirs":
		return fakemodel.Call("theirs", "{}")
	case asked == "json":
		return fakemodel.Say(`{"a":1}`)
	case asked == "slow":
		return fakemodel.Answer{Fault: fakemodel.Fault{Silence: true}}
	case asked == "fail":
		return fakemodel.Answer{Fault: fakemodel.Fault{Status: http.StatusBadRequest, Message: "no"}}
	default:
		return fakemodel.Say("You say " + asked)
	}
}

// TestRealClients has clients that nobody here wrote talk to the gateway, on Node from npm:
// PARLEY_CLIENTS=1 asks for it, because npm fetches them. Each has a text, a stream, a tool of
// its own, a tool of the gateway, an error, an abort and an approval. A turn that a client left
// does not go on: the model is silent there, so nothing else ends it soon.
func TestRealClients(t *testing.T) {
	t.Parallel()
	clients := node.Install(t)
	for _, script := range []string{"openai.mjs", "aisdk.mjs", "agents.mjs"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			w := newAPIWorld(t, asClientsExpect)
			approver := w.makesToken("web:ada", "--level", "write", "--right", "approve").Secret
			out := clients.Run(w.ctx, t, append(w.forClients(), "PARLEY_APPROVER="+approver), script)
			if !strings.HasSuffix(string(out), "all done\n") {
				t.Errorf("%s", out)
			}
			w.rests()
			t.Logf("%s", out)
		})
	}
}

// TestEqualKeysOfARealClient: twenty equal requests at once are one turn, and twenty responses
// are another, with a kill in the middle of both answers; the client sends them again by
// itself. The kill waits for both turns, because a kill within a call leaves it unfinished.
func TestEqualKeysOfARealClient(t *testing.T) {
	t.Parallel()
	clients := node.Install(t)
	var killed atomic.Bool
	reached := make(chan struct{}, 2)
	w := newAPIWorld(t, breaksOff(&killed, func() { reached <- struct{}{} }))
	var asks sync.WaitGroup
	asks.Go(func() {
		out := clients.Run(w.ctx, t, append(w.forClients(), "PARLEY_ANSWER="+brokenAnswer), "keys.mjs")
		if !strings.HasSuffix(string(out), "all done\n") {
			t.Errorf("%s", out)
		}
	})
	for range cap(reached) {
		select {
		case <-reached:
		case <-w.ctx.Done():
			t.Fatal("no answer was begun")
		}
	}
	killed.Store(true)
	w.kill()
	w.start()
	asks.Wait()
	if n := w.ran(); n != 2 {
		t.Errorf("the calls ran %d times", n)
	}
}

// forClients is the environment of the clients.
func (w *apiWorld) forClients() []string {
	return []string{"PARLEY_BASE=" + strings.TrimSuffix(w.base, "/api") + "/v1", "PARLEY_TOKEN=" + w.token}
}

// rests waits until no message waits and no turn runs.
func (w *apiWorld) rests() {
	w.t.Helper()
	for {
		status, err := w.gw.Status(w.ctx)
		if err != nil {
			w.t.Fatal(err)
		}
		if status.Waiting == 0 {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}
