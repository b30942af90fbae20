package event

import (
	"cmp"
	"slices"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/markup"
)

// personal says that a message of this subtype is something that a person said.
func personal(subtype string) bool {
	switch subtype {
	case "", "file_share", "thread_broadcast", "me_message":
		return true
	default:
		return false
	}
}

// serviceSubtypes are the posts that Slack itself puts into a channel.
const serviceSubtypes = " channel_join channel_leave channel_topic channel_purpose channel_name channel_archive channel_unarchive" +
	" channel_posting_permissions channel_convert_to_private channel_convert_to_public group_join group_leave group_topic group_purpose" +
	" group_name group_archive group_unarchive pinned_item unpinned_item bot_add bot_remove reminder_add reminder_delete" +
	" ekm_access_denied message_replied reply_broadcast assistant_app_thread huddle_thread joiner_notification" +
	" joiner_notification_for_inviter channel_canvas_updated tabbed_canvas_updated document_mention bot_enable bot_disable" +
	" file_comment file_mention "

// message reads an event about a message, with the team of the event as a whole.
func (d *Decoder) message(ev *Event, m *message, team string) {
	ev.Chat = m.Channel
	switch {
	case !api.IsID(m.Channel):
		ev.Unread = kind(TypeEvents, m.Type, "nowhere")
	case m.Subtype == "message_changed":
		d.changed(ev, m, team)
	case m.Subtype == "message_deleted":
		d.deleted(ev, m, m.Previous, m.Deleted, team)
	case d.mechanical(m):
		ev.Skipped = aBots
	case strings.Contains(serviceSubtypes, " "+m.Subtype+" "):
		ev.Skipped = "a message of Slack itself: " + m.Subtype
	case !personal(m.Subtype):
		ev.Unread = kind(TypeEvents, m.Type, m.Subtype)
	case m.Type == "app_mention" && m.Edited != nil:
		ev.Skipped = "a mention that an edit brought: the edit comes too"
	default:
		d.said(ev, m, team)
	}
}

// aBots is the reason for which a message is skipped.
const aBots = "a bot's message"

// mechanical says that no person wrote a message: the bot itself did, or another.
func (d *Decoder) mechanical(m *message) bool {
	return m.Bot != "" || m.Subtype == "bot_message" || m.User == "USLACKBOT" || m.User != "" && m.User == d.Me.User
}

// said reads a person's post.
func (d *Decoder) said(ev *Event, m *message, team string) {
	in, ok := d.common(ev, m, m, team, m.Type == "app_mention" || markup.Mentions(m.Text, d.Me.User))
	if !ok {
		return
	}
	in.ID, in.Kind, in.Time = original(m.Channel, m.TS), channels.KindMessage, timeOf(m.TS)
	d.tell(&in, m)
	if in.Text == "" && len(in.Attachments) == 0 {
		// A mention alone speaks to the bot all the same.
		if m.Text == "" {
			ev.Skipped = "a message without content"
			return
		}
	}
	ev.Items = []channels.Inbound{in}
}

// original is the id of the item that a post becomes.
func original(chat, ts string) string { return "msg/" + chat + "/" + ts }

// common has the fields of every item about a message: where it is, its author, and
// whether it speaks to the bot. The event is at, and m the message that it is about.
func (d *Decoder) common(ev *Event, at, m *message, team string, mentions bool) (in channels.Inbound, ok bool) {
	home := cmp.Or(m.UserTeam, m.SourceTeam, m.Team, team)
	if !m.sound(home) {
		ev.Unread = kind(TypeEvents, at.Type, at.Subtype, "unknown")
		return in, false
	}
	in = channels.Inbound{
		Address: channels.Address{Chat: at.Channel}, Sender: d.sender(m.User, home),
		Direct: isDirect(at.Channel, at.ChannelType), MessageID: m.TS,
	}
	reply := m.Thread != "" && m.Thread != m.TS
	switch {
	case reply:
		in.Address.Thread = m.Thread
	case !in.Direct && mentions:
		in.Address.Thread = m.TS // a question in a channel is answered below it
	}
	if in.Direct {
		return in, true
	}
	in.Mentioned = mentions || reply && m.ThreadOf != "" && m.ThreadOf == d.Me.User
	ev.Asks = reply && !in.Mentioned
	return in, true
}

// sound says that the ids of a message have the right form.
func (m *message) sound(home string) bool {
	return isTS(m.TS) && api.IsID(m.User) && (home == "" || api.IsID(home)) && (m.Thread == "" || isTS(m.Thread))
}

// changed reads message_changed. Slack sends it for many changes without an author:
// previews, replies that are counted, our own edits. Only a person's edit counts.
func (d *Decoder) changed(ev *Event, m *message, team string) {
	now, before := m.Message, m.Previous
	if now != nil && now.Edited != nil {
		// The words are those of the editor: a person speaks with their own rights
		// only.
		now.User = cmp.Or(now.Edited.User, now.User)
	}
	switch {
	case now == nil:
		ev.Unread = kind(TypeEvents, m.Type, m.Subtype, unreadable)
		return
	case now.Subtype == "tombstone":
		d.deleted(ev, m, before, now.TS, team)
		return
	case d.mechanical(now):
		ev.Skipped = "a bot's message was changed"
		return
	case now.Edited == nil || before != nil && sameWords(now, before):
		ev.Skipped = "a message was changed and nobody edited it"
		return
	case !personal(now.Subtype):
		ev.Skipped = "a message that nobody wrote was changed"
		return
	case !isTS(now.Edited.TS):
		ev.Unread = kind(TypeEvents, m.Type, m.Subtype, unreadable)
		return
	}
	mentions := markup.Mentions(now.Text, d.Me.User) || before != nil && markup.Mentions(before.Text, d.Me.User)
	in, ok := d.common(ev, m, now, team, mentions)
	if !ok {
		return
	}
	in.ID = "edit/" + m.Channel + "/" + now.TS + "/" + now.Edited.TS
	in.Kind, in.Original, in.Time = channels.KindEdit, original(m.Channel, now.TS), timeOf(now.Edited.TS)
	d.tell(&in, now)
	ev.Items = []channels.Inbound{in}
}

// sameWords says that two versions of a message have the same text and files.
func sameWords(a, b *message) bool {
	ids := func(m *message) []string {
		var all []string
		files := oneByOne[file](m.Files)
		for n := range files {
			all = append(all, files[n].ID+" "+files[n].Mode)
		}
		return all
	}
	return a.Text == b.Text && slices.Equal(ids(a), ids(b))
}

// deleted reads that the message ts was taken back; before is its former content. The
// person who did it is not told: it counts as its author's doing.
func (d *Decoder) deleted(ev *Event, m, before *message, ts, team string) {
	switch {
	case before == nil:
		ev.Skipped = "a message was deleted, and it is not told whose"
		return
	case d.mechanical(before):
		ev.Skipped = "a bot's message was deleted"
		return
	case !personal(before.Subtype):
		ev.Skipped = "a message that nobody wrote was deleted"
		return
	}
	was := *before
	was.TS = cmp.Or(ts, before.TS)
	in, ok := d.common(ev, m, &was, team, markup.Mentions(was.Text, d.Me.User))
	if !ok {
		return
	}
	in.ID = "delete/" + m.Channel + "/" + was.TS
	in.Kind, in.Original, in.Time = channels.KindDelete, original(m.Channel, was.TS), timeOf(cmp.Or(m.EventTS, m.TS))
	ev.Items = []channels.Inbound{in}
}
