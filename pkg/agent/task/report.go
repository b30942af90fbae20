package task

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/pkg/agent/places"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// reportTurn is the turn that brings the result of a task home.
type reportTurn struct {
	turn.Message
	tasks  *Tasks
	places *places.Places

	// takenOut says that the question of the task was taken out of the conversation.
	takenOut bool
	// report is the task of an agent that has a report, nil for any other.
	report *session.Task
}

// ReportKind is the row of turns that bring results home. They have places of their own:
// people do not wait for a storm of them.
func (ts *Tasks) ReportKind(own *places.Places) turn.Kind {
	return turn.Kind{
		Fits: func(info *session.TurnInfo) bool { return info.Items[0].Kind == session.ItemTask },
		Handler: func(t *turn.Turn) turn.Handler {
			return &reportTurn{Message: turn.Message{T: t}, tasks: ts, places: own}
		},
		Purpose: session.ForBackground, Start: session.StartSequel, Unasked: channels.ByTask, Late: textReportLate,
		Steady: true, // the result is told in no other turn
	}
}

// Enter waits for one of the places of reports.
func (h *reportTurn) Enter(ctx context.Context) (leave func(), err error) {
	return h.T.Wait(ctx, h.places, h.T.Info.Awaited)
}

// Begin lets the model read the result, unless the question of the task was taken out of the
// conversation. The end of an agent without a report is told without the model, which may be
// at fault.
func (h *reportTurn) Begin(ctx context.Context) (turn.Input, error) {
	if err := h.takeOver(ctx); err != nil {
		return turn.Input{}, err
	}
	items, err := h.T.Admit(ctx)
	if err != nil {
		return turn.Input{}, err
	}
	h.T.Take(items)
	t, err := h.tasks.o.Store.Task(ctx, items[0].TaskID)
	if err != nil {
		return turn.Input{}, err
	}
	if h.takenOut {
		return turn.Input{}, turn.Done(h.T.Commit(ctx, turn.Reply{
			Commit: session.Commit{Outcome: session.OutcomeAnswered}, Text: h.aside(&t),
		}))
	}
	if !t.Agent {
		return turn.Input{Items: items, Handed: t.Wish}, nil
	}
	h.T.Tasks.Depth = t.Depth
	if t.State == session.TaskDone {
		h.report = &t
		return turn.Input{Items: items, Handed: t.Wish}, nil
	}
	return turn.Input{}, turn.Done(h.T.Commit(ctx, turn.Reply{Commit: session.Commit{
		Outcome: session.OutcomeAnswered, Messages: append(h.T.UserMessages(items, nil), turn.Assistant(t.Result)),
	}, Text: t.Result}))
}

// Reply gives the report as it is where the turn has no words of its own for it.
func (h *reportTurn) Reply(ctx context.Context, e *turn.Result) (turn.Reply, error) {
	switch {
	case e.Kind == turn.Finished && !e.Loop.Asked && strings.TrimSpace(e.Loop.Content) == "":
		return h.withoutWords(ctx, e)
	case e.Kind == turn.Failed:
		return turn.Unanswered(e.Messages, e.Reason, h.withReport(e.Person)), nil
	case e.Kind == turn.Limited && !e.Acted:
		return h.notRead(e), nil
	case e.Kind == turn.Limited:
		return turn.Unanswered(e.Messages, e.Limit.Error(), h.withReport(e.LimitText())), nil
	case e.Kind == turn.Lost:
		if err := h.takeOver(ctx); err != nil {
			return turn.Reply{}, err
		}
		return h.lost(ctx, e)
	}
	return h.Message.Reply(ctx, e)
}

// Commit marks a message with an age that counts. The conversation keeps no word of a task
// whose question was taken out of it.
func (h *reportTurn) Commit(ctx context.Context, re turn.Reply) error {
	re.Aged = true
	if h.takenOut {
		re.Messages = nil
	}
	return h.Message.Commit(ctx, re)
}

// withoutWords is the reply of a turn with a model that gave no text.
func (h *reportTurn) withoutWords(ctx context.Context, e *turn.Result) (turn.Reply, error) {
	if e.Loop.FinishReason == providers.FinishContentFilter {
		reason, person := turn.Filtered()
		return h.Reply(ctx, h.T.Failure(e.Messages, reason, person))
	}
	re := turn.Reply{Commit: session.Commit{
		Outcome: session.OutcomeAnswered, Messages: e.Messages,
	}, Dated: true}
	if report := h.asItIs(); report != "" {
		re.Text = report + turn.CutOff(e.Loop)
	}
	return re, nil
}

// notRead is the reply of a turn that may not ask the model about a result. The history
// keeps the result. The chat is told of each task with a result that it was not shown;
// the report of an agent is sent as it is.
func (h *reportTurn) notRead(e *turn.Result) turn.Reply {
	l := e.Limit
	c := session.Commit{
		Outcome: session.OutcomeFailed, Reason: l.Error(),
		Messages: append(e.Messages, turn.Assistant("(not looked at: "+l.Error()+")")),
	}
	text := h.asItIs()
	if text != "" {
		text += fmt.Sprintf(textNotRead, l.PersonMessage())
	} else {
		if h.T.Info.Items[0].Shown {
			c.Outbox = []channels.Outbound{h.T.Outbound(h.T.Usage.NoticeID(l), fmt.Sprintf(textResultNotRead, l.PersonMessage()), "")}
			return turn.Reply{Commit: c}
		}
		text = fmt.Sprintf(textResultKept, l.PersonMessage())
	}
	c.Messages[len(c.Messages)-1].Content = text
	return turn.Reply{Commit: c, Text: text}
}

// asItIs is an agent's report as it is, "" for the result of another task.
func (h *reportTurn) asItIs() string {
	if h.report == nil {
		return ""
	}
	return fmt.Sprintf(textReport, Name(h.report), h.report.Result)
}

// withReport is a text with the report below it.
func (h *reportTurn) withReport(text string) string {
	if report := h.asItIs(); report != "" {
		text += "\n\n" + report
	}
	return text
}

// takeOver looks where the task belongs, and lets the turn finish the message that showed how
// far the task was, whatever the turn says, also NO_REPLY.
func (h *reportTurn) takeOver(ctx context.Context) error {
	t, err := h.tasks.o.Store.Task(ctx, h.T.Info.Items[0].TaskID)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err == nil {
		h.takenOut, err = h.tasks.TakenOut(ctx, &t)
	}
	if err != nil || t.Status == "" {
		return err
	}
	h.T.TakesOver(t.Status, fmt.Sprintf(textOver, Name(&t), t.State))
	return nil
}
