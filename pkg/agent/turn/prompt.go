package turn

import (
	"context"

	"parley/pkg/agent/caller"
	"parley/pkg/agent/prompt"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// Frame is the messages of a turn around the history: the instructions before it, and
// the setting behind it.
func (t *Turn) Frame(ctx context.Context) (system, setting providers.Message, err error) {
	t.At(stageFiles)
	files, err := t.Deps.Prompts.Files(ctx, t.Origin.Address, t.Space, t.Log())
	if err != nil {
		return system, setting, err
	}
	closing := t.Input.Closing
	if closing == "" {
		closing = "The channel is " + t.Info.Address.Channel + ". Answer " + prompt.NoReply +
			" alone when there is nothing to say and no person asked, or you have already sent a message."
	}
	setting = prompt.Setting(files, t.Clock.Today())
	told, outside, err := t.Deps.Prompts.Facts.Told(ctx, t)
	if err != nil {
		return system, setting, err
	}
	if told != "" {
		setting.Content += "\n\n" + told
	}
	if outside && !isFree(t) {
		t.Provenance.Taint()
	}
	if t.Input.Note != "" {
		setting.Content += "\n\n" + t.Input.Note
	}
	return t.Deps.Prompts.System(files, caller.Closing(closing, Wish(t))), setting, nil
}

// UserMessages are items as the model reads them, one message each, with the outcomes
// of their files, or nil. Late ones say how old they are, and the turn's answer will.
func (t *Turn) UserMessages(items []session.Item, files [][]prompt.Fetched) []providers.Message {
	out := make([]providers.Message, 0, len(items))
	for i := range items {
		var own []prompt.Fetched
		if files != nil {
			own = files[i]
		}
		if words := caller.Words(items[i].Inbound); words != nil {
			prompt.Show(words, items[i].Inbound, own)
			out = append(out, words...)
			continue
		}
		facts := prompt.Facts{Command: items[i].Inbound != nil && t.Deps.Command(items[i].Inbound.Text) != ""}
		facts.Age = ageOf(&items[i], facts.Command, t.Clock.Began)
		if t.kind.MissedBy != nil {
			facts.MissedBy = t.kind.MissedBy(&items[i], t.Clock.Wall)
		}
		t.late.add(max(facts.Age, facts.MissedBy))
		out = append(out, prompt.Message(items[i], own, facts))
	}
	return out
}
