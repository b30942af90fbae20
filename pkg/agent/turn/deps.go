package turn

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/budget"
	"parley/pkg/agent/ongoing"
	"parley/pkg/agent/places"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/summary"
	"parley/pkg/agent/trust"
	"parley/pkg/agent/zone"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// The words for the fate of messages that arrive while a turn runs.
const (
	// Steer lets them join the running turn at its next step.
	Steer = "steer"
	// Queue leaves them for the next turn.
	Queue = "queue"
	// Interrupt ends the running turn in their favour.
	Interrupt = "interrupt"
)

// Deps are the parts that all turns of an agent work with. Only Offered may be nil.
type Deps struct {
	Models Models
	Tools  *tools.ToolRegistry
	// Offered, when set, further narrows the tools of one chat.
	Offered func(a channels.Address, tool string) bool
	Limits  Limits
	// WhileBusy is [Steer], [Queue] or [Interrupt].
	WhileBusy string
	// Space names the folder of a chat's files.
	Space func(a channels.Address, owner bool) string
	Store Store
	// Rights find for whom an item asks.
	Rights   trust.Resolver
	Prompts  Prompts
	Meter    *budget.Meter
	Surfaces Surfaces
	// Places are the places of turns that a person waits for.
	Places    *places.Places
	Zones     *zone.Zones
	Tasks     Tasks
	Work      Work
	Approvals Approvals
	// Command is the name of the command that a text is, "" for any other text.
	Command func(text string) string
	// Redact removes secrets from everything that leaves.
	Redact func(string) string
	// Now is the wall clock of the schedules and of the days of budgets.
	Now func() time.Time
	Log zerolog.Logger
}

// Prompts read the conversations, and have the parts that fall out of them summarised.
type Prompts struct {
	*prompt.Reader

	Summaries *summary.Supervisor
	// Senses, when set, hear and see for the models.
	Senses Senses
	Facts  Facts
}

// Facts tell a turn what its chat was told to remember.
type Facts interface {
	// Told is that part of the prompt, or ""; outside says that content from outside is in it.
	Told(ctx context.Context, t *Turn) (told string, outside bool, err error)
}

// Keep brings the messages of a commit into the form in which the history keeps them, and
// says whether content from outside has a part in them.
func Keep(t *Turn, c *session.Commit) {
	c.Messages, c.Outside, c.Start = t.Deps.historyForm(c.Messages), t.Provenance.Tainted(), t.kind.Start
	if c.Summary != nil {
		c.Summary.Message.Content = t.Deps.Redact(c.Summary.Message.Content)
	}
}

// historyForm leaves out the parts that are of no use to the history, and every secret:
// a stored text goes into later prompts.
func (d *Deps) historyForm(messages []providers.Message) []providers.Message {
	out := make([]providers.Message, 0, len(messages))
	for i := range messages {
		if messages[i].Role == providers.RoleSystem {
			continue
		}
		m := messages[i]
		m.Content, m.Reasoning = d.Redact(m.Content), d.Redact(m.Reasoning)
		out = append(out, m)
	}
	return out
}

// Limits bound one turn.
type Limits struct {
	// Iterations bounds the model rounds (0: 10), Parallel the calls that run at once (0: 4).
	Iterations, Parallel int
	// ContextTokens and ContextEntries bound the history that is sent to the model.
	ContextTokens, ContextEntries int
}

// Store is the part of the engine that turns read beside their own records.
type Store interface {
	// Receipt is that of [session.Outbox].
	Receipt(ctx context.Context, outboundID string) (channels.Receipt, error)
}

// Approvals ask people about calls.
type Approvals interface {
	// Gate is the gate of a turn's calls.
	Gate(t *Turn) tools.Gate
	// Asked is told of each question when it is put.
	Asked(a *session.Approval)
	// Arrived is told of each item that waits behind a running turn: it may be an answer
	// that the turn waits for.
	Arrived(ctx context.Context, t *Turn, it *session.Item)
}

// Tasks keep the tasks of calls that go on in the background.
type Tasks interface {
	// Arm makes the context in which the work of a task that begins is done. It keeps the
	// invocation and ends with the task.
	Arm(ctx context.Context, inv tools.Invocation, t session.Task) context.Context
	// EndQuietly ends the task of a call which does not outlast its turn. Its chat is not told.
	EndQuietly(ctx context.Context, id string, state session.TaskState) error
	// Finish brings the result of a task's work home; the task may be over.
	Finish(ctx context.Context, id string, result *tools.ToolResult)
}

// Work is told how the work of tasks goes on; a task may be over.
type Work interface {
	// Returned notes that the call of a task has returned and the work has not.
	Returned(id string)
	// ShowProgress shows how far the work is. It does not wait for a channel.
	ShowProgress(id, line string)
	// Taint notes that the result brings in content from outside.
	Taint(id string)
	// Note notes a call of a tool for a conversation until it has ended, also where its turn is over
	// before.
	Note(of ongoing.Of, name string) (ended func())
}
