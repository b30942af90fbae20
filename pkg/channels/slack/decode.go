package slack

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/markup"
)

// The types of envelopes that something may be made of.
const (
	typeEvents      = "events_api"
	typeInteractive = "interactive"
	typeCommands    = "slash_commands"
)

// inChannel acknowledges a slash command so that everybody sees what was asked.
const inChannel = `{"response_type":"in_channel"}`

// event is one envelope as it is worked on. Without items it is only acknowledged.
type event struct {
	// hello and disconnect are of the socket itself.
	hello      bool
	disconnect string
	// envelope is the id that is acknowledged, with answer where there is one.
	envelope string
	answer   json.RawMessage

	items []channels.Inbound
	// lane is the chat: what comes in it stays in order.
	lane string
	// asks says that it speaks to the bot if its thread is alive, and else does not.
	asks bool
	// size is how much memory it takes, about.
	size int
	// skipped says, for the log, why there is no item.
	skipped string
	// unread is the kind of what is of no use although it says something, and raw that.
	unread string
	raw    json.RawMessage
}

// decoder reads events as the bot that me names.
type decoder struct {
	me       Identity
	commands []Command
	name     func(user string) string
}

func (c *Channel) decoder() decoder {
	return decoder{me: *c.me.Load(), commands: c.opt.Commands, name: c.names.of}
}

// frame reads a frame of a socket and logs what is worth it: never what somebody wrote.
func (c *Channel) frame(f frame) *event {
	ev := c.decoder().frame(f)
	c.note(ev)
	return ev
}

// note logs what nothing is made of, and has the senders' names looked up.
func (c *Channel) note(ev *event) {
	if ev.skipped != "" {
		c.log.Debug().Str("chat", ev.lane).Str("reason", ev.skipped).Msg("an event is skipped")
	}
	for n := range ev.items {
		from := &ev.items[n].Sender
		from.Name = c.names.of(bareUser(from.ID))
	}
}

// frame never fails: what cannot be read is an event that says so.
func (d decoder) frame(f frame) *event {
	if f.huge != nil {
		raw, err := json.Marshal(f.huge)
		if err != nil {
			raw = nil
		}
		return &event{envelope: f.huge.ID, unread: oversized, raw: raw}
	}
	var e enveloped
	if json.Unmarshal(f.data, &e) != nil || len(e.ID) > maxHeadValue {
		h, _ := readHead(bytes.NewReader(f.data)) // memory reads without errors
		return &event{envelope: h.ID, unread: unreadable, raw: bare(f.data), size: len(f.data)}
	}
	var ev *event
	switch e.Type {
	case "hello":
		ev = &event{hello: true}
	case "disconnect":
		ev = &event{disconnect: e.Reason}
		if e.Reason == "" {
			ev.disconnect = "no reason"
		}
	case typeEvents, typeInteractive, typeCommands:
		ev = d.payload(e.Type, e.Payload)
	default:
		ev = &event{unread: kind(e.Type), raw: bare(f.data)}
	}
	ev.envelope, ev.size = e.ID, len(f.data)
	if ev.answer != nil && !e.Accepts {
		ev.answer = nil
	}
	return ev
}

// payload reads what is in an envelope, or in a call over HTTP.
func (d decoder) payload(envelopeType string, raw json.RawMessage) *event {
	ev := &event{size: len(raw)}
	switch envelopeType {
	case typeEvents:
		d.callback(ev, raw)
	case typeInteractive:
		d.interaction(ev, raw)
	case typeCommands:
		d.command(ev, raw)
	}
	if ev.unread != "" {
		ev.items, ev.raw = nil, bare(raw)
	}
	for n := range ev.items {
		ev.items[n].Address.Channel, ev.items[n].Address.Account = Name, d.me.Team
		ev.items[n].Mentioned = ev.items[n].Mentioned || ev.items[n].Kind == channels.KindButton
		ev.lane = ev.items[n].Address.Chat
	}
	return ev
}

// callback reads an event of the Events API.
func (d decoder) callback(ev *event, raw json.RawMessage) {
	var cb callback
	var head struct {
		Type    string `json:"type"`
		Subtype string `json:"subtype"`
		Bot     string `json:"bot_id"`
	}
	if json.Unmarshal(raw, &cb) != nil || cb.Type != "event_callback" || json.Unmarshal(cb.Event, &head) != nil {
		ev.unread = kind(typeEvents, unreadable)
		return
	}
	if !d.concerns(&cb) {
		ev.skipped = "it is for the app in another workspace"
		return
	}
	switch head.Type {
	case "message", "app_mention":
		if head.Bot != "" && personal(head.Subtype) {
			ev.skipped = aBots // mostly what the bot said itself: no more of it is read
			return
		}
		var m message
		if json.Unmarshal(cb.Event, &m) != nil {
			ev.unread = kind(typeEvents, head.Type, unreadable)
			return
		}
		d.message(ev, &m, cb.Team)
		for n := range ev.items {
			ev.items[n].Raw = kept(cb.Event)
		}
	case "assistant_thread_started", "assistant_thread_context_changed", "app_context_changed", "app_home_opened",
		"member_joined_channel", "member_left_channel":
		ev.skipped = head.Type
	default:
		ev.unread = kind(typeEvents, head.Type)
	}
}

// concerns says whether an event is for this installation of the app. In a channel
// that workspaces share it may have happened in another one.
func (d decoder) concerns(cb *callback) bool {
	if len(cb.Authorizations) > 0 {
		return slices.ContainsFunc(cb.Authorizations, func(a authorization) bool {
			return a.Team == d.me.Team || a.Team == "" || a.Enterprise
		})
	}
	return cb.Team == "" || cb.Team == d.me.Team || cb.Shared
}

// sender is a person, by the workspace they belong to: those of other workspaces have
// its id in front of theirs. It says nothing of names.
func (d decoder) sender(user string, teams ...string) channels.Sender {
	for _, team := range teams {
		if team == "" {
			continue
		}
		if team != d.me.Team {
			user = team + "/" + user
		}
		break
	}
	return channels.Sender{ID: user}
}

// isDirect says that nobody but one person and the bot is in a chat.
func isDirect(channel, channelType string) bool {
	return channelType == "im" || channelType == "app_home" || channelType == "" && strings.HasPrefix(channel, "D")
}

// interaction reads a press of a button.
func (d decoder) interaction(ev *event, raw json.RawMessage) {
	var in interaction
	if json.Unmarshal(raw, &in) != nil {
		ev.unread = kind(typeInteractive, unreadable)
		return
	}
	if in.Type != "block_actions" {
		ev.unread = kind(typeInteractive, in.Type)
		return
	}
	chat := first(in.Container.Channel, in.Channel.ID)
	posted := first(in.Container.Message, in.Message.TS)
	thread := first(in.Container.Thread, in.Message.Thread)
	on := message{User: in.User.ID, TS: posted, Thread: thread}
	if !isID(chat) || !on.sound(in.User.Team) {
		ev.unread = kind(typeInteractive, in.Type, "elsewhere")
		return
	}
	if thread == posted {
		thread = "" // the thread below the message is another conversation than the message
	}
	for _, a := range in.Actions {
		if a.Value == "" || !isID(a.ID) || !isTS(a.TS) {
			continue
		}
		ev.items = append(ev.items, channels.Inbound{
			ID: "press/" + chat + "/" + a.TS + "/" + a.ID, Kind: channels.KindButton, Text: a.Value,
			Address: channels.Address{Chat: chat, Thread: thread}, Sender: d.sender(in.User.ID, in.User.Team),
			Direct: isDirect(chat, ""), MessageID: posted, Time: timeOf(a.TS), Raw: kept(raw),
		})
	}
	if len(ev.items) == 0 {
		ev.unread = kind(typeInteractive, in.Type, "foreign")
	}
}

// command reads a slash command. Slack takes none in a thread, so it belongs to the
// chat itself.
func (d decoder) command(ev *event, raw json.RawMessage) {
	ev.answer = json.RawMessage(inChannel)
	var c command
	if json.Unmarshal(raw, &c) != nil || !isID(c.User) || !isID(c.Channel) || !isID(c.Trigger) || c.Team != "" && !isID(c.Team) {
		ev.unread, ev.answer = kind(typeCommands, unreadable), nil
		return
	}
	text := markup.Read(c.Text, "", d.name)
	word, more, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch {
	case word == "":
		text = "/help"
	case slices.ContainsFunc(d.commands, func(c Command) bool { return strings.EqualFold(c.Name, word) && (c.Takes || more == "") }):
		text = "/" + strings.ToLower(word) + strings.TrimPrefix(strings.TrimSpace(text), word)
	}
	ev.items = []channels.Inbound{{
		ID: "slash/" + nameOf(c.Trigger), Kind: channels.KindMessage, Text: text, Mentioned: true,
		Address: channels.Address{Chat: c.Channel}, Sender: d.sender(c.User, c.Team),
		Direct: isDirect(c.Channel, ""), Raw: kept(raw),
	}}
}

// nameOf is a name for what something was triggered with, which itself is to act
// with and stands in no record: as many bits of its SHA-256 as tell all apart.
func nameOf(trigger string) string {
	sum := sha256.Sum256([]byte(trigger))
	return hex.EncodeToString(sum[:16])
}

// first is the first that is not empty.
func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// form is a form as JSON.
func form(values url.Values) json.RawMessage {
	fields := map[string]string{}
	for name := range values {
		fields[name] = values.Get(name)
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return text
}
