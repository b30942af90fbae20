package agent_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
)

// TestAScheduleEndsWithItsToken: a schedule that a turn of a token made runs with no more
// than the token has at that time, and is paused once the token is revoked. A person who
// writes its text anew takes it over.
func TestAScheduleEndsWithItsToken(t *testing.T) {
	t.Parallel()
	for name, taken := range map[string]bool{"revoked": false, "taken over": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := &token{}
				k.level.Store(policy.LevelRead)
				p := keeping(t, withToken(k))
				wish := &channels.Wish{Level: "write", Credential: "token/1", Model: "b", Tools: []string{"keep"}}
				p.wishing(`{"do":"put","id":"j1","text":"one"}`, wish)
				p.next("ok")
				j := p.job("j1")
				if j.Wish == nil || j.Wish.Credential != "token/1" || j.Wish.Model != "b" || j.Wish.Tools != nil || j.Principal.Level != "read" {
					t.Fatalf("job %+v", j)
				}
				k.level.Store(policy.LevelChat)
				if got := (<-p.sent).Text; !strings.Contains(got, "runs with the present level of") || !strings.Contains(got, "chat instead of read") {
					t.Errorf("with a lower level: %q", got)
				}
				if taken {
					p.write("1", "1", `{"do":"put","id":"j1","text":"two"}`)
					p.next("ok")
				}
				k.gone.Store(true)
				got := (<-p.sent).Text
				if refused := strings.Contains(got, "the token that it was made with, no longer has access"); refused == taken {
					t.Errorf("behind the revocation: %q", got)
				}
				if j := p.job("j1"); j.Paused == taken {
					t.Errorf("job %+v", j)
				}
			})
		})
	}
}

// TestAScheduleOfAScheduleHasTheToken, and so have the calls that it asks about.
func TestAScheduleOfAScheduleHasTheToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			switch m := last(msgs); {
			case m.Role == providers.RoleTool:
				return say("ok")
			case strings.HasPrefix(m.Content, "[schedule]"):
				return call("keep", `{"do":"put","id":"j2","text":"child"}`)
			default:
				return call("keep", `{"do":"put","id":"j1","text":"parent"}`)
			}
		}, func(w *world) { w.opts.Tools.Register(w.keeper()) })
		p.wishing("go", &channels.Wish{Credential: "token/1"})
		p.next("ok")
		<-time.After(time.Hour)
		p.next("ok")
		if j := p.job("j2"); j.Wish == nil || j.Wish.Credential != "token/1" {
			t.Errorf("job %+v", j)
		}
	})
}
