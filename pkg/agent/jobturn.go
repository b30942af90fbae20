package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/failpoint"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// jobNotes is what a job's turn remembers for its commit.
type jobNotes struct {
	// pause says why the job is paused from now on; "" leaves it.
	pause string
	// told says that the turn's message tells of lower rights.
	told bool
}

// job is the job whose turn this is, as it was when it fired; nil for any other turn.
func (r *run) job() *session.Job {
	if it := &r.info.Items[0]; it.Kind == session.ItemSchedule {
		return it.Job
	}
	return nil
}

// runJob runs the turn of a job: one without a model says the job's text, a prompt is
// answered.
func (r *run) runJob(ctx context.Context, it session.Item) error {
	why, err := r.passesOver(ctx, &it)
	if errors.Is(err, ErrSchedule) {
		return r.fail(ctx, []providers.Message{r.jobMark()}, err.Error(),
			"Its schedule cannot be followed any more, so it is paused: give it another time, or remove it.")
	}
	if err != nil {
		return err
	}
	if why == "" && it.Job.ID == HeartbeatID {
		it.Text, why, err = r.beat(ctx)
		if err != nil {
			return err
		}
	}
	if why != "" {
		r.log().Info().Str("job", it.Job.ID).Str("reason", why).Msg("a job is passed over")
		return r.t.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Reason: why})
	}
	failpoint.Hit("J3")
	if !it.Job.Prompt {
		return r.sayJob(ctx, it)
	}
	it.Text = r.jobPrompt(it.Job, it.Text)
	return r.answer(ctx, []session.Item{it})
}

// passesOver says why nothing is to be done: the time was missed and the job does not
// make up for it, the job was removed or paused after it fired, or it has fired again
// while this turn waited for the chat, so that runs which take longer than the time
// between them never pile up. [ErrSchedule]: its schedule cannot be followed.
func (r *run) passesOver(ctx context.Context, it *session.Item) (string, error) {
	j := it.Job
	if strings.Contains(it.ID, manualMark) || len(r.info.Steps) > 0 || r.a.o.Clock == nil {
		return "", nil
	}
	tick, err := r.a.o.Clock.Tick(j.Spec, j.Due, it.Time)
	if err != nil {
		return "", fmt.Errorf("%w (%w)", ErrSchedule, err)
	}
	if tick.Pass && it.Time.Sub(j.Due) > missedAfter {
		return "its time was missed", nil
	}
	if tick.Next.IsZero() {
		return "", nil // it ended when it fired
	}
	switch now, err := r.a.o.Engine.Job(ctx, j.ID); {
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

// sayJob sends the text of a job; the history says where it came from.
func (r *run) sayJob(ctx context.Context, it session.Item) error {
	it.Text = fmt.Sprintf("[schedule] %s was due at %s. Its text follows as it was sent; no model was asked.",
		jobName(it.Job), r.timeHere(it.Job.Due))
	return r.commit(ctx, session.Commit{
		Outcome: session.OutcomeAnswered, Messages: append(r.userMessages([]session.Item{it}, nil), assistant(it.Job.Text)),
	}, r.withAge(it.Job.Text))
}

// jobPrompt is what the model is told of a job that is a prompt.
func (r *run) jobPrompt(j *session.Job, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[schedule] %s was due at %s. Nobody wrote this now", jobName(j), r.timeHere(j.Due))
	if !j.Created.IsZero() {
		fmt.Fprintf(&b, ": %s asked for it at %s", nameOf(j.Creator), r.timeHere(j.Created))
	}
	b.WriteString(". Do it now; do not plan it again. Answer " + noReply + " alone if there is nothing to say.\n")
	if r.lowered() {
		fmt.Fprintf(&b, "The rights are lower than when it was asked for: %s instead of %s.\n", r.principal.Level, j.Level)
	}
	return b.String() + "What is to be done:\n" + text
}

// jobName is how people and models read of a job.
func jobName(j *session.Job) string {
	switch {
	case j.ID == HeartbeatID:
		return "The heartbeat"
	case j.Name == "":
		return "The job " + j.ID
	default:
		return fmt.Sprintf("The job “%s” (%s)", j.Name, j.ID)
	}
}

// lowered says whether the turn has lower rights than the job was made with.
func (r *run) lowered() bool {
	j := r.job()
	return j != nil && j.Level != "" && r.principal.Level != policy.Level(j.Level)
}

// withRights lets a job's message begin with the rights that it lacks, once for each
// change of them. The lock is held.
func (r *run) withRights(text string) string {
	if !r.lowered() || !r.job().Prompt || r.job().Told == string(r.principal.Level) {
		return text
	}
	r.ofJob.told = true
	return fmt.Sprintf("(%s runs with the rights that %s has here now: %s instead of %s.)\n\n%s",
		jobName(r.job()), nameOf(r.job().Creator), r.principal.Level, r.job().Level, text)
}

// jobRefused ends the run of a job whose creator may not speak here any more: the
// job is paused, and the chat is told.
func (r *run) jobRefused(ctx context.Context, why string) error {
	j := r.job()
	text := fmt.Sprintf("%s was not run: %s, who made it, may not use me here any more.", jobName(j), nameOf(j.Creator))
	switch now, err := r.a.o.Engine.Job(ctx, j.ID); {
	case errors.Is(err, session.ErrNotFound):
	case err != nil:
		return err
	case now.Paused:
		return r.t.Commit(ctx, session.Commit{Outcome: session.OutcomeFailed, Reason: "not allowed: " + why})
	default:
		text += " It is paused."
		r.ofJob.pause = "its creator may not speak here any more"
	}
	return r.commit(ctx, session.Commit{
		Outcome: session.OutcomeFailed, Reason: "not allowed: " + why, Messages: []providers.Message{r.jobMark(), assistant(text)},
	}, text)
}

// jobMark tells the model, in later turns, of a job that was not run.
func (r *run) jobMark() providers.Message {
	return providers.Message{
		Role: providers.RoleUser, Content: fmt.Sprintf("[schedule] %s was due at %s.", jobName(r.job()), r.timeHere(r.job().Due)),
	}
}

// jobQuarantined ends a run that took the process with it three times.
func (r *run) jobQuarantined(ctx context.Context) error {
	text := r.jobFailure(ctx, "The gateway stopped three times while working on it.")
	return r.commit(ctx, session.Commit{
		Outcome: session.OutcomeQuarantined, Reason: "the process died three times during this turn",
		Messages: []providers.Message{r.jobMark(), assistant(text)},
	}, text)
}

// jobFailure is what a person is told of a failure: of a job's, which job it was and
// whether it goes on.
func (r *run) jobFailure(ctx context.Context, text string) string {
	j := r.job()
	if j == nil {
		return text
	}
	text = jobName(j) + " failed. " + text
	now, err := r.a.o.Engine.Job(ctx, j.ID)
	switch {
	case errors.Is(err, session.ErrNotFound):
		text += " It does not run again."
	case err == nil && !now.Paused && now.Failures+1 >= maxJobFailures:
		r.ofJob.pause = fmt.Sprintf("it failed %d times in a row", maxJobFailures)
		text += fmt.Sprintf(" It has failed %d times in a row, so it is paused: %s resume %s lets it go on.", maxJobFailures, r.typed("schedule"), j.ID)
	}
	return text
}

// ran is what a commit says of the job; a run that was stopped counts neither way.
func (r *run) ran(c *session.Commit) *session.JobRun {
	j := r.job()
	if j == nil || c.Outcome == session.OutcomeStopped {
		return nil
	}
	out := &session.JobRun{ID: j.ID, Time: r.a.o.Now(), Pause: r.ofJob.pause}
	if c.Outcome != session.OutcomeAnswered {
		out.Reason = c.Reason
	}
	return out
}

// commitJob commits a turn. Of a job's it keeps of which rights the chat knows.
func (r *run) commitJob(ctx context.Context, c session.Commit) error {
	j := r.job()
	if j == nil {
		return r.t.Commit(ctx, c)
	}
	if err := r.commitRan(ctx, c); err != nil {
		return err
	}
	told := j.Told
	switch {
	case r.ofJob.told:
		told = string(r.principal.Level)
	case !r.lowered():
		told = ""
	}
	if told == j.Told || c.Outcome == session.OutcomeStopped {
		return nil
	}
	_, err := r.a.changeJob(ctx, j.ID, func(j *session.Job) error {
		j.Told = told
		return nil
	})
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		r.log().Warn().Err(err).Msg("it is not kept that the chat was told of the job's rights; it will be told again")
	}
	return nil
}

func (r *run) commitRan(ctx context.Context, c session.Commit) error {
	r.a.jobs.change.RLock()
	defer r.a.jobs.change.RUnlock()
	defer failpoint.Hit("J4")
	return r.t.Commit(ctx, c)
}
