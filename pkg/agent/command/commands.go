package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/session"
)

// Answer carries out a command of another room; arg follows it.
type Answer func(ctx context.Context, t *turn.Turn, arg string) (turn.Reply, error)

// Options are the parts that commands work with.
type Options struct {
	// Sessions are the conversations of the chat.
	Sessions Sessions
	// Uses tells who asked in earlier turns; it is that of [session.Turns].
	Uses func(ctx context.Context, chat string, f func(session.TurnUse) bool) error
	// TakeBack closes the open questions of turns that are taken out of the conversation.
	TakeBack func(ctx context.Context, t *turn.Turn, turns []string) ([]session.Approval, []channels.Outbound, error)
	// Approvals lists the approvals of a chat.
	Approvals func(ctx context.Context, chat string) ([]session.Approval, error)
	// Granted lists in lines the calls that are allowed in advance in the chat of a turn.
	Granted func(ctx context.Context, t *turn.Turn) (string, error)
	// Status is that of the store.
	Status func(ctx context.Context) (session.Status, error)
	// Indexed tells how far the corpora of a chat are indexed, or ""; nil: there are none.
	Indexed func(at channels.Address) string
	// Schedule, Tasks, Cancel, Revoke, Forget and Memory answer the commands of these names.
	Schedule, Tasks, Cancel, Revoke, Forget, Memory Answer
	// Link and Unlink show the chat on a page, and no more; nil: there are no such commands.
	Link, Unlink Answer
	// Has says whether the channel of a chat has what a command needs.
	Has func(at channels.Address, need Need) bool
}

// Sessions are conversations; the methods are those of [session.Sessions].
type Sessions interface {
	Get(ctx context.Context, sessionID string) (session.Info, error)
	Left(ctx context.Context, chat string, limit int) ([]session.Info, error)
	Tail(ctx context.Context, sessionID string, before uint64, f func(session.Entry) bool) error
	Back(ctx context.Context, sessionID string, before uint64, f func(session.Entry) bool) error
}

// Kind is the row of turns of commands. /tool is a message's turn.
func Kind(o Options) turn.Kind {
	return turn.Kind{
		Fits: isCommandTurn,
		Handler: func(t *turn.Turn) turn.Handler {
			name, arg, _ := Read(t.Info.Items[0].Inbound.Text)
			return &commandTurn{Message: turn.Message{T: t}, o: &o, name: name, arg: arg}
		},
		Purpose: session.ForPeople, Start: session.StartSequel, Late: turn.WrittenLate,
	}
}

// commandTurn is the turn of a command. A command is answered without a model; only
// /compact asks it, and /tool, which is a message's turn.
type commandTurn struct {
	turn.Message
	o         *Options
	name, arg string
}

func isCommandTurn(info *session.TurnInfo) bool {
	it := &info.Items[0]
	if it.Inbound == nil {
		return false
	}
	name, _, ok := Read(it.Inbound.Text)
	switch {
	case !ok || name == toolCommand || name == retryCommand:
		return false
	case len(info.Steps) > 0: // no command has steps: an earlier build began it as a message
		return false
	}
	_, known := Find(name)
	// Of a command that there is not, earlier builds stored a message, perhaps with others.
	return known || name == startCommand || it.Solo
}

func (h *commandTurn) Begin(ctx context.Context) (turn.Input, error) {
	items, err := h.T.Admit(ctx)
	if err != nil {
		return turn.Input{}, err
	}
	h.T.Take(items)
	re, err := h.answer(ctx)
	if err != nil {
		return turn.Input{}, err
	}
	failpoint.Hit("C1")
	err = h.T.Commit(ctx, re)
	failpoint.Hit("C2")
	return turn.Input{}, turn.Done(err)
}

// answer carries out the command.
func (h *commandTurn) answer(ctx context.Context) (turn.Reply, error) {
	re := turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}}
	if re.Text = surplus(h.T, h.name, h.arg); re.Text != "" {
		return re, nil
	}
	var err error
	switch h.name {
	case "help":
		re.Text = help(h.T, h.o)
	case startCommand:
		re.Text = fmt.Sprintf(textHello, turn.ModelOf(h.T, turn.RoleChat).Title(), help(h.T, h.o))
	case "new":
		re.NewSession = true
		re.Text = textNewConversation
		err = h.T.Deps.Prompts.Summaries.Drop(ctx, h.T.Info.Session)
	case "stop":
		re.Text = h.stop(ctx)
	case "status":
		re.Text = h.status(ctx)
	case "tools":
		re.Text = h.tools()
	case "model":
		h.model(&re)
	case "usage":
		re.Text, err = h.usage(ctx)
	case "compact":
		return h.compact(ctx)
	case "copy":
		re.Text = textCopyElsewhere
	default:
		if other := h.others()[h.name]; other != nil {
			return other(ctx, h.T, h.arg)
		}
		re.Text = unknown(h.T, h.o, h.name)
	}
	return re, err
}

// others are the commands that other parts answer.
func (h *commandTurn) others() map[string]Answer {
	c := conversation{h.T, h.o, h.arg}
	return map[string]Answer{
		"schedule": h.o.Schedule, "tasks": h.o.Tasks, "cancel": h.o.Cancel, "revoke": h.o.Revoke, "forget": h.o.Forget,
		"memory": h.o.Memory,
		"link":   h.o.Link, "unlink": h.o.Unlink,
		"history": func(ctx context.Context, _ *turn.Turn, _ string) (turn.Reply, error) { return c.history(ctx) },
		"undo":    func(ctx context.Context, _ *turn.Turn, _ string) (turn.Reply, error) { return c.undo(ctx) },
		"resume":  func(ctx context.Context, _ *turn.Turn, _ string) (turn.Reply, error) { return c.resume(ctx) },
	}
}

// stop answers /stop. A turn that was stopped for it has already said so; where the
// platform refused that, it is said again.
func (h *commandTurn) stop(ctx context.Context) string {
	switch ended, told := h.T.Interrupts().SaidStopped(ctx, h.T.Info.Items[0].ID); {
	case told:
		return ""
	case ended:
		return turn.TextStopped
	default:
		return textNothingToStop
	}
}

// entries counts those of a conversation in words.
func entries(n uint64) string {
	if n == 1 {
		return textOneEntry
	}
	return fmt.Sprintf(textEntries, n)
}

func (h *commandTurn) status(ctx context.Context) string {
	var b strings.Builder
	fmt.Fprintf(&b, textStatusModel, turn.ModelOf(h.T, turn.RoleChat).Title())
	if info, err := h.o.Sessions.Get(ctx, h.T.Info.Session); err == nil {
		fmt.Fprintf(&b, textStatusConversation, info.Session, entries(info.Entries), h.T.Clock.Here(info.Created))
	}
	fmt.Fprintf(&b, textStatusLevel, h.T.Principal.Level)
	if all, err := h.o.Approvals(ctx, h.T.Info.Chat); err == nil {
		for i := range all {
			if q := &all[i]; q.State == session.ApprovalOpen && time.Now().Before(q.Expires) {
				fmt.Fprintf(&b, textStatusApproval, q.Call.Tool, q.ID, h.T.Clock.Here(q.Expires))
			}
		}
	}
	if granted, err := h.o.Granted(ctx, h.T); err == nil && granted != "" {
		b.WriteString(granted + fmt.Sprintf(textStatusRevoke, h.T.Typed("revoke")))
	}
	if h.o.Indexed != nil {
		b.WriteString(h.o.Indexed(h.T.Origin.Address))
	}
	if st, err := h.o.Status(ctx); err == nil && h.T.Principal.Owner {
		others := st.Waiting - min(st.Waiting, len(h.T.Info.Items)) // without this command
		fmt.Fprintf(&b, textStatusWaiting, others, st.Sending, st.OpenTasks)
		if st.WriteError != "" {
			fmt.Fprintf(&b, textStatusUnwritable, st.WriteError)
		}
	}
	return strings.TrimSpace(b.String())
}
