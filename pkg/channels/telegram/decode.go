package telegram

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"parley/pkg/channels"
)

// event is one update as it is worked on. Without an item it only moves the cursor.
type event struct {
	id int64
	// numbered says that the update told its id.
	numbered bool
	// parts are the ids of the album's further updates that joined this one.
	parts   []int64
	address channels.Address
	item    *channels.Inbound
	files   []attachment
	// group is the album's id.
	group string
	// callback is the button press that waits for an answer.
	callback string
	moved    *migration
	// needsName says that nothing else can be said before the bot's name is known.
	needsName bool
	// unreadable, member and skipped say, for the log, why there is no item.
	unreadable      bool
	member, skipped string
	// unused is a skipped update that may be worth a look.
	unused bool
	// unread is the kind of an update of which nothing is made although it says
	// something, and raw that update.
	unread string
	raw    json.RawMessage
}

// migration is a group that goes on as a supergroup with another id.
type migration struct{ from, to int64 }

// ids are those of all updates that the event stands for.
func (e *event) ids() []int64 { return append([]int64{e.id}, e.parts...) }

// inbound is the item, with its files.
func (e *event) inbound() channels.Inbound {
	in := *e.item
	for i := range e.files {
		in.Attachments = append(in.Attachments, e.files[i].inbound())
	}
	return in
}

// read decodes one update, gives it the account and logs what is worth it: never
// what somebody wrote.
func (c *Channel) read(raw json.RawMessage, me self) *event {
	ev := decodeUpdate(raw, me)
	ev.address.Channel, ev.address.Account = Name, c.account
	if ev.item != nil {
		ev.item.Address = ev.address
	}
	if ev.unread != "" {
		ev.raw = raw
	}
	switch {
	case ev.unreadable:
		c.log.Error().Int64("update", ev.id).Msg("an update cannot be read: it is skipped")
	case ev.member != "":
		c.log.Info().Int64("update", ev.id).Str("chat", ev.address.Chat).Str("status", ev.member).Msg("the bot's place in a chat has changed")
	case ev.skipped != "":
		c.log.Debug().Int64("update", ev.id).Str("chat", ev.address.Chat).Str("reason", ev.skipped).Msg("an update is skipped")
	}
	return ev
}

// chat is the address of a whole chat.
func (c *Channel) chat(id int64) channels.Address {
	return channels.Address{Channel: Name, Account: c.account, Chat: itoa(id)}
}

// decodeUpdate never fails: what cannot be read is an event that says so.
func decodeUpdate(raw json.RawMessage, me self) *event {
	ev := &event{}
	var u update
	if json.Unmarshal(raw, &u) != nil || u.ID == nil {
		ev.id, ev.numbered = numberOf(raw)
		ev.unreadable, ev.unread = true, unreadable
		return ev
	}
	ev.id, ev.numbered = *u.ID, true
	switch {
	case u.Message != nil:
		ev.message(u.Message, me, channels.KindMessage)
	case u.Edited != nil:
		ev.message(u.Edited, me, channels.KindEdit)
	case u.Callback != nil:
		ev.press(u.Callback)
	case u.MyChatMember != nil:
		ev.place(&u.MyChatMember.Chat, 0)
		ev.member = u.MyChatMember.Old.Status + " -> " + u.MyChatMember.New.Status
	default:
		ev.skipped, ev.unused = "a kind of update that is not used", true
	}
	if ev.unused {
		ev.unread = kindOf(raw)
	}
	return ev
}

// numberOf is the id of an update of which nothing else can be read.
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
func (e *event) place(at *chat, thread int64) {
	e.address.Chat = itoa(at.ID)
	if thread != 0 {
		e.address.Thread = itoa(thread)
	}
}

// message reads a new or an edited message.
func (e *event) message(m *message, me self, kind channels.Kind) {
	e.place(&m.Chat, m.topic())
	if e.moved = m.migration(); e.moved != nil {
		return
	}
	var sender channels.Sender
	if sender, e.skipped = m.sender(me); e.skipped != "" {
		return
	}
	if kind == channels.KindEdit {
		if e.skipped = m.noEdit(); e.skipped != "" {
			return
		}
	}
	said, direct := m.said(), m.Chat.Type == typePrivate
	if !direct {
		e.overheard(&said, me)
	} else if said.addressed() {
		e.needsName = me.name == ""
	}
	if e.needsName || e.skipped != "" {
		return
	}
	body, files := m.describe(m)
	text := channels.Lines(m.Forward.line(), said.readable(me), body)
	if text == "" && len(files) == 0 {
		e.skipped, e.unused = "a service message, or of a kind that is not known", true
		return
	}
	e.files, e.group = files, m.Group
	e.item = &channels.Inbound{
		ID: "update/" + itoa(e.id), Kind: kind, Sender: sender, Direct: direct, Text: text,
		Mentioned: !direct && (said.mentions(me) || m.repliesTo(me)),
		MessageID: itoa(m.ID), Quote: m.quoted(), Forwarded: m.passesOn(me), Time: m.time(),
	}
	if kind == channels.KindEdit && e.group != "" {
		e.item.MessageID = "" // one part's new wording is none of the album
	}
}

// How old a message may be at its edit. With the day for which Telegram keeps
// updates this is no longer than it is remembered which messages were accepted.
const maxEditAge = 24 * 60 * 60

// noEdit says why an edit is none that somebody made to be read.
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

// overheard looks at what is said in a group: for whom it is may depend on the
// bot's name, or it is for another bot.
func (e *event) overheard(said *saying, me self) {
	switch {
	case me.name == "" && (said.addressed() || said.names()):
		e.needsName = true
	case said.forAnother(me):
		e.skipped = "a command for another bot"
	}
}

// migration is what the message tells of one; nil where it tells none.
func (m *message) migration() *migration {
	switch {
	case m.MigrateTo != 0:
		return &migration{from: m.Chat.ID, to: m.MigrateTo}
	case m.MigrateFrom != 0:
		return &migration{from: m.MigrateFrom, to: m.Chat.ID}
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

// The accounts that Telegram puts in the place of those who write as a group or a
// channel, and its own. They are nobody in particular.
const (
	serviceAccount = 777000
	anonymousAdmin = 1087968824
	channelBot     = 136817688
)

func impersonal(id int64) bool {
	return id <= 0 || id == serviceAccount || id == anonymousAdmin || id == channelBot
}

// sender is who wrote, or the reason why nobody did who may start a turn. Who
// writes as a group or a channel has that one's id, which is negative and so no
// user's: whoever may is not known.
func (m *message) sender(me self) (channels.Sender, string) {
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
	case m.From.ID == me.id:
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

// repliesTo reports whether it answers the bot. What is said in a topic answers the
// message that opened the topic, where it answers nothing else.
func (m *message) repliesTo(me self) bool {
	return m.Reply != nil && m.Reply.TopicCreated == nil && m.Reply.From != nil && m.Reply.From.ID == me.id
}

// passesOn reports whether it brings in what others wrote: something forwarded, what
// another bot wrote for the sender, a card of somebody else's words, or the words that
// it answers, unless they are the bot's or its sender's own.
func (m *message) passesOn(me self) bool {
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
		return m.Reply.Forward != nil || m.Reply.ViaBot != nil || m.Reply.card() || m.Reply.SenderChat != nil || of == nil || by == nil || of.ID != by.ID
	}
}

// quoted is what it answers: the part that was chosen, or all of it; of a message
// in another chat also where it is from.
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

// shown is what a message holds beside its text, files included.
func (c *content) shown(m *message) string {
	body, files := c.describe(m)
	all := []string{body}
	for i := range files {
		all = append(all, channels.Bracket(files[i].about()))
	}
	return channels.Lines(all...)
}

// press reads a press of a button.
func (e *event) press(q *callback) {
	e.callback = q.ID
	if q.Message == nil || q.Message.Chat.ID == 0 {
		e.skipped = "a button of a message that is not known"
		return
	}
	e.place(&q.Message.Chat, q.Message.topic())
	switch {
	case q.From == nil || impersonal(q.From.ID):
		e.skipped = "the sender is not known"
	case q.Data == "" || q.ID == "":
		e.skipped = "a button without data or a press without an id"
	default:
		e.item = &channels.Inbound{
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

// name is who wrote it, or the channel; "" where that is hidden.
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
