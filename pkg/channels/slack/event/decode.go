package event

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/markup"
)

// The types of envelopes that may hold items.
const (
	TypeEvents      = "events_api"
	TypeInteractive = "interactive"
	TypeCommands    = "slash_commands"
)

// channelName is the adapter's word in addresses.
const channelName = "slack"

// inChannel acknowledges a slash command so that everybody sees the question.
const inChannel = `{"response_type":"in_channel"}`

// Event is one envelope, or one call over HTTP. The adapter acknowledges an event
// without Items, unless it is Elsewhere's, and does no more about it.
type Event struct {
	// Hello and Disconnect are of the socket itself.
	Hello      bool
	Disconnect string
	// Envelope is the id that is acknowledged, with Answer where there is one.
	Envelope string
	Answer   json.RawMessage

	Items []channels.Inbound
	// Chat is the chat of the items: they are stored in the order in which they came.
	Chat string
	// Asks says that the event speaks to the bot exactly if its thread is alive.
	Asks bool
	// Reply is the address at which a slash command may be answered where the bot is no
	// member. It allows an action: it is in no record and in no log.
	Reply string
	// Size is about how many bytes of memory it takes.
	Size int
	// Skipped says, for the log, why there is no item.
	Skipped string
	// Elsewhere says that it is for the app in another workspace, which another gateway may
	// serve: on a socket it is left to that one, unacknowledged.
	Elsewhere bool
	// Unread is the kind of an event that says something the adapter cannot use, and
	// Raw its payload.
	Unread string
	Raw    json.RawMessage
}

// Decoder reads events as the bot that Me names.
type Decoder struct {
	Me api.Identity
	// Command is the gateway's command that the words of a slash command are, or "". Nil: none.
	Command func(words string) string
	// Name is the name of a user, "" while it is unknown.
	Name func(user string) string
}

// Frame reads a frame of a socket. It does not fail: an unreadable frame gives an event
// that says so.
func (d *Decoder) Frame(f Frame) *Event {
	if f.Huge != nil {
		raw, err := json.Marshal(f.Huge)
		if err != nil {
			raw = nil
		}
		return &Event{Envelope: f.Huge.ID, Unread: oversized, Raw: raw}
	}
	var e enveloped
	if json.Unmarshal(f.Data, &e) != nil || len(e.ID) > maxHeadValue {
		h, _ := readHead(bytes.NewReader(f.Data)) // memory reads without errors
		return &Event{Envelope: h.ID, Unread: unreadable, Raw: bare(f.Data), Size: len(f.Data)}
	}
	var ev *Event
	switch e.Type {
	case "hello":
		ev = &Event{Hello: true}
	case "disconnect":
		ev = &Event{Disconnect: e.Reason}
		if e.Reason == "" {
			ev.Disconnect = "no reason"
		}
	case TypeEvents, TypeInteractive, TypeCommands:
		ev = d.Payload(e.Type, e.Payload)
	default:
		ev = &Event{Unread: kind(e.Type), Raw: bare(f.Data)}
	}
	ev.Envelope, ev.Size = e.ID, len(f.Data)
	if ev.Answer != nil && !e.Accepts {
		ev.Answer = nil
	}
	return ev
}

// Payload reads the content of an envelope, or of a call over HTTP.
func (d *Decoder) Payload(envelopeType string, raw json.RawMessage) *Event {
	ev := &Event{Size: len(raw)}
	switch envelopeType {
	case TypeEvents:
		d.callback(ev, raw)
	case TypeInteractive:
		d.interaction(ev, raw)
	case TypeCommands:
		d.command(ev, raw)
	}
	if ev.Unread != "" {
		ev.Items, ev.Raw = nil, bare(raw)
	}
	for n := range ev.Items {
		ev.Items[n].Address.Channel, ev.Items[n].Address.Account = channelName, d.Me.Team
		ev.Items[n].Mentioned = ev.Items[n].Mentioned || ev.Items[n].Kind == channels.KindButton
		ev.Chat = ev.Items[n].Address.Chat
	}
	return ev
}

// callback reads an event of the Events API.
func (d *Decoder) callback(ev *Event, raw json.RawMessage) {
	var cb callback
	var head struct {
		Type    string `json:"type"`
		Subtype string `json:"subtype"`
		Bot     string `json:"bot_id"`
	}
	if json.Unmarshal(raw, &cb) != nil || cb.Type != "event_callback" || json.Unmarshal(cb.Event, &head) != nil {
		ev.Unread = kind(TypeEvents, unreadable)
		return
	}
	if !d.concerns(&cb) {
		ev.Skipped, ev.Elsewhere = "it is for the app in another workspace", true
		return
	}
	switch head.Type {
	case "message", "app_mention":
		if head.Bot != "" && personal(head.Subtype) {
			ev.Skipped = aBots // mostly the bot's own words: no more of it is read
			return
		}
		var m message
		if json.Unmarshal(cb.Event, &m) != nil {
			ev.Unread = kind(TypeEvents, head.Type, unreadable)
			return
		}
		d.message(ev, &m, cb.Team)
		for n := range ev.Items {
			ev.Items[n].Raw = kept(cb.Event)
		}
	case "assistant_thread_started", "assistant_thread_context_changed", "app_context_changed", "app_home_opened",
		"member_joined_channel", "member_left_channel":
		ev.Skipped = head.Type
	default:
		ev.Unread = kind(TypeEvents, head.Type)
	}
}

// concerns says whether an event is for this installation of the app. In a channel
// that workspaces share it may have happened in another one.
func (d *Decoder) concerns(cb *callback) bool {
	if len(cb.Authorizations) > 0 {
		return slices.ContainsFunc(cb.Authorizations, func(a authorization) bool {
			return a.Team == d.Me.Team || a.Team == "" || a.Enterprise
		})
	}
	return cb.Team == "" || cb.Team == d.Me.Team || cb.Shared
}

// sender is a person, by the workspace they belong to: those of other workspaces have
// its id in front of theirs. It leaves names out.
func (d *Decoder) sender(user string, teams ...string) channels.Sender {
	for _, team := range teams {
		if team == "" {
			continue
		}
		if team != d.Me.Team {
			user = team + "/" + user
		}
		break
	}
	return channels.Sender{ID: user}
}

// isDirect says that a chat has only one person and the bot.
func isDirect(channel, channelType string) bool {
	return channelType == "im" || channelType == "app_home" || channelType == "" && strings.HasPrefix(channel, "D")
}

// interaction reads a press of a button.
func (d *Decoder) interaction(ev *Event, raw json.RawMessage) {
	var in interaction
	if json.Unmarshal(raw, &in) != nil {
		ev.Unread = kind(TypeInteractive, unreadable)
		return
	}
	if in.Type != "block_actions" {
		ev.Unread = kind(TypeInteractive, in.Type)
		return
	}
	chat := cmp.Or(in.Container.Channel, in.Channel.ID)
	posted := cmp.Or(in.Container.Message, in.Message.TS)
	thread := cmp.Or(in.Container.Thread, in.Message.Thread)
	on := message{User: in.User.ID, TS: posted, Thread: thread}
	if !api.IsID(chat) || !on.sound(in.User.Team) {
		ev.Unread = kind(TypeInteractive, in.Type, "elsewhere")
		return
	}
	if thread == posted {
		thread = "" // the thread below the message is another conversation than the message
	}
	for _, a := range in.Actions {
		if a.Value == "" || !api.IsID(a.ID) || !isTS(a.TS) {
			continue
		}
		ev.Items = append(ev.Items, channels.Inbound{
			ID: "press/" + chat + "/" + a.TS + "/" + a.ID, Kind: channels.KindButton, Text: a.Value,
			Address: channels.Address{Chat: chat, Thread: thread}, Sender: d.sender(in.User.ID, in.User.Team),
			Direct: isDirect(chat, ""), MessageID: posted, Time: timeOf(a.TS), Raw: kept(raw),
		})
	}
	if len(ev.Items) == 0 {
		ev.Unread = kind(TypeInteractive, in.Type, "foreign")
	}
}

// maxReply is the longest address of an answer that is believed.
const maxReply = 1000

// command reads a slash command. Slack has none in a thread, so it belongs to the chat
// itself.
func (d *Decoder) command(ev *Event, raw json.RawMessage) {
	ev.Answer = json.RawMessage(inChannel)
	var c command
	if json.Unmarshal(raw, &c) != nil || !c.sound() {
		ev.Unread, ev.Answer = kind(TypeCommands, unreadable), nil
		return
	}
	if len(c.Reply) <= maxReply {
		ev.Reply = c.Reply
	}
	text := markup.Read(c.Text, "", d.Name)
	if d.Command != nil {
		text = cmp.Or(d.Command(text), text)
	}
	ev.Items = []channels.Inbound{{
		ID: "slash/" + nameOf(c.Trigger), Kind: channels.KindMessage, Text: text, Mentioned: true,
		Address: channels.Address{Chat: c.Channel}, Sender: d.sender(c.User, c.Team),
		Direct: isDirect(c.Channel, ""), Raw: kept(raw),
	}}
}

// nameOf is a name for a trigger, which itself allows an action and stands in no
// record: as many bits of its SHA-256 as tell all apart.
func nameOf(trigger string) string {
	sum := sha256.Sum256([]byte(trigger))
	return hex.EncodeToString(sum[:16])
}
