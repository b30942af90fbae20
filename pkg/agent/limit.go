package agent

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// limitError says that a limit of the chat's day is reached.
type limitError struct {
	// purpose is "" for the limit on all together.
	purpose session.Purpose
	// what is turns, tokens or money.
	what        string
	used, limit int64
	// ends is when the day does, in is how long that is from now.
	ends     time.Time
	in       time.Duration
	currency string
}

func (l *limitError) Error() string {
	if l.purpose == "" {
		return "budget: " + l.amount()
	}
	return "budget: " + l.amount() + " for " + string(l.purpose)
}

func (l *limitError) amount() string {
	if l.what == "money" {
		return amountOf(l.used) + " of " + Money(l.limit, l.currency)
	}
	return fmt.Sprintf("%d of %d %s", l.used, l.limit, l.what)
}

// text is what a person is told.
func (l *limitError) text() string {
	what := map[session.Purpose]string{
		session.ForPeople: " for what people write", session.ForJobs: " for schedules", session.ForBackground: " for work in the background",
	}[l.purpose]
	return fmt.Sprintf("Today's limit of this chat%s is used up: %s. It begins anew in %s, at %s. The operator can raise it (budgets in the configuration).",
		what, l.amount(), channels.Roughly(l.in), l.ends.Format("2006-01-02 15:04 MST"))
}

// Money writes millionths as an amount, such as 1.25 USD.
func Money(millionths int64, currency string) string {
	return strings.TrimSpace(amountOf(millionths) + " " + currency)
}

// amountOf writes millionths with two digits after the point, or four where there
// are some.
func amountOf(millionths int64) string {
	const million, cents, most = 1e6, 2, 4
	s := strconv.FormatFloat(float64(millionths)/million, 'f', most, 64)
	for range most - cents {
		s = strings.TrimSuffix(s, "0")
	}
	return s
}

// limited ends a turn at a limit; acted says that it did something before. People
// are told each time. A job or a background follow-up that cannot begin is told of
// once a day, and its item is listed as failed each time.
func (r *run) limited(ctx context.Context, messages []providers.Message, acted bool, l *limitError) error { //nolint:revive // flag-parameter: it is what is said
	text := l.text()
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
func (r *run) untold(ctx context.Context, it *session.Item, messages []providers.Message, l *limitError) error {
	c := session.Commit{
		Outcome: session.OutcomeFailed, Reason: l.Error(),
		Messages: append(messages, assistant("(not looked at: "+l.Error()+")")),
	}
	var text string
	switch report := r.rawReport(); {
	case report != "":
		text = report + "\n\nI have not looked at it. " + l.text()
	case strings.Contains(it.Text, notTold):
		text = "Work in the background has ended, and I cannot look at its result today. " + l.text() + " The result is kept in this conversation: ask me about it."
	default:
		c.Outbox = []channels.Outbound{r.dayNotice("Work in the background has ended, and I have not looked at its result. "+l.text(), l)}
		return r.commit(ctx, c, "")
	}
	c.Messages[len(c.Messages)-1].Content = text
	return r.commit(ctx, c, text)
}

// skipJob ends the turn of a job that does not run. One that would not run again
// is told of each time.
func (r *run) skipJob(ctx context.Context, j *session.Job, l *limitError) error {
	c := session.Commit{
		Outcome: session.OutcomeFailed, Reason: l.Error(),
		Ran: &session.JobRun{ID: j.ID, Time: r.wall, Reason: l.Error(), Skipped: true},
	}
	text := jobName(j) + " did not run. " + l.text()
	now, err := r.a.o.Engine.Job(ctx, j.ID)
	if errors.Is(err, session.ErrNotFound) || err == nil && now.Due.IsZero() {
		return r.commit(ctx, c, text+" It does not run again by itself.")
	}
	c.Outbox = []channels.Outbound{r.dayNotice(text+" The others of today that meet the limit are skipped without a word.", l)}
	return r.commit(ctx, c, "")
}

// dayNotice is a message that leaves once a day in a chat for each purpose and limit.
func (r *run) dayNotice(text string, l *limitError) channels.Outbound {
	return r.outbound(fmt.Sprintf("budget/%s/%s/%s/%d %s", r.info.Chat, r.purpose(), r.bill.Day, l.limit, l.what), text, "")
}

// todayText tells what the chat used today, and what it may.
func (r *run) todayText(ctx context.Context) (string, error) {
	zone := r.location()
	day := r.a.o.Now().In(zone).Format(time.DateOnly)
	stored, err := r.a.o.Engine.Spending(ctx, r.info.Chat, day)
	if err != nil {
		return "", err
	}
	t := &r.a.till
	t.mu.Lock()
	by := t.withRunning(r.home, day, stored)
	t.mu.Unlock()
	budget := r.budget()
	ends := endOfDay(day, zone)
	var b strings.Builder
	fmt.Fprintf(&b, "Used today, until %s:", ends.Format("2006-01-02 15:04 MST"))
	for _, p := range Purposes() {
		fmt.Fprintf(&b, "\n- %s: %s", p, r.amounts(by[p], budget.For[p]))
	}
	fmt.Fprintf(&b, "\n- together: %s", r.amounts(together(by), budget.All))
	return b.String(), nil
}

// amounts writes what was used beside what may be.
func (r *run) amounts(u session.Usage, l Limits) string {
	of := func(used, limit int, thing string) string {
		switch {
		case limit > 0:
			return fmt.Sprintf("%d of %d %ss", used, limit, thing)
		case used == 1:
			return "1 " + thing
		default:
			return fmt.Sprintf("%d %ss", used, thing)
		}
	}
	s := of(u.Turns, l.Turns, "turn") + ", " + of(u.Input+u.Output, l.Tokens, "token")
	switch {
	case l.Money > 0:
		s += ", " + amountOf(u.Money) + " of " + Money(l.Money, r.a.o.Currency)
	case u.Money > 0:
		s += ", " + Money(u.Money, r.a.o.Currency)
	}
	return s
}
