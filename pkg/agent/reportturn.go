package agent

import (
	"context"
	"fmt"
	"strings"

	"parley/pkg/agent/task"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// reportTurn is the turn that brings the result of a task home.
type reportTurn struct {
	chatTurn

	// report is the task of an agent that has a report, nil for any other.
	report *session.Task
}

func isReportTurn(info *session.TurnInfo) bool { return info.Items[0].Kind == session.ItemTask }

func newReportTurn(r *run) handler { return &reportTurn{chatTurn: chatTurn{r}} }

func (h *reportTurn) enter(ctx context.Context) (leave func(), err error) {
	return h.r.enter(ctx, h.r.a.reports, h.r.info.Awaited)
}

// begin lets the model read the result. The end of an agent without a report is told
// without the model, which may be what failed.
func (h *reportTurn) begin(ctx context.Context) (input, error) {
	r := h.r
	if err := r.takeOver(ctx); err != nil {
		return input{}, err
	}
	items, err := r.admit(ctx)
	if err != nil {
		return input{}, err
	}
	r.takes(items)
	t, err := r.a.o.Engine.Tasks().Task(ctx, items[0].TaskID)
	if err != nil {
		return input{}, err
	}
	if !t.Agent {
		return input{items: items}, nil
	}
	r.tasks.depth = t.Depth
	if t.State == session.TaskDone {
		h.report = &t
		return input{items: items}, nil
	}
	return input{}, done(r.commit(ctx, reply{Commit: session.Commit{
		Outcome: session.OutcomeAnswered, Messages: append(r.userMessages(items, nil), assistant(t.Result)),
	}, text: t.Result}))
}

// reply gives the report as it is where the turn has no words of its own for it.
func (h *reportTurn) reply(ctx context.Context, e *ending) (reply, error) {
	switch {
	case e.how == endFinished && !e.loop.Asked && strings.TrimSpace(e.loop.Content) == "":
		return h.withoutWords(ctx, e)
	case e.how == endFailed:
		return unanswered(e.messages, e.reason, h.withReport(e.person)), nil
	case e.how == endLimited && !e.acted:
		return h.notRead(ctx, e)
	case e.how == endLimited:
		return unanswered(e.messages, e.limit.Error(), h.withReport(e.limitText())), nil
	case e.how == endLost:
		if err := h.r.takeOver(ctx); err != nil {
			return reply{}, err
		}
	}
	return h.r.usualReply(ctx, e)
}

func (h *reportTurn) commit(ctx context.Context, re reply) error {
	re.aged = true
	return h.r.commitToChat(ctx, re)
}

// withoutWords is the reply of a turn whose model gave no text.
func (h *reportTurn) withoutWords(ctx context.Context, e *ending) (reply, error) {
	if e.loop.FinishReason == providers.FinishContentFilter {
		reason, person := filtered()
		return h.reply(ctx, h.r.failure(e.messages, reason, person))
	}
	re := reply{Commit: session.Commit{Outcome: session.OutcomeAnswered, Messages: e.messages, CompactTo: e.compactTo}, dated: true}
	if report := h.asItIs(); report != "" {
		re.text = report + cutOff(e.loop)
	}
	return re, nil
}

// notRead is the reply of a turn that may not ask the model about a result. The history
// keeps the result. The chat is told of each task whose result it was not shown; the
// report of an agent is sent as it is.
func (h *reportTurn) notRead(ctx context.Context, e *ending) (reply, error) {
	l := e.limit
	c := session.Commit{
		Outcome: session.OutcomeFailed, Reason: l.Error(),
		Messages: append(e.messages, assistant("(not looked at: "+l.Error()+")")),
	}
	text := h.asItIs()
	if text != "" {
		text += fmt.Sprintf(textNotRead, l.PersonMessage())
	} else {
		shown, err := h.wasShown(ctx)
		if err != nil {
			return reply{}, err
		}
		if shown {
			c.Outbox = []channels.Outbound{h.r.dayNotice(fmt.Sprintf(textResultNotRead, l.PersonMessage()), l)}
			return reply{Commit: c}, nil
		}
		text = fmt.Sprintf(textResultKept, l.PersonMessage())
	}
	c.Messages[len(c.Messages)-1].Content = text
	return reply{Commit: c, text: text}, nil
}

// wasShown reports whether the person has seen the task's result already.
func (h *reportTurn) wasShown(ctx context.Context) (bool, error) {
	it := &h.r.info.Items[0]
	t, err := h.r.a.o.Engine.Tasks().Task(ctx, it.TaskID)
	if err != nil {
		return false, err
	}
	return !strings.HasPrefix(it.Text, task.NotToldText(&t)), nil
}

// asItIs is an agent's report as it is, "" for the result of another task.
func (h *reportTurn) asItIs() string {
	if h.report == nil {
		return ""
	}
	return fmt.Sprintf(textTaskReport, task.Name(h.report), h.report.Result)
}

// withReport is a text with the report below it.
func (h *reportTurn) withReport(text string) string {
	if report := h.asItIs(); report != "" {
		text += "\n\n" + report
	}
	return text
}
