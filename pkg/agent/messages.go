package agent

import (
	"context"

	"parley/pkg/agent/prompt"
	"parley/pkg/providers"
	"parley/pkg/session"
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
			"Answer " + noReply + " alone when there is nothing to say and either nobody asked or you have already sent a message."
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
