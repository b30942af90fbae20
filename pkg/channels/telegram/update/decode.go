package update

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"parley/pkg/channels"
)

// Bot is the bot that reads. Its Name is empty until the server has told it.
type Bot struct {
	ID   int64
	Name string
}

// named reports whether name is the bot's, without @, in whatever case.
func (b Bot) named(name string) bool { return b.Name != "" && strings.EqualFold(b.Name, name) }

// Event is one update. Without an Item it only moves the cursor.
type Event struct {
	ID int64
	// Numbered says that the update told its id.
	Numbered bool
	// parts are the ids of the album's further updates that joined this one.
	parts   []int64
	Address channels.Address
	Item    *channels.Inbound
	files   []attachment
	// Group is the album's id.
	Group string
	// Callback is the button press that waits for an answer.
	Callback string
	Moved    *Migration
	// NeedsName says that the update cannot be judged before the bot's name is known.
	NeedsName bool
	// Unreadable, Member and Skipped say, for the log, why there is no item.
	Unreadable      bool
	Member, Skipped string
	// unused is a skipped update that may be worth a look.
	unused bool
	// Unread is the kind of an update that says something the adapter cannot use, and
	// Raw that update.
	Unread string
	Raw    json.RawMessage
}

// Migration is a group that goes on as a supergroup with another id.
type Migration struct{ From, To int64 }

// Empty is e without its content: it only moves the cursor.
func (e *Event) Empty() *Event { return &Event{ID: e.ID, Numbered: true, Address: e.Address} }

// IDs are those of all updates that the event stands for.
func (e *Event) IDs() []int64 { return append([]int64{e.ID}, e.parts...) }

// Inbound is the item, with its files.
func (e *Event) Inbound() channels.Inbound {
	in := *e.Item
	for i := range e.files {
		in.Attachments = append(in.Attachments, e.files[i].inbound())
	}
	return in
}

// Decode reads one update as the bot me. It does not fail: an unreadable update gives
// an event that says so.
func Decode(raw json.RawMessage, me Bot) *Event {
	ev := decode(raw, me)
	if ev.Item != nil {
		ev.Item.Address = ev.Address
	}
	if ev.Unread != "" {
		ev.Raw = raw
	}
	return ev
}

func decode(raw json.RawMessage, me Bot) *Event {
	ev := &Event{}
	var u update
	if json.Unmarshal(raw, &u) != nil || u.ID == nil {
		ev.ID, ev.Numbered = numberOf(raw)
		ev.Unreadable, ev.Unread = true, unreadable
		return ev
	}
	ev.ID, ev.Numbered = *u.ID, true
	switch {
	case u.Message != nil:
		ev.message(u.Message, me, channels.KindMessage)
	case u.Edited != nil:
		ev.message(u.Edited, me, channels.KindEdit)
	case u.Callback != nil:
		ev.press(u.Callback)
	case u.MyChatMember != nil:
		ev.place(&u.MyChatMember.Chat, 0)
		ev.Member = u.MyChatMember.Old.Status + " -> " + u.MyChatMember.New.Status
	default:
		ev.Skipped, ev.unused = "a kind of update that is not used", true
	}
	if ev.unused {
		ev.Unread = kindOf(raw)
	}
	return ev
}

// numberOf is the id of an update that is unreadable otherwise.
func numberOf(raw json.RawMessage) (id int64, ok bool) {
	var head struct {
		ID *int64 `json:"update_id"`
	}
	if json.Unmarshal(raw, &head) != nil || head.ID == nil {
		return 0, false
	}
	return *head.ID, true
}

// place says where it happened; thread is 0 outside of topics.
func (e *Event) place(at *chat, thread int64) {
	e.Address.Chat = itoa(at.ID)
	if thread != 0 {
		e.Address.Thread = itoa(thread)
	}
}

// message reads a new or an edited message.
func (e *Event) message(m *message, me Bot, kind channels.Kind) {
	e.place(&m.Chat, m.topic())
	if e.Moved = m.migration(); e.Moved != nil {
		return
	}
	var sender channels.Sender
	if sender, e.Skipped = m.sender(me); e.Skipped != "" {
		return
	}
	if kind == channels.KindEdit {
		if e.Skipped = m.noEdit(); e.Skipped != "" {
			return
		}
	}
	said, direct := m.said(), m.Chat.Type == typePrivate
	if !direct {
		e.overheard(&said, me)
	} else if said.addressed() {
		e.NeedsName = me.Name == ""
	}
	if e.NeedsName || e.Skipped != "" {
		return
	}
	body, files := m.describe(m)
	text := channels.Lines(m.Forward.line(), said.readable(me), body)
	if text == "" && len(files) == 0 {
		e.Skipped, e.unused = "a service message, or of a kind that is not known", true
		return
	}
	e.files, e.Group = files, m.Group
	e.Item = &channels.Inbound{
		ID: "update/" + itoa(e.ID), Kind: kind, Sender: sender, Direct: direct, Text: text,
		Mentioned: !direct && (said.mentions(me) || m.repliesTo(me)),
		MessageID: itoa(m.ID), Quote: m.quoted(), Forwarded: m.passesOn(me), Time: m.time(),
	}
	if kind == channels.KindEdit && e.Group != "" {
		e.Item.MessageID = "" // the new wording of one part is not that of the album
	}
}

// How old a message may be at its edit. With the day for which Telegram keeps
// updates this is no longer than it is remembered which messages were accepted.
const maxEditAge = 24 * 60 * 60

// noEdit is the reason for which an edit is not one that a person made to be read.
func (m *message) noEdit() string {
	switch {
	case m.Location != nil:
		return "a live location moved"
	case m.EditDate-m.Date > maxEditAge:
		return "an edit of an old message"
	default:
		return ""
	}
}

const typePrivate = "private"

// overheard looks at a message in a group: its addressee may depend on the bot's name,
// or it is for another bot.
func (e *Event) overheard(said *saying, me Bot) {
	switch {
	case me.Name == "" && (said.addressed() || said.names()):
		e.NeedsName = true
	case said.forAnother(me):
		e.Skipped = "a command for another bot"
	}
}

// migration is the migration that the message announces, or nil.
func (m *message) migration() *Migration {
	switch {
	case m.MigrateTo != 0:
		return &Migration{From: m.Chat.ID, To: m.MigrateTo}
	case m.MigrateFrom != 0:
		return &Migration{From: m.MigrateFrom, To: m.Chat.ID}
	default:
		return nil
	}
}

// topic is the id of the forum topic that the message is in, or 0.
func (m *message) topic() int64 {
	if m.InTopic {
		return m.Thread
	}
	return 0
}

func (m *message) time() time.Time {
	if at := max(m.Date, m.EditDate); at > 0 {
		return time.Unix(at, 0)
	}
	return time.Time{}
}

// The accounts that Telegram puts in the place of people who write as a group or a
// channel, and its own. They stand for no particular person.
const (
	serviceAccount = 777000
	anonymousAdmin = 1087968824
	channelBot     = 136817688
)

func impersonal(id int64) bool {
	return id <= 0 || id == serviceAccount || id == anonymousAdmin || id == channelBot
}

// sender is the author, or the reason for which the message has no author with the
// right to start a turn. A person who writes as a group or a channel has that one's id,
// which is negative and so not a user's: the person is unknown.
func (m *message) sender(me Bot) (channels.Sender, string) {
	switch {
	case m.Auto:
		return channels.Sender{}, "a channel's post, forwarded by Telegram"
	case m.Chat.Type == "channel":
		return channels.Sender{}, "a channel's post"
	case m.SenderChat != nil:
		if m.SenderChat.ID >= 0 {
			return channels.Sender{}, "the sender is not known"
		}
		return channels.Sender{ID: itoa(m.SenderChat.ID), Name: m.SenderChat.Title}, ""
	case m.From == nil || impersonal(m.From.ID):
		return channels.Sender{}, "the sender is not known"
	case m.From.ID == me.ID:
		return channels.Sender{}, "the bot's own message"
	default:
		return m.From.sender(), ""
	}
}

func (u *user) sender() channels.Sender {
	return channels.Sender{ID: itoa(u.ID), Name: u.called(), Bot: u.IsBot}
}

// called is how a person calls themselves.
func (u *user) called() string {
	if name := strings.TrimSpace(u.FirstName + " " + u.LastName); name != "" {
		return name
	}
	return u.Username
}

// repliesTo reports whether it answers the bot. A message in a topic answers the
// message that opened the topic, unless it answers another.
func (m *message) repliesTo(me Bot) bool {
	return m.Reply != nil && m.Reply.TopicCreated == nil && m.Reply.From != nil && m.Reply.From.ID == me.ID
}

// passesOn reports whether it brings in words of others: something forwarded, text that
// another bot wrote for the sender, a card of somebody else's words, or the words that
// it answers, unless they are the bot's or its sender's own.
func (m *message) passesOn(me Bot) bool {
	if m.Forward != nil || m.External != nil || m.ViaBot != nil || m.card() {
		return true
	}
	switch {
	case m.Reply == nil:
		return m.Quote != nil
	case m.Reply.TopicCreated != nil || m.repliesTo(me):
		return false
	default:
		of, by := m.Reply.From, m.From
		return m.Reply.Forward != nil || m.Reply.ViaBot != nil || m.Reply.card() || m.Reply.SenderChat != nil ||
			of == nil || by == nil || of.ID != by.ID
	}
}

// quoted is the text that it answers: the chosen part, or all of it; of a message in
// another chat also where it is from.
func (m *message) quoted() string {
	chosen := ""
	if m.Quote != nil {
		chosen = m.Quote.Text
	}
	switch {
	case m.External != nil:
		return channels.Lines(m.External.line(), m.External.shown(m), chosen)
	case chosen != "":
		return chosen
	case m.Reply == nil || m.Reply.TopicCreated != nil:
		return ""
	default:
		return channels.Lines(m.Reply.said().text, m.Reply.shown(m.Reply))
	}
}

// line says that it is from another chat, and of whom.
func (x *external) line() string {
	const from = "a message from another chat"
	if name := x.Origin.name(); name != "" {
		return channels.Bracket(from+", by", name)
	}
	return channels.Bracket(from)
}

// shown is the content of a message beside its text, files included.
func (c *content) shown(m *message) string {
	body, files := c.describe(m)
	all := []string{body}
	for i := range files {
		all = append(all, channels.Bracket(files[i].about()))
	}
	return channels.Lines(all...)
}

// press reads a press of a button.
func (e *Event) press(q *callback) {
	e.Callback = q.ID
	if q.Message == nil || q.Message.Chat.ID == 0 {
		e.Skipped = "a button of a message that is not known"
		return
	}
	e.place(&q.Message.Chat, q.Message.topic())
	switch {
	case q.From == nil || impersonal(q.From.ID):
		e.Skipped = "the sender is not known"
	case q.Data == "" || q.ID == "":
		e.Skipped = "a button without data or a press without an id"
	default:
		e.Item = &channels.Inbound{
			ID: "press/" + q.ID, Kind: channels.KindButton, Sender: q.From.sender(), Text: q.Data,
			Direct: q.Message.Chat.Type == typePrivate, Mentioned: true, MessageID: itoa(q.Message.ID),
		}
	}
}

// line names where a forwarded message comes from. It keeps a forwarded command
// from being one.
func (o *origin) line() string {
	if o == nil {
		return ""
	}
	return channels.Bracket("forwarded from", o.name())
}

// name is the author's name, or the channel's; "" where that is hidden.
func (o *origin) name() string {
	if o == nil {
		return ""
	}
	from := o.SenderName
	for _, c := range []*chat{o.SenderChat, o.Chat} {
		if c != nil {
			from = c.Title
		}
	}
	if o.SenderUser != nil {
		from = o.SenderUser.called()
	}
	return channels.OneLine(from)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
