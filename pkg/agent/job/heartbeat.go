package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// HeartbeatID is the id of the job that the configuration owns.
const HeartbeatID = "heartbeat"

// Heartbeat is a prompt that is read from a file each time it is due, and silent
// without news.
type Heartbeat struct {
	// To is the direct chat that it speaks in, Owner its owner.
	To    channels.Address
	Owner channels.Sender
	// Mine says whether Owner wrote a message, for a channel on which a direct chat has
	// another id than its person: the heartbeat then speaks where such a one came last,
	// To and Owner are ignored, and until then there is none.
	Mine func(in channels.Inbound) bool
	// Spec is for the [Timetable].
	Spec json.RawMessage
	// PerDay bounds how often the model is asked on one day of the chat.
	PerDay int
	// File returns the prompt; a text without instructions is empty.
	File func() string
}

// setHeartbeat makes the job of the heartbeat equal to the configuration, where it
// differs: at the start, once its chat exists, and when it went with a chat that was
// forgotten.
func (s *Scheduler) setHeartbeat(ctx context.Context) error {
	s.change.Lock()
	defer s.change.Unlock()
	old, err := s.o.Jobs.Job(ctx, HeartbeatID)
	known := err == nil
	if err != nil && !errors.Is(err, session.ErrNotFound) && !errors.Is(err, session.ErrCorrupt) {
		return err
	}
	to, owner, ok := s.heartbeatChat(old)
	if !ok {
		if !known {
			return nil
		}
		return s.o.Jobs.DeleteJob(ctx, HeartbeatID)
	}
	j := old
	j.ID, j.Name, j.Address, j.Principal.Sender, j.Principal.Direct, j.Prompt = HeartbeatID, HeartbeatID, to, owner, true, true
	if err := s.findChat(ctx, &j); err != nil {
		return err
	}
	if known && old.Chat != "" && old.Chat != j.Chat { // it moves to another chat
		if err := s.o.Jobs.DeleteJob(ctx, HeartbeatID); err != nil {
			return err
		}
	}
	if err := s.retime(&j, s.o.Heartbeat.Spec); err != nil {
		return err
	}
	if known && reflect.DeepEqual(old, j) {
		return nil
	}
	return s.o.Jobs.PutJob(ctx, j)
}

// heartbeatChat is the chat in which the heartbeat speaks, and its owner; old is the
// job as it was. It is false where that is unknown yet, or not configured.
func (s *Scheduler) heartbeatChat(old session.Job) (channels.Address, channels.Sender, bool) {
	h := s.o.Heartbeat
	if h == nil {
		return channels.Address{}, channels.Sender{}, false
	}
	if h.Mine == nil {
		return h.To, h.Owner, true
	}
	if last := s.owner.Load(); last != nil {
		return last.Address, last.Sender, true
	}
	kept := channels.Inbound{Address: old.Address, Sender: old.Principal.Sender, Direct: old.Principal.Direct}
	return kept.Address, kept.Sender, h.Mine(kept)
}

// Accepted remembers where the heartbeat's owner writes. The job says it from then
// on, so it survives a restart. Only messages count: a slash command may come from a
// chat that the bot is no member of.
func (s *Scheduler) Accepted(in *channels.Inbound) {
	h := s.o.Heartbeat
	if h == nil || h.Mine == nil || in.MessageID == "" || !h.Mine(*in) {
		return
	}
	now := &channels.Inbound{Address: in.Address, Sender: in.Sender}
	if last := s.owner.Swap(now); last == nil || last.Address != now.Address {
		s.wake()
	}
}

// retime gives a job another schedule, from now on; with the one that it has there is
// no effect.
func (s *Scheduler) retime(j *session.Job, spec json.RawMessage) error {
	if bytes.Equal(j.Spec, spec) {
		return nil
	}
	now := s.o.Now()
	tick, err := s.o.Timetable.Tick(spec, now, now)
	if err == nil {
		j.Spec, j.Due = spec, tick.Next
	}
	return err
}

// findChat sets the chat at a job's address, and where that is now; "" where the chat
// is still empty: the first item makes the chat.
func (s *Scheduler) findChat(ctx context.Context, j *session.Job) error {
	info, err := s.o.Chats.Lookup(ctx, j.Address)
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
