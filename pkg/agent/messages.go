package agent

import (
	"context"
	"fmt"
	"time"

	"parley/pkg/agent/job"
	"parley/pkg/agent/prompt"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
)

// system is the instructions of a turn.
func (r *run) system(ctx context.Context) (providers.Message, error) {
	r.at(stageFiles)
	files, err := r.a.prompts.Files(ctx, r.space, r.log())
	if err != nil {
		return providers.Message{}, err
	}
	closing := agentPrompt
	if r.task == nil {
		closing = "You are talking on the channel " + r.info.Address.Channel + ". " +
			"Answer " + prompt.NoReply + " alone when there is nothing to say and either nobody asked or you have already sent a message."
	}
	return prompt.System(files, r.today(), closing), nil
}

// past is the history that the turn goes on from, up to budget tokens, with room for
// extra more messages.
func (r *run) past(budget, extra int) prompt.Past {
	return prompt.Past{Session: r.info.Session, Space: r.space, Budget: budget, Extra: extra}
}

// userMessages are items as the model reads them, one message each, with the outcomes of
// their files; nil where none was fetched. Late ones say how old they are, and the
// turn's answer will.
func (r *run) userMessages(items []session.Item, files [][]prompt.Fetched) []providers.Message {
	out := make([]providers.Message, 0, len(items))
	for i := range items {
		var own []prompt.Fetched
		if files != nil {
			own = files[i]
		}
		facts := prompt.Facts{
			Command: items[i].Inbound != nil && isCommand(items[i].Inbound.Text),
			Age:     staleness(items[i], r.began), MissedBy: missedBy(items[i], r.wall),
		}
		r.noteLate(max(facts.Age, facts.MissedBy))
		out = append(out, prompt.Message(items[i], own, facts))
	}
	return out
}

// staleness is how old a message, or the end of background work, was at a moment, 0
// for one that is not late. A message's clock is the platform's and may be wrong: one
// without a time, or of the future, is of now. Commands are carried out whatever their age.
func staleness(it session.Item, at time.Time) time.Duration {
	in := it.Inbound
	if age := at.Sub(it.Time); it.Kind == session.ItemTask && age > channels.LateAfter {
		return age
	}
	if in == nil || in.Time.Unix() <= 0 || isCommand(in.Text) {
		return 0
	}
	if age := at.Sub(in.Time); age > channels.LateAfter {
		return age
	}
	return 0
}

// missedBy is how late a job runs, 0 for one that is in time.
func missedBy(it session.Item, at time.Time) time.Duration {
	if it.Job == nil || it.Job.ID == job.HeartbeatID {
		return 0
	}
	if age := at.Sub(it.Job.Due); age > job.MissedAfter {
		return age
	}
	return 0
}

// noteLate remembers that the turn answers a late message, or is a late job's.
func (r *run) noteLate(age time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.late = max(r.late, age)
}

// withAge lets an answer begin with the age of the oldest late message, or with how
// late a job runs, whatever the model says of it. What sends nothing stays that way.
func (r *run) withAge(answer string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if answer == "" || r.late == 0 {
		return answer
	}
	return fmt.Sprintf(r.kind.late, text.Ago(r.late)) + answer
}
