package reading

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// The bounds of one answer: messages, and bytes of them, of which the last message may be more.
const (
	pageSize  = 200
	pageBytes = 1 << 20
)

// Page is a part of a conversation: entries of its history, and the delivered messages at their
// places.
type Page struct {
	Messages []Message
	// Unseen are the ids of messages that the person has not seen.
	Unseen []string
	// Before finds the page before this one, where there may be one; else it is 0.
	Before uint64
}

// Page reads the newest messages of a conversation of the chat at an address, or those before an
// entry of its history.
func (r *Reader) Page(ctx context.Context, at channels.Address, conversation string, before uint64) (Page, error) {
	p := page{Reader: r, at: at}
	if err := p.fill(ctx, conversation, before); err != nil {
		return Page{}, err
	}
	done := Page{Messages: p.messages, Unseen: p.unseen}
	if !p.whole {
		done.Before = p.first
	}
	return done, nil
}

// page is a page that is being made.
type page struct {
	*Reader

	at       channels.Address
	messages []Message
	unseen   []string // ids of delivered ones
	size     int
	// first is the Seq of the oldest entry; last that of the newest one, or 0: the page
	// goes to the end. whole says that there is no entry before it.
	first, last uint64
	whole       bool
	// older is the turn whose answer is the entry before first, or "".
	older string
}

// fill reads the entries before one, and the messages that were delivered among them.
func (p *page) fill(ctx context.Context, id string, before uint64) error {
	p.whole = true
	if before > 0 {
		p.last = before - 1
	}
	if err := p.o.Store.Back(ctx, id, before, func(e session.Entry) bool {
		m, read := p.message(p.at, &e), !e.Summary && !e.Silent() // a summary is for the model
		if p.whole = len(p.messages) < pageSize && p.size < pageBytes; !p.whole {
			if read && m.answers() {
				p.older = e.Turn
			}
			return e.Summary
		}
		if p.first = e.Seq; read {
			p.add(m)
		}
		return true
	}); err != nil {
		return err
	}
	slices.Reverse(p.messages)
	return p.deliver(ctx, id)
}

func (p *page) add(m Message) {
	p.size += len(m.Text)
	for i := range m.ToolCalls {
		p.size += len(m.ToolCalls[i].Arguments)
	}
	p.messages = append(p.messages, m)
}

// deliver puts the delivered messages in, as many as may stand there: the newest. On the newest
// page come those behind them whose events were told already, and which the store does not have
// yet.
func (p *page) deliver(ctx context.Context, id string) error {
	from := uint64(0)
	if !p.whole {
		from = p.first - 1
	}
	var all, early []session.Shown
	if p.last == 0 {
		early = p.told()
	}
	left := 2*len(early) + pageSize // the hub has the newest messages of the chat, and the store their questions too
	err := p.o.Activity.Shown(ctx, id, 0, func(s session.Shown) bool {
		left--
		early = slices.DeleteFunc(early, func(m session.Shown) bool { return m.ID == s.ID })
		room := s.After >= from && len(all) < pageSize && p.size < 2*pageBytes
		if room && p.has(&s) {
			all = append(all, s)
			p.size += len(s.Text)
		}
		return room || len(early) > 0 && left > 0
	})
	if err != nil {
		return err
	}
	if early, err = session.NotLeft(ctx, p.o.Store, p.o.Activity, p.at, early); err != nil {
		return err
	}
	all = append(early, all...)
	replaced := map[string]bool{}
	for i := range all { // the newest first
		replaced[all[i].Finishes] = true
	}
	for i := range slices.Backward(all) {
		if s := &all[i]; !replaced[s.ID] {
			p.put(s)
		}
	}
	return nil
}

// told are the messages whose events the hub has, the newest first.
func (p *page) told() (all []session.Shown) {
	for _, m := range slices.Backward(p.o.Hub.Messages(p.at)) {
		all = append(all, session.Shown{
			ID: m.ID, After: math.MaxUint64, Text: m.Text, File: m.File, Finishes: m.Replaces,
			Unasked: channels.Unasked(m.Origin), Time: time.Now(),
		})
	}
	return all
}

// has says whether a delivered message is one of the page: it left before the end of that, or is
// the last one of a turn whose answer is there.
func (p *page) has(s *session.Shown) bool {
	turn, rest, _ := strings.Cut(s.ID, "/")
	return p.last == 0 || s.After < p.last || rest == finalID && p.lastOf(turn) >= 0
}

// put puts a delivered message at its place: it is the last answer of its turn, or stands
// behind the result of the call that sent it, or behind the entry before it.
func (p *page) put(s *session.Shown) {
	turn, rest, _ := strings.Cut(s.ID, "/")
	m := Message{
		ID: s.ID, Turn: turn, Role: providers.RoleAssistant, Text: p.o.Redact(s.Text), File: p.o.Redact(s.File),
		Files: p.fileOf(p.at, s.ID, s.File), Origin: string(s.Unasked), Time: s.Time,
	}
	if !s.Seen {
		p.unseen = append(p.unseen, s.ID)
	}
	if rest == finalID {
		switch i := p.lastOf(turn); {
		case i >= 0 && p.messages[i].ID == "":
			p.messages[i].ID, p.messages[i].Origin = m.ID, m.Origin
			return
		case i < 0 && turn == p.older: // its answer is on the page before
			return
		}
	}
	at := p.behindCall(turn, rest)
	if at == 0 {
		at = p.behind(s.After)
	}
	for at < len(p.messages) && p.messages[at].Seq == 0 { // those that were put there before
		at++
	}
	p.messages = slices.Insert(p.messages, at, m)
}

// finalID is the end of the id of a turn's last message.
const finalID = "final/0"

// answers says whether a message of the history is words of the assistant alone.
func (m *Message) answers() bool { return m.Role == providers.RoleAssistant && len(m.ToolCalls) == 0 }

// lastOf is the place of the last answer of a turn, or -1.
func (p *page) lastOf(turn string) int {
	for i := range slices.Backward(p.messages) {
		if m := &p.messages[i]; m.Seq > 0 && m.Turn == turn {
			if m.answers() {
				return i
			}
			return -1
		}
	}
	return -1
}

// behindCall is the place behind the result of a call of a turn, or 0. The id of its message
// begins with the number of its round and its place in that.
func (p *page) behindCall(turn, rest string) int {
	first, rest, _ := strings.Cut(rest, "/")
	second, _, _ := strings.Cut(rest, "/")
	round, err := strconv.Atoi(first)
	index, other := strconv.Atoi(second)
	if err != nil || other != nil || round < 1 || index < 0 {
		return 0
	}
	call := ""
	for i := range p.messages {
		m := &p.messages[i]
		switch {
		case m.Turn != turn || m.Seq == 0:
		case m.Role == providers.RoleAssistant && len(m.ToolCalls) > 0:
			if round--; round == 0 && index < len(m.ToolCalls) {
				call = m.ToolCalls[index].ID
			}
		case m.Role == providers.RoleTool && call != "" && m.CallID == call:
			return i + 1
		}
	}
	return 0
}

// behind is the place behind the entry with a Seq and those before it.
func (p *page) behind(seq uint64) int {
	for i := range slices.Backward(p.messages) {
		if m := &p.messages[i]; m.Seq > 0 && m.Seq <= seq {
			return i + 1
		}
	}
	return 0
}
