package agent_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/providers"
)

// TestANewcomerHasAPlace: behind hundreds of chats that wait, a person who writes now
// is answered at once, again and again, and the longest waiting get their answers
// meanwhile, in order. That holds as well where chats wait for lanes of the store
// first.
func TestANewcomerHasAPlace(t *testing.T) {
	t.Parallel()
	for name, lanes := range map[string]int{"chats wait for places": 0, "chats wait for lanes": 64} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { newcomersWait(t, lanes) })
		})
	}
}

func newcomersWait(t *testing.T, lanes int) {
	t.Helper()
	const chats, places = 300, 8
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		<-time.After(time.Second)
		return say(last(msgs).Content)
	}), nil, withOptions(func(o *agent.Options) { o.Limits.Turns = places }), func(w *world) { w.lanes = lanes })
	for n := range chats {
		w.write(fmt.Sprint("c", n), "2", fmt.Sprint("chat ", n))
		<-time.After(time.Millisecond) // each came at another time
	}
	began := time.Now()
	answers := map[string]time.Duration{}
	wrote := map[string]time.Time{}
	take := func() {
		o := <-w.sent
		answers[o.Text], wrote[o.Text] = time.Since(began), o.Asked
	}
	var waited time.Duration
	for n := range 10 {
		<-time.After(2 * time.Second)
		name, asked := fmt.Sprint("newcomer ", n), time.Now()
		w.write(name, "3", name)
		for answers[name] == 0 {
			take()
		}
		waited = max(waited, time.Since(asked))
		if !wrote[name].Equal(asked) { // a channel with many answers goes by it too
			t.Errorf("the answer says that its person wrote at %v, not at %v", wrote[name], asked)
		}
	}
	for len(answers) < chats+10 {
		take()
	}
	if waited > 3*time.Second {
		t.Errorf("a newcomer waited %v", waited)
	}
	if first, middle := answers["chat 20"], answers[fmt.Sprint("chat ", chats/2)]; first > 10*time.Second || middle > time.Minute {
		t.Errorf("those who wait longest waited %v and %v", first, middle)
	}
}
