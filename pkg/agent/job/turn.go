package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/agent/budget"
	"parley/pkg/agent/named"
	"parley/pkg/agent/places"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// jobTurn is the turn of a job that is due, or that somebody fired by hand.
type jobTurn struct {
	turn.Message
	s      *Scheduler
	places *places.Places

	// job is the job as it was when it fired.
	job *session.Job
	// pause says why the job is paused from now on; "" leaves it.
	pause string
	// told says that the turn's message tells of lower rights.
	told bool
	// skipped is the job's run where the limit of the chat's day skips it, or cuts it short.
	skipped *session.JobRun
}

// Kind is the row of turns of jobs that s fires. They have places of their own: people do
// not wait for a storm of them.
func Kind(s *Scheduler, own *places.Places) turn.Kind {
	return turn.Kind{
		Fits: isJobTurn,
		Handler: func(t *turn.Turn) turn.Handler {
			return &jobTurn{Message: turn.Message{T: t}, s: s, places: own, job: t.Info.Items[0].Job}
		},
		Purpose: session.ForJobs, Start: session.StartSchedule, Unasked: channels.ByJob, Steady: true, Late: textDueLate, MissedBy: missedBy,
	}
}

func isJobTurn(info *session.TurnInfo) bool {
	it := &info.Items[0]
	return it.Kind == session.ItemSchedule && it.Job != nil
}

func (h *jobTurn) Enter(ctx context.Context) (leave func(), err error) {
	return h.T.Wait(ctx, h.places, h.T.Info.Awaited)
}

// Begin readies a job that is a prompt for the model. A job without a model says its text.
func (h *jobTurn) Begin(ctx context.Context) (turn.Input, error) {
	items, err := h.T.Admit(ctx)
	if err != nil {
		return turn.Input{}, err
	}
	h.T.Take(items)
	it := items[0]
	why, err := h.superseded(ctx, &it)
	if errors.Is(err, ErrSchedule) {
		return turn.Input{}, turn.Done(h.T.End(ctx, h.T.Failure([]providers.Message{h.mark()}, err.Error(),
			textScheduleBroken)))
	}
	if err != nil {
		return turn.Input{}, err
	}
	if why == "" && h.beats() {
		it.Text, why, err = h.beat(ctx)
		if err != nil {
			return turn.Input{}, err
		}
	}
	if why != "" {
		h.T.Log().Info().Str("job", h.job.ID).Str("reason", why).Msg("a job is passed over")
		return turn.Input{}, turn.Done(h.T.Stored.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Reason: why}))
	}
	failpoint.Hit("J3")
	if !h.job.Prompt {
		return turn.Input{}, turn.Done(h.say(ctx, it))
	}
	it.Text = h.prompt(it.Text)
	in := turn.Input{Items: []session.Item{it}, Handed: h.job.Wish}
	if h.beats() {
		in.Role, in.Blank = turn.RoleHeartbeat, mayBeatQuietly
	}
	return in, nil
}

// superseded is the reason for which the run is dropped: the time was missed and the
// job does not make up for it, the job was removed or paused after it fired, or it has
// fired again while this turn waited for the chat, so that runs which take longer than
// the time between them do not pile up. [ErrSchedule]: its schedule cannot be followed.
func (h *jobTurn) superseded(ctx context.Context, it *session.Item) (string, error) {
	j := h.job
	if it.ID != session.FiringID(j) || len(h.T.Info.Steps) > 0 || h.s.o.Timetable == nil { // fired by hand, or begun
		return "", nil
	}
	tick, err := h.s.o.Timetable.Tick(j.Spec, j.Due, it.Time)
	if err != nil {
		return "", fmt.Errorf("%w (%w)", ErrSchedule, err)
	}
	if tick.Pass && it.Time.Sub(j.Due) > MissedAfter {
		return "its time was missed", nil
	}
	if tick.Next.IsZero() {
		return "", nil // it ended when it fired
	}
	switch now, err := h.s.o.Jobs.Job(ctx, j.ID); {
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

// Reply tells of a failure which job it was and whether it goes on. A heartbeat without
// news sends no message.
func (h *jobTurn) Reply(ctx context.Context, e *turn.Result) (turn.Reply, error) {
	switch {
	case e.Kind == turn.Finished && h.beats() && !e.Loop.Asked && saysNothing(e.Loop.Content):
		return turn.Reply{Commit: quietBeat(session.Commit{
			Outcome: session.OutcomeAnswered, Messages: e.Messages,
		})}, nil
	case e.Kind == turn.Failed:
		return turn.Unanswered(e.Messages, e.Reason, h.failure(ctx, e.Person)), nil
	case e.Kind == turn.Limited && !e.Acted:
		return h.skip(ctx, e.Limit)
	case e.Kind == turn.Limited:
		h.cutShort(e.Limit)
		return turn.Unanswered(e.Messages, e.Limit.Error(), fmt.Sprintf(textScheduleCutShort, jobName(h.job), e.LimitText())), nil
	case e.Kind == turn.Refused:
		return h.refused(ctx, e)
	case e.Kind == turn.Lost:
		text := h.failure(ctx, textScheduleLost)
		return turn.Reply{Commit: session.Commit{
			Outcome: session.OutcomeQuarantined, Reason: e.Reason, Messages: []providers.Message{h.mark(), turn.Assistant(text)},
		}, Text: text}, nil
	default:
		return h.Message.Reply(ctx, e)
	}
}

// say sends the text of a job; the history says where it came from.
func (h *jobTurn) say(ctx context.Context, it session.Item) error {
	it.Text = fmt.Sprintf("[schedule] %s was due at %s. Its text follows as it was sent; no model was asked.",
		jobName(h.job), h.T.Clock.Here(h.job.Due))
	return h.T.Commit(ctx, turn.Reply{Commit: session.Commit{
		Outcome: session.OutcomeAnswered, Messages: append(h.T.UserMessages([]session.Item{it}, nil), turn.Assistant(h.job.Text)),
	}, Text: h.job.Text, Dated: true})
}

// prompt is the model's text about a job that is a prompt.
func (h *jobTurn) prompt(text string) string {
	j := h.job
	var b strings.Builder
	fmt.Fprintf(&b, "[schedule] %s was due at %s. No person wrote this now", jobName(j), h.T.Clock.Here(j.Due))
	if !j.Created.IsZero() {
		fmt.Fprintf(&b, ": %s asked for it at %s", named.Person(j.Principal.Sender), h.T.Clock.Here(j.Created))
	}
	b.WriteString(". Do it now; do not plan it again. Answer " + prompt.NoReply + " alone if there is nothing to say.\n")
	if h.lowered() {
		fmt.Fprintf(&b, "The rights are lower than when it was asked for: %s instead of %s.\n", h.T.Principal.Level, j.Principal.Level)
	}
	return b.String() + "What is to be done:\n" + text
}

// jobName is how people and models read of a job.
func jobName(j *session.Job) string {
	switch {
	case j.ID == HeartbeatID:
		return textHeartbeat
	case j.Name == "":
		return fmt.Sprintf(textScheduleByID, j.ID)
	default:
		return fmt.Sprintf(textScheduleByName, j.Name, j.ID)
	}
}

// lowered says whether the turn has lower rights than the job was made with.
func (h *jobTurn) lowered() bool {
	return h.job.Principal.Level != "" && h.T.Principal.Level != policy.Level(h.job.Principal.Level)
}

// withRights lets a job's message begin with the rights that it lacks, once for each
// change of them.
func (h *jobTurn) withRights(text string) string {
	j, level := h.job, h.T.Principal.Level
	if text == "" || !h.lowered() || !j.Prompt || j.Told == string(level) {
		return text
	}
	h.told = true
	return fmt.Sprintf(textScheduleLevel,
		jobName(j), named.Person(j.Principal.Sender), level, j.Principal.Level, text)
}

// refused ends the run of a job after its creator lost the right to speak here: the job
// is paused, and the chat is told.
func (h *jobTurn) refused(ctx context.Context, e *turn.Result) (turn.Reply, error) {
	j := h.job
	text := fmt.Sprintf(textScheduleRefused, jobName(j), named.Person(j.Principal.Sender))
	c := session.Commit{Outcome: session.OutcomeFailed, Reason: e.Reason}
	switch now, err := h.s.o.Jobs.Job(ctx, j.ID); {
	case errors.Is(err, session.ErrNotFound):
	case err != nil:
		return turn.Reply{}, err
	case now.Paused:
		return turn.Reply{}, turn.Done(h.T.Stored.Commit(ctx, c))
	default:
		text += textScheduleIsPaused
		h.pause = textCreatorRefused
	}
	c.Messages = []providers.Message{h.mark(), turn.Assistant(text)}
	return turn.Reply{Commit: c, Text: text}, nil
}

// skip ends the turn of a job that cannot begin at the limit of its chat. One that would
// not run again is told of each time, any other once a day.
func (h *jobTurn) skip(ctx context.Context, l *budget.LimitError) (turn.Reply, error) {
	j := h.job
	h.cutShort(l)
	re := turn.Reply{Commit: session.Commit{Outcome: session.OutcomeFailed, Reason: l.Error()}}
	text := fmt.Sprintf(textScheduleSkipped, jobName(j), l.PersonMessage())
	now, err := h.s.o.Jobs.Job(ctx, j.ID)
	if errors.Is(err, session.ErrNotFound) || err == nil && now.Due.IsZero() {
		re.Text = text + textScheduleOver
		return re, nil
	}
	re.Outbox = []channels.Outbound{h.T.Outbound(h.T.Usage.NoticeID(l), text+textOthersSkipped, "")}
	return re, nil
}

// cutShort says that the run did not come to its end at the limit of its chat: it has not failed.
func (h *jobTurn) cutShort(l *budget.LimitError) {
	h.skipped = &session.JobRun{ID: h.job.ID, Time: h.T.Clock.Wall, Reason: l.Error(), Skipped: true}
}

// mark tells the model, in later turns, of a job that was not run.
func (h *jobTurn) mark() providers.Message {
	return providers.Message{
		Role: providers.RoleUser, Content: fmt.Sprintf("[schedule] %s was due at %s.", jobName(h.job), h.T.Clock.Here(h.job.Due)),
	}
}

// failure is the person's text about a job's failure: which job it was and whether it
// goes on.
func (h *jobTurn) failure(ctx context.Context, text string) string {
	j := h.job
	text = fmt.Sprintf(textScheduleFailed, jobName(j), text)
	now, err := h.s.o.Jobs.Job(ctx, j.ID)
	switch {
	case errors.Is(err, session.ErrNotFound):
		text += textScheduleOver
	case err == nil && !now.Paused && now.Runs.Failures+1 >= MaxFailures:
		h.pause = fmt.Sprintf(textFailedInARow, MaxFailures)
		text += fmt.Sprintf(textPausedAfterFailing, MaxFailures, h.T.Typed("schedule"), j.ID)
	}
	return text
}

// ran is a commit's record of the job; a run that was stopped counts neither way.
func (h *jobTurn) ran(c *session.Commit) *session.JobRun {
	if h.skipped != nil || c.Outcome == session.OutcomeStopped {
		return h.skipped
	}
	out := &session.JobRun{ID: h.job.ID, Time: h.T.Deps.Now(), Pause: h.pause}
	if c.Outcome != session.OutcomeAnswered {
		out.Reason = c.Reason
	}
	return out
}

// Commit stores the outcome of the job with the turn, and then which rights the chat
// knows of.
func (h *jobTurn) Commit(ctx context.Context, re turn.Reply) error {
	if re.Dated {
		re.Text = h.withRights(re.Text)
	}
	re.Ran = h.ran(&re.Commit)
	if err := h.commitRan(ctx, re); err != nil {
		return err
	}
	told := h.job.Told
	switch {
	case h.told:
		told = string(h.T.Principal.Level)
	case !h.lowered():
		told = ""
	}
	if told == h.job.Told || re.Outcome == session.OutcomeStopped {
		return nil
	}
	_, err := h.s.Change(ctx, h.job.ID, func(j *session.Job) error {
		j.Told = told
		return nil
	})
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		h.T.Log().Warn().Err(err).Msg("it is not kept that the chat was told of the job's rights; it will be told again")
	}
	return nil
}

func (h *jobTurn) commitRan(ctx context.Context, re turn.Reply) error {
	return h.s.Committing(func() error {
		defer failpoint.Hit("J4")
		return h.Message.Commit(ctx, re)
	})
}

// missedBy is how late a job runs, 0 for one that is in time.
func missedBy(it *session.Item, at time.Time) time.Duration {
	if it.Job == nil || it.Job.ID == HeartbeatID {
		return 0
	}
	if age := at.Sub(it.Job.Due); age > MissedAfter {
		return age
	}
	return 0
}
