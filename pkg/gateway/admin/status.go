package admin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/corpus"
	"parley/pkg/session"
)

// State is how a gateway does at a moment.
type State struct {
	// Running says that it takes in and answers.
	Running bool
	Since   time.Time
	// Model answers, for the reason Why.
	Model, Why string
	Channels   []ChannelReport
	// Unwritable says why a gateway that started now could not write its store, Audit
	// the same of the audit log, and Agent why AGENT.md cannot be used; "" is no reason.
	Unwritable, Audit, Agent string
}

// StatusReport is the answer to [Status]. The part about the gateway's work is there
// only while one is running.
type StatusReport struct {
	Version string `json:"version"`
	Running bool   `json:"running"`
	// PID is 0 where no gateway is running.
	PID      int             `json:"pid,omitempty"`
	Since    time.Time       `json:"since,omitzero"`
	Model    string          `json:"model,omitempty"`
	Why      string          `json:"why,omitempty"`
	Channels []ChannelReport `json:"channels"`
	// Empty says that there is no store yet. Store is nil where it cannot be read.
	Empty bool            `json:"empty,omitempty"`
	Store *session.Status `json:"store,omitempty"`
	// Audit says why the audit log cannot be written.
	Audit string `json:"audit,omitempty"`
	// Agent says why AGENT.md cannot be used.
	Agent string `json:"agent_file,omitempty"`
	// Trouble keeps messages from being answered as they should be: trouble of the store,
	// the audit log and AGENT.md.
	Trouble []string `json:"trouble,omitempty"`
	// Forgetting are the times at which forgets began that are under way, the oldest first.
	Forgetting []time.Time `json:"forgetting,omitempty"`
	// Corpora tells how far they are indexed.
	Corpora []corpus.Summary `json:"corpora,omitempty"`
	// Slow are the turns that have not begun to ask the model for longer than SlowTurn,
	// the oldest first, maxSlow of them at most.
	Slow []turn.SlowTurn `json:"slow_turns,omitempty"`
}

// ChannelReport is the health of one account of a channel.
type ChannelReport struct {
	Name    string          `json:"name"`
	Account string          `json:"account,omitempty"`
	Health  channels.Health `json:"health"`
}

// The status names turns that have not asked the model after SlowTurn.
const (
	SlowTurn = time.Minute
	maxSlow  = 20
)

// Status tells how the gateway does. It emits one [StatusReport].
func Status() Operation { return Operation{Name: "status", Handle: status} }

func status(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
	st, err := g.Engine.Status(ctx)
	if err != nil {
		return err
	}
	now := g.State()
	r := StatusReport{
		Version: g.Version, Running: now.Running, Empty: g.Store.None(), Store: &st, Channels: now.Channels, Audit: now.Audit, Agent: now.Agent,
	}
	if now.Running {
		r.PID, r.Since, r.Model, r.Why = os.Getpid(), now.Since, now.Model, now.Why
		states := g.Tools.Corpora.States(g.Tools.Corpora.Names())
		for i := range states {
			r.Corpora = append(r.Corpora, states[i].Summary())
		}
	} else if err := g.Store.Verify(ctx); err != nil {
		r.Trouble = append(r.Trouble, err.Error()+"; "+Program()+" store check lists the damage")
	}
	for _, trouble := range []string{st.WriteError, now.Unwritable, heldTrouble(st.Held), r.Audit, r.Agent} {
		if trouble != "" {
			r.Trouble = append(r.Trouble, trouble)
		}
	}
	under := g.Forgetting.UnderWay()
	for i := range under {
		r.Forgetting = append(r.Forgetting, under[i].Time)
	}
	r.Slow = g.Agent.Turns().Slow(SlowTurn)
	r.Slow = r.Slow[:min(len(r.Slow), maxSlow)]
	return emit(r)
}

// Damaged does a read-only operation on a store that cannot be read: the status tells
// of the damage, and every other operation fails with it.
func Damaged(op Operation, version string, damage error, emit Emit) error {
	cure := fmt.Sprintf("%v; %s store check says more, and the next start of the gateway moves the file aside and restores the "+
		"newest snapshot", damage, Program())
	if op.Name != Status().Name {
		return WithCode(CodeFailed, errors.New(cure))
	}
	return emit(StatusReport{Version: version, Channels: []ChannelReport{}, Trouble: []string{cure}})
}

// heldTrouble is the reason for which a store is held, with the cure; "" for none.
func heldTrouble(reason string) string {
	if reason == "" {
		return ""
	}
	return fmt.Sprintf(textHintRelease, reason, Program())
}
