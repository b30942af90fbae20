package agent

import (
	"context"
	"errors"
	"strings"

	"parley/pkg/agent/budget"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// limited ends a turn at a limit; acted says that it did something before. People
// are told each time. A job or a background follow-up that cannot begin is told of
// once a day, and its item is listed as failed each time.
func (r *run) limited(ctx context.Context, messages []providers.Message, acted bool, l *budget.LimitError) error { //nolint:revive // flag-parameter: it is what is said
	text := l.PersonMessage()
	if acted {
		text = "I stopped before I was done. " + text + " What was done until then stays done."
	}
	r.log().Warn().Str("reason", l.Error()).Bool("acted", acted).Msg("a turn is at the limit of its chat")
	it := &r.info.Items[0]
	if !acted && r.task == nil {
		switch {
		case it.Kind == session.ItemTask:
			return r.untold(ctx, it, messages, l)
		case it.Job != nil:
			return r.skipJob(ctx, it.Job, l)
		}
	}
	if report := r.rawReport(); report != "" {
		text += "\n\n" + report
	}
	return r.unanswered(ctx, messages, l.Error(), text)
}

// untold ends the turn of a task's result that no model can look at. The result is
// in the history. Whoever was not shown it is told of each such task; the report of an
// agent, which nobody was shown, is sent as it is.
func (r *run) untold(ctx context.Context, it *session.Item, messages []providers.Message, l *budget.LimitError) error {
	c := session.Commit{
		Outcome: session.OutcomeFailed, Reason: l.Error(),
		Messages: append(messages, assistant("(not looked at: "+l.Error()+")")),
	}
	var text string
	switch report := r.rawReport(); {
	case report != "":
		text = report + "\n\nI have not looked at it. " + l.PersonMessage()
	case strings.Contains(it.Text, notTold):
		text = "Work in the background has ended, and I cannot look at its result today. " + l.PersonMessage() + " The result is kept in this conversation: ask me about it."
	default:
		c.Outbox = []channels.Outbound{r.dayNotice("Work in the background has ended, and I have not looked at its result. "+l.PersonMessage(), l)}
		return r.commit(ctx, c, "")
	}
	c.Messages[len(c.Messages)-1].Content = text
	return r.commit(ctx, c, text)
}

// skipJob ends the turn of a job that does not run. One that would not run again
// is told of each time.
func (r *run) skipJob(ctx context.Context, j *session.Job, l *budget.LimitError) error {
	c := session.Commit{
		Outcome: session.OutcomeFailed, Reason: l.Error(),
		Ran: &session.JobRun{ID: j.ID, Time: r.wall, Reason: l.Error(), Skipped: true},
	}
	text := jobName(j) + " did not run. " + l.PersonMessage()
	now, err := r.a.o.Engine.Job(ctx, j.ID)
	if errors.Is(err, session.ErrNotFound) || err == nil && now.Due.IsZero() {
		return r.commit(ctx, c, text+" It does not run again by itself.")
	}
	c.Outbox = []channels.Outbound{r.dayNotice(text+" The others of today that meet the limit are skipped without a word.", l)}
	return r.commit(ctx, c, "")
}

// dayNotice is a message that leaves once a day in a chat for each purpose and limit.
func (r *run) dayNotice(text string, l *budget.LimitError) channels.Outbound {
	return r.outbound(r.usage.NoticeID(l), text, "")
}

// newUsage is the account of the turn, which counts in the chat that it works for.
func (r *run) newUsage() *budget.TurnUsage {
	return r.a.meter.Turn(budget.Turn{
		Chat: r.info.Chat, Payer: r.home, Purpose: r.purpose(), Began: r.wall, Zone: r.location,
		Steps: r.info.Steps, Free: r.free(), Log: r.log,
	})
}

// purpose says which part of its chat's budget a turn uses.
func (r *run) purpose() session.Purpose {
	switch it := &r.info.Items[0]; {
	case r.task != nil, it.Kind == session.ItemTask, it.Kind == session.ItemSpawn:
		return session.ForBackground
	case it.Kind == session.ItemSchedule:
		return session.ForJobs
	default:
		return session.ForPeople
	}
}

// free says that no model is asked: /tool calls exactly one tool.
func (r *run) free() bool {
	it := &r.info.Items[0]
	return r.a.o.Direct != nil && it.Inbound != nil && isToolCommand(it.Inbound.Text)
}
