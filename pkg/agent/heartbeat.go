package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// HeartbeatID is the id of the job that the configuration owns.
const HeartbeatID = "heartbeat"

// Heartbeat is a prompt that is read from a file each time it is due, and silent
// when there is nothing to say.
type Heartbeat struct {
	// To is the direct chat that it speaks in, Owner whose it is.
	To    channels.Address
	Owner channels.Sender
	// Mine says of a message whether Owner wrote it, for a channel on which a direct
	// chat has another id than its person: the heartbeat then speaks where such a one
	// came last, To and Owner count for nothing, and until then there is none.
	Mine func(in channels.Inbound) bool
	// Spec is for the [Clock].
	Spec json.RawMessage
	// PerDay bounds how often the model is asked on one day of the chat.
	PerDay int
	// File returns the prompt; a text without instructions is none.
	File func() string
}

// beatOK is an answer of a heartbeat that says nothing, as models know it from elsewhere.
const beatOK = "HEARTBEAT_OK"

// setHeartbeat makes the job of the heartbeat what the configuration says, where it is
// not: at the start, once its chat exists, and when it went with a chat that was forgotten.
func (a *Agent) setHeartbeat(ctx context.Context) error {
	a.jobs.change.Lock()
	defer a.jobs.change.Unlock()
	old, err := a.o.Engine.Jobs().Job(ctx, HeartbeatID)
	known := err == nil
	if err != nil && !errors.Is(err, session.ErrNotFound) && !errors.Is(err, session.ErrCorrupt) {
		return err
	}
	to, owner, ok := a.beatsWhere(old)
	if !ok {
		if !known {
			return nil
		}
		return a.o.Engine.Jobs().DeleteJob(ctx, HeartbeatID)
	}
	j := old
	j.ID, j.Name, j.Address, j.Creator, j.Direct, j.Prompt = HeartbeatID, HeartbeatID, to, owner, true, true
	if err := a.findChat(ctx, &j); err != nil {
		return err
	}
	if known && old.Chat != "" && old.Chat != j.Chat { // it moves to another chat
		if err := a.o.Engine.Jobs().DeleteJob(ctx, HeartbeatID); err != nil {
			return err
		}
	}
	if err := a.retime(&j, a.o.Heartbeat.Spec); err != nil {
		return err
	}
	if known && reflect.DeepEqual(old, j) {
		return nil
	}
	return a.o.Engine.Jobs().PutJob(ctx, j)
}

// beatsWhere says in which chat the heartbeat speaks, and whose that is; old is the
// job as it was. It is false where nobody knows yet, or none is configured.
func (a *Agent) beatsWhere(old session.Job) (channels.Address, channels.Sender, bool) {
	h := a.o.Heartbeat
	if h == nil {
		return channels.Address{}, channels.Sender{}, false
	}
	if h.Mine == nil {
		return h.To, h.Owner, true
	}
	if last := a.beats.Load(); last != nil {
		return last.Address, last.Sender, true
	}
	kept := channels.Inbound{Address: old.Address, Sender: old.Creator, Direct: old.Direct}
	return kept.Address, kept.Sender, h.Mine(kept)
}

// noteBeat remembers where the heartbeat's owner writes. The job says it from then
// on, so a restart does not forget it. What is no message may come from where the bot
// has no say, such as a slash command in a chat of others.
func (a *Agent) noteBeat(in *channels.Inbound) {
	h := a.o.Heartbeat
	if h == nil || h.Mine == nil || in.MessageID == "" || !h.Mine(*in) {
		return
	}
	now := &channels.Inbound{Address: in.Address, Sender: in.Sender}
	if last := a.beats.Swap(now); last == nil || last.Address != now.Address {
		a.jobs.wake()
	}
}

// retime gives a job another schedule, from now on; with the one that it has it does nothing.
func (a *Agent) retime(j *session.Job, spec json.RawMessage) error {
	if bytes.Equal(j.Spec, spec) {
		return nil
	}
	now := a.o.Now()
	tick, err := a.o.Clock.Tick(spec, now, now)
	if err == nil {
		j.Spec, j.Due = spec, tick.Next
	}
	return err
}

// findChat sets the chat at a job's address, and where that is now; "" where nothing
// was ever said: the first item makes the chat.
func (a *Agent) findChat(ctx context.Context, j *session.Job) error {
	info, err := a.o.Engine.Sessions().Lookup(ctx, j.Address)
	switch {
	case errors.Is(err, session.ErrNotFound):
		j.Chat = ""
	case err != nil:
		return err
	default:
		j.Chat, j.Address = info.Chat, info.Address
	}
	return nil
}

// beat reads what the heartbeat is to do; the second value says why it does nothing.
func (h *jobTurn) beat(ctx context.Context) (text, why string, err error) {
	r, conf := h.r, h.r.a.o.Heartbeat
	if conf == nil {
		return "", "the heartbeat is not configured any more", nil
	}
	text = strings.TrimSpace(conf.File())
	if !instructs(text) {
		return "", "its file has nothing to do", nil
	}
	if len(r.info.Steps) > 0 {
		return text, "", nil // an earlier attempt counted it
	}
	day := r.wall.In(r.location()).Format(time.DateOnly)
	over := false
	_, err = r.a.changeJob(ctx, HeartbeatID, func(j *session.Job) error {
		if j.Day != day {
			j.Day, j.Runs = day, 0
		}
		if over = j.Runs >= conf.PerDay; !over {
			j.Runs++
		}
		return nil
	})
	if errors.Is(err, session.ErrNotFound) {
		return "", "the heartbeat is not configured any more", nil
	}
	if over {
		why = "its runs of the day are used up"
	}
	return text, why, err
}

// instructs says whether a text has more than headings, comments and blank lines.
func instructs(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		comment := strings.HasPrefix(line, "<!--") && strings.HasSuffix(line, "-->")
		if line != "" && !strings.HasPrefix(line, "#") && !comment {
			return true
		}
	}
	return false
}

// saysNothing reports whether a heartbeat's answer says nothing.
func saysNothing(text string) bool {
	text = bareWord(text)
	return text == "" || text == beatOK || text == noReply
}

// mayBeatQuietly reports whether the beginning of a heartbeat's answer may turn out to
// say nothing: it is not shown then.
func mayBeatQuietly(text string) bool { return strings.HasPrefix(beatOK, bareWord(text)) }

// beats reports whether the job is the heartbeat.
func (h *jobTurn) beats() bool { return h.job.ID == HeartbeatID }

// bareWord is a text without what models put round a word.
func bareWord(text string) string { return strings.Trim(text, " \t\r\n*_`\"'.!") }

// quietBeat is the commit of a heartbeat that said nothing. What did nothing either
// leaves no trace in the conversation.
func quietBeat(c session.Commit) session.Commit {
	for i := range c.Messages {
		if len(c.Messages[i].ToolCalls) > 0 {
			return c
		}
	}
	c.Messages, c.CompactTo = nil, 0
	return c
}
