package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/failpoint"
	"parley/pkg/agent/budget"
	"parley/pkg/agent/job"
	"parley/pkg/agent/prompt"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// jobTurn is the turn of a job that is due, or that somebody fired by hand.
type jobTurn struct {
	chatTurn

	// job is the job as it was when it fired.
	job *session.Job
	// pause says why the job is paused from now on; "" leaves it.
	pause string
	// told says that the turn's message tells of lower rights.
	told bool
	// skipped is the job's run where the limit of the chat's day skips it.
	skipped *session.JobRun
}

func isJobTurn(info *session.TurnInfo) bool {
	it := &info.Items[0]
	return it.Kind == session.ItemSchedule && it.Job != nil
}

func newJobTurn(r *run) handler { return &jobTurn{chatTurn: chatTurn{r}, job: r.info.Items[0].Job} }

func (h *jobTurn) enter(ctx context.Context) (leave func(), err error) {
	return h.r.enter(ctx, h.r.a.jobPlaces, h.r.info.Awaited)
}

// begin readies a job that is a prompt for the model. A job without a model says its text.
func (h *jobTurn) begin(ctx context.Context) (input, error) {
	r := h.r
	items, err := r.admit(ctx)
	if err != nil {
		return input{}, err
	}
	r.takes(items)
	it := items[0]
	why, err := h.superseded(ctx, &it)
	if errors.Is(err, job.ErrSchedule) {
		return input{}, done(r.fail(ctx, []providers.Message{h.mark()}, err.Error(),
			textScheduleBroken))
	}
	if err != nil {
		return input{}, err
	}
	if why == "" && h.beats() {
		it.Text, why, err = h.beat(ctx)
		if err != nil {
			return input{}, err
		}
	}
	if why != "" {
		r.log().Info().Str("job", h.job.ID).Str("reason", why).Msg("a job is passed over")
		return input{}, done(r.t.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Reason: why}))
	}
	failpoint.Hit("J3")
	if !h.job.Prompt {
		return input{}, done(h.say(ctx, it))
	}
	it.Text = h.prompt(it.Text)
	in := input{items: []session.Item{it}}
	if h.beats() {
		in.blank = mayBeatQuietly
	}
	return in, nil
}

// superseded says why nothing is to be done: the time was missed and the job does not
// make up for it, the job was removed or paused after it fired, or it has fired again
// while this turn waited for the chat, so that runs which take longer than the time
// between them never pile up. [job.ErrSchedule]: its schedule cannot be followed.
func (h *jobTurn) superseded(ctx context.Context, it *session.Item) (string, error) {
	j, a := h.job, h.r.a
	if it.ID != session.FiringID(j) || len(h.r.info.Steps) > 0 || a.o.Clock == nil { // fired by hand, or begun
		return "", nil
	}
	tick, err := a.o.Clock.Tick(j.Spec, j.Due, it.Time)
	if err != nil {
		return "", fmt.Errorf("%w (%w)", job.ErrSchedule, err)
	}
	if tick.Pass && it.Time.Sub(j.Due) > job.MissedAfter {
		return "its time was missed", nil
	}
	if tick.Next.IsZero() {
		return "", nil // it ended when it fired
	}
	switch now, err := a.o.Engine.Jobs().Job(ctx, j.ID); {
	case errors.Is(err, session.ErrNotFound):
		return "the job was removed", nil
	case err != nil:
		return "", err
	case now.Paused:
		return "the job is paused", nil
	case now.Due.After(tick.Next) && bytes.Equal(now.Spec, j.Spec):
		return "a later time of it has come", nil
	}
	return "", nil
}

// reply tells of a failure which job it was and whether it goes on. A heartbeat with
// nothing to say sends nothing.
func (h *jobTurn) reply(ctx context.Context, e *ending) (reply, error) {
	r := h.r
	switch {
	case e.how == endFinished && h.beats() && !e.loop.Asked && saysNothing(e.loop.Content):
		return reply{Commit: quietBeat(session.Commit{
			Outcome: session.OutcomeAnswered, Messages: e.messages, CompactTo: e.compactTo,
		})}, nil
	case e.how == endFailed:
		return unanswered(e.messages, e.reason, h.failure(ctx, e.person)), nil
	case e.how == endLimited && !e.acted:
		return h.skip(ctx, e.limit)
	case e.how == endRefused:
		return h.refused(ctx, e)
	case e.how == endLost:
		text := h.failure(ctx, textScheduleLost)
		return reply{Commit: session.Commit{
			Outcome: session.OutcomeQuarantined, Reason: e.reason, Messages: []providers.Message{h.mark(), assistant(text)},
		}, text: text}, nil
	default:
		return r.usualReply(ctx, e)
	}
}

// say sends the text of a job; the history says where it came from.
func (h *jobTurn) say(ctx context.Context, it session.Item) error {
	it.Text = fmt.Sprintf("[schedule] %s was due at %s. Its text follows as it was sent; no model was asked.",
		jobName(h.job), h.r.timeHere(h.job.Due))
	return h.r.commit(ctx, reply{Commit: session.Commit{
		Outcome: session.OutcomeAnswered, Messages: append(h.r.userMessages([]session.Item{it}, nil), assistant(h.job.Text)),
	}, text: h.job.Text, dated: true})
}

// prompt is what the model is told of a job that is a prompt.
func (h *jobTurn) prompt(text string) string {
	j, r := h.job, h.r
	var b strings.Builder
	fmt.Fprintf(&b, "[schedule] %s was due at %s. Nobody wrote this now", jobName(j), r.timeHere(j.Due))
	if !j.Created.IsZero() {
		fmt.Fprintf(&b, ": %s asked for it at %s", nameOf(j.Principal.Sender), r.timeHere(j.Created))
	}
	b.WriteString(". Do it now; do not plan it again. Answer " + prompt.NoReply + " alone if there is nothing to say.\n")
	if h.lowered() {
		fmt.Fprintf(&b, "The rights are lower than when it was asked for: %s instead of %s.\n", r.principal.Level, j.Principal.Level)
	}
	return b.String() + "What is to be done:\n" + text
}

// jobName is how people and models read of a job.
func jobName(j *session.Job) string {
	switch {
	case j.ID == job.HeartbeatID:
		return textHeartbeat
	case j.Name == "":
		return fmt.Sprintf(textScheduleByID, j.ID)
	default:
		return fmt.Sprintf(textScheduleByName, j.Name, j.ID)
	}
}

// lowered says whether the turn has lower rights than the job was made with.
func (h *jobTurn) lowered() bool {
	return h.job.Principal.Level != "" && h.r.principal.Level != policy.Level(h.job.Principal.Level)
}

// withRights lets a job's message begin with the rights that it lacks, once for each
// change of them.
func (h *jobTurn) withRights(text string) string {
	j, level := h.job, h.r.principal.Level
	if text == "" || !h.lowered() || !j.Prompt || j.Told == string(level) {
		return text
	}
	h.told = true
	return fmt.Sprintf(textScheduleLevel,
		jobName(j), nameOf(j.Principal.Sender), level, j.Principal.Level, text)
}

// refused ends the run of a job whose creator may not speak here any more: the job is
// paused, and the chat is told.
func (h *jobTurn) refused(ctx context.Context, e *ending) (reply, error) {
	j := h.job
	text := fmt.Sprintf(textScheduleRefused, jobName(j), nameOf(j.Principal.Sender))
	c := session.Commit{Outcome: session.OutcomeFailed, Reason: e.reason}
	switch now, err := h.r.a.o.Engine.Jobs().Job(ctx, j.ID); {
	case errors.Is(err, session.ErrNotFound):
	case err != nil:
		return reply{}, err
	case now.Paused:
		return reply{}, done(h.r.t.Commit(ctx, c))
	default:
		text += textScheduleIsPaused
		h.pause = textCreatorRefused
	}
	c.Messages = []providers.Message{h.mark(), assistant(text)}
	return reply{Commit: c, text: text}, nil
}

// skip ends the turn of a job that cannot begin at the limit of its chat. One that would
// not run again is told of each time, any other once a day.
func (h *jobTurn) skip(ctx context.Context, l *budget.LimitError) (reply, error) {
	j, r := h.job, h.r
	h.skipped = &session.JobRun{ID: j.ID, Time: r.wall, Reason: l.Error(), Skipped: true}
	re := reply{Commit: session.Commit{Outcome: session.OutcomeFailed, Reason: l.Error()}}
	text := fmt.Sprintf(textScheduleSkipped, jobName(j), l.PersonMessage())
	now, err := r.a.o.Engine.Jobs().Job(ctx, j.ID)
	if errors.Is(err, session.ErrNotFound) || err == nil && now.Due.IsZero() {
		re.text = text + textScheduleOver
		return re, nil
	}
	re.Outbox = []channels.Outbound{r.dayNotice(text+textOthersSkipped, l)}
	return re, nil
}

// mark tells the model, in later turns, of a job that was not run.
func (h *jobTurn) mark() providers.Message {
	return providers.Message{
		Role: providers.RoleUser, Content: fmt.Sprintf("[schedule] %s was due at %s.", jobName(h.job), h.r.timeHere(h.job.Due)),
	}
}

// failure is what a person is told of a job's failure: which job it was and whether it
// goes on.
func (h *jobTurn) failure(ctx context.Context, text string) string {
	j := h.job
	text = fmt.Sprintf(textScheduleFailed, jobName(j), text)
	now, err := h.r.a.o.Engine.Jobs().Job(ctx, j.ID)
	switch {
	case errors.Is(err, session.ErrNotFound):
		text += textScheduleOver
	case err == nil && !now.Paused && now.Runs.Failures+1 >= job.MaxFailures:
		h.pause = fmt.Sprintf(textFailedInARow, job.MaxFailures)
		text += fmt.Sprintf(textPausedAfterFailing, job.MaxFailures, h.r.typed("schedule"), j.ID)
	}
	return text
}

// ran is what a commit says of the job; a run that was stopped counts neither way.
func (h *jobTurn) ran(c *session.Commit) *session.JobRun {
	if h.skipped != nil || c.Outcome == session.OutcomeStopped {
		return h.skipped
	}
	out := &session.JobRun{ID: h.job.ID, Time: h.r.a.o.Now(), Pause: h.pause}
	if c.Outcome != session.OutcomeAnswered {
		out.Reason = c.Reason
	}
	return out
}

// commit stores what became of the job with the turn, and then which rights the chat
// knows of.
func (h *jobTurn) commit(ctx context.Context, re reply) error {
	if re.dated {
		re.text = h.withRights(re.text)
	}
	re.Ran = h.ran(&re.Commit)
	if err := h.commitRan(ctx, re); err != nil {
		return err
	}
	told := h.job.Told
	switch {
	case h.told:
		told = string(h.r.principal.Level)
	case !h.lowered():
		told = ""
	}
	if told == h.job.Told || re.Outcome == session.OutcomeStopped {
		return nil
	}
	_, err := h.r.a.jobs.Change(ctx, h.job.ID, func(j *session.Job) error {
		j.Told = told
		return nil
	})
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		h.r.log().Warn().Err(err).Msg("it is not kept that the chat was told of the job's rights; it will be told again")
	}
	return nil
}

func (h *jobTurn) commitRan(ctx context.Context, re reply) error {
	return h.r.a.jobs.Committing(func() error {
		defer failpoint.Hit("J4")
		return h.r.commitToChat(ctx, re)
	})
}
