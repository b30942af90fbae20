package faketelegram_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
)

// field digs a value out of an update; the path is of keys and indexes.
func field(t *testing.T, u faketelegram.Update, path string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(u.Raw, &v); err != nil {
		t.Fatal(err)
	}
	for key := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(at) {
				return ""
			}
			v = at[i]
		}
	}
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return fmt.Sprintf("%.0f", v)
	default:
		return fmt.Sprint(v)
	}
}

// TestUpdates checks the update of each of people's actions.
func TestUpdates(t *testing.T) {
	t.Parallel()
	type update = faketelegram.Update
	tests := map[string]struct {
		act  func(w *world) update
		kind string
		want map[string]string
	}{
		"text": {
			func(w *world) update { return w.chat.Say("/go@x now\nhttps://e.org @ada_l") }, "message",
			map[string]string{
				"message.chat.type": "private", "message.from.is_bot": "false", "message.text": "/go@x now\nhttps://e.org @ada_l",
				"message.entities.0.type": "bot_command", "message.entities.0.length": "5",
				"message.entities.1.type": "url", "message.entities.1.offset": "10", "message.entities.1.length": "13",
				"message.entities.2.type": "mention", "message.entities.2.offset": "24", "message.entities.2.length": "6",
			},
		},
		"formatted": {
			func(w *world) update {
				return w.chat.Say("x", faketelegram.Entities(faketelegram.Entity{Type: "bold", Length: 1}))
			}, "message",
			map[string]string{"message.entities.0.type": "bold"},
		},
		"old": {
			func(w *world) update { return w.chat.Say("x", faketelegram.At(time.Unix(1000, 0))) }, "message",
			map[string]string{"message.date": "1000"},
		},
		"reply with quote": {
			func(w *world) update {
				first := w.group.Say("one two")
				return w.group.Reply(first.MessageID, "x", faketelegram.Quote("two"))
			}, "message",
			map[string]string{
				"message.reply_to_message.text": "one two", "message.quote.text": "two", "message.quote.position": "4",
				"message.chat.type": "group", "message.message_thread_id": "",
			},
		},
		"edit": {
			func(w *world) update { return w.chat.Edit(w.chat.Say("x").MessageID, "y") }, "edited_message",
			map[string]string{"edited_message.text": "y"},
		},
		"photo": {
			func(w *world) update { return w.chat.Photo([]byte("img"), "a /c") }, "message",
			map[string]string{"message.caption": "a /c", "message.caption_entities.0.type": "bot_command", "message.photo.1.file_size": "3"},
		},
		"document": {
			func(w *world) update {
				return w.chat.Document(faketelegram.File{Name: "a.txt", MIME: "text/plain", Data: []byte("abcd")}, "")
			}, "message",
			map[string]string{"message.document.file_name": "a.txt", "message.document.mime_type": "text/plain", "message.document.file_size": "4"},
		},
		"voice":    {func(w *world) update { return w.chat.Voice([]byte("v"), 3) }, "message", map[string]string{"message.voice.duration": "3"}},
		"location": {func(w *world) update { return w.chat.Location(1, 2) }, "message", map[string]string{"message.location.longitude": "2"}},
		"contact": {
			func(w *world) update { return w.chat.Contact("+1", "Bob") },
			"message",
			map[string]string{"message.contact.phone_number": "+1"},
		},
		"unknown": {
			func(w *world) update { return w.chat.Post(map[string]any{"hologram": map[string]any{"depth": 3}}) }, "message",
			map[string]string{"message.hologram.depth": "3", "message.chat.type": "private"},
		},
		"join": {
			func(w *world) update { return w.group.Join(w.srv.User("Eve")) }, "message",
			map[string]string{"message.new_chat_members.0.first_name": "Eve"},
		},
		"leave": {
			func(w *world) update { return w.group.Leave(w.srv.User("Eve")) }, "message",
			map[string]string{"message.left_chat_member.first_name": "Eve"},
		},
		"block": {
			func(w *world) update { return w.chat.Block() }, "my_chat_member",
			map[string]string{
				"my_chat_member.old_chat_member.status": "member",
				"my_chat_member.new_chat_member.status": "kicked",
				"my_chat_member.from.first_name":        "Ada",
			},
		},
		"promote": {
			func(w *world) update { return w.group.Promote() }, "my_chat_member",
			map[string]string{"my_chat_member.new_chat_member.status": "administrator"},
		},
		"channel": {
			func(w *world) update { return w.srv.Channel("News").Say("x") }, "channel_post",
			map[string]string{"channel_post.sender_chat.title": "News", "channel_post.from": ""},
		},
		"another person": {
			func(w *world) update { return w.group.As(w.srv.User("Eve")).Say("x") }, "message",
			map[string]string{"message.from.first_name": "Eve", "message.chat.title": "Friends"},
		},
		"topic": {
			func(w *world) update { return w.srv.Forum("Club").Topic("Plans").Say("x") }, "message",
			map[string]string{
				"message.is_topic_message": "true", "message.message_thread_id": "1",
				"message.reply_to_message.forum_topic_created.name": "Plans", "message.chat.is_forum": "true",
			},
		},
		"general topic": {
			func(w *world) update { return w.srv.Forum("Club").Say("x") }, "message",
			map[string]string{"message.is_topic_message": "", "message.message_thread_id": "", "message.reply_to_message": ""},
		},
		"reply in a supergroup": { // it has a thread, which is no topic
			func(w *world) update {
				club := w.srv.Supergroup("Club")
				return club.Reply(club.Say("x").MessageID, "y")
			}, "message",
			map[string]string{"message.message_thread_id": "1", "message.is_topic_message": "", "message.message_id": "2"},
		},
		"any body": {func(w *world) update { return w.srv.Bot().Push("message", "poison") }, "message", map[string]string{"message": "poison"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			u := tc.act(w)
			queue := w.srv.Bot().Unconfirmed()
			if len(queue) == 0 || u.Kind != tc.kind {
				t.Fatalf("kind %q, want %q; %d in the queue", u.Kind, tc.kind, len(queue))
			}
			if diff := cmp.Diff(u, queue[len(queue)-1]); diff != "" {
				t.Errorf("-returned +queued\n%s", diff)
			}
			for path, want := range tc.want {
				if got := field(t, u, path); got != want {
					t.Errorf("%s is %q, want %q in %s", path, got, want, u.Raw)
				}
			}
		})
	}
}

// TestMessageIDs says where ids are unique.
func TestMessageIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := w.chat.Say("x").MessageID, w.group.Say("x").MessageID
	if two != one+1 {
		t.Errorf("ids %d and %d of private chat and group do not follow one another", one, two)
	}
	for range 2 {
		if id := w.srv.Supergroup("Club").Say("x").MessageID; id != 1 {
			t.Errorf("the first id of a supergroup is %d", id)
		}
	}
}

func TestAlbum(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := w.chat.Album([]faketelegram.Item{{Photo: []byte("a"), Caption: "both"}, {Document: faketelegram.File{Name: "b"}}})
	album := field(t, list[0], "message.media_group_id")
	if album == "" || album != field(t, list[1], "message.media_group_id") || list[1].ID != list[0].ID+1 {
		t.Errorf("no album: %s %s", list[0].Raw, list[1].Raw)
	}
	if single := w.chat.Photo(nil, ""); field(t, single, "message.media_group_id") != "" {
		t.Errorf("a single photo is an album: %s", single.Raw)
	}
}

func TestSilentAfterLeaving(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.group.Dismiss()
	w.group.Say("the bot does not hear this")
	if queue := w.srv.Bot().Unconfirmed(); len(queue) != 1 || queue[0].Kind != "my_chat_member" {
		t.Errorf("queue %v", queue)
	}
}

func TestPress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say(w.chat, "x", "reply_markup", `{"inline_keyboard":[[{"text":"Yes","callback_data":"y"}]]}`)
	id := w.chat.Messages()[0].ID
	for label, none := range map[string]faketelegram.Update{
		"No":        w.chat.Press(id, "No"),
		"y":         w.chat.Press(id, "y"),
		"elsewhere": w.chat.Press(id+1, "Yes"),
	} {
		if none.ID != 0 {
			t.Errorf("%s was pressed: %s", label, none.Raw)
		}
	}
	press := w.chat.Press(id, "Yes")
	if field(t, press, "callback_query.data") != "y" || field(t, press, "callback_query.message.text") != "x" ||
		field(t, press, "callback_query.id") != press.Callback {
		t.Errorf("update %s", press.Raw)
	}
	answer := map[string]string{"callback_query_id": press.Callback, "text": "thanks", "show_alert": "true"}
	if r := w.call("answerCallbackQuery", answer); !r.OK {
		t.Error(r.Description)
	}
	if r := w.call("answerCallbackQuery", answer); r.Description !=
		"Bad Request: query is too old and response timeout expired or query ID is invalid" {
		t.Errorf("answered twice: %+v", r)
	}
	w.send("editMessageReplyMarkup", w.chat, "message_id", fmt.Sprint(id))
	if gone := w.chat.Press(id, "Yes"); gone.ID != 0 {
		t.Errorf("a button that is gone was pressed: %s", gone.Raw)
	}
	if late := w.chat.PressData(id, "y"); field(t, late, "callback_query.data") != "y" || late.Callback == press.Callback {
		t.Errorf("update %s", late.Raw)
	}
	if got := w.srv.Callbacks(); len(got) != 1 || got[0].ID != press.Callback || got[0].Text != "thanks" || !got[0].Alert {
		t.Errorf("answers %+v", got)
	}
}

func TestTopics(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	forum := w.srv.Forum("Club")
	plans, other := forum.Topic("Plans"), forum.Topic("Other")
	asked := plans.Say("x")
	thread := fmt.Sprint(plans.Thread())
	w.say(forum, "in the topic", "message_thread_id", thread, "reply_parameters", fmt.Sprintf(`{"message_id":%d}`, asked.MessageID))
	w.say(forum, "follows", "reply_parameters", fmt.Sprintf(`{"message_id":%d}`, asked.MessageID))
	w.say(forum, "in general")
	w.send("sendChatAction", forum, "action", "typing", "message_thread_id", thread)
	if diff := cmp.Diff([]string{"in the topic", "follows"}, plans.Texts()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(other.Texts()) != 0 || len(forum.Texts()) != 3 || len(plans.Actions()) != 1 || len(other.Actions()) != 0 {
		t.Errorf("other topic %q, all %q", other.Texts(), forum.Texts())
	}
	r := w.send("sendMessage", forum, "text", "x", "message_thread_id", fmt.Sprint(other.Thread()),
		"reply_parameters", fmt.Sprintf(`{"message_id":%d}`, asked.MessageID))
	if r.Status != http.StatusBadRequest {
		t.Errorf("a reply across topics: %+v", r)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	set := func(list, scope string) reply {
		return w.call("setMyCommands", map[string]string{"commands": list, "scope": scope})
	}
	if r := set(`[{"command":"new","description":"start anew"}]`, `{"type":"default"}`); !r.OK {
		t.Fatal(r.Description)
	}
	want := []faketelegram.Command{{Command: "new", Description: "start anew"}}
	if diff := cmp.Diff(want, w.srv.Bot().Commands()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for list, words := range map[string]string{
		`[{"command":"New","description":"x"}]`: "BOT_COMMAND_INVALID",
		`[{"command":"","description":"x"}]`:    "BOT_COMMAND_INVALID",
		`[{"command":"new","description":""}]`:  "BOT_COMMAND_DESCRIPTION_INVALID",
		`[1]`:                                   "expected an Array of BotCommand",
	} {
		if r := set(list, ""); r.Description != "Bad Request: "+words {
			t.Errorf("%s: %q", list, r.Description)
		}
	}
	other := w.call("getMyCommands", map[string]string{"scope": `{"type":"all_private_chats"}`})
	if string(other.Result) != "[]" {
		t.Errorf("another scope has %s", other.Result)
	}
	if diff := cmp.Diff(want, decode[[]faketelegram.Command](t, w.call("getMyCommands", nil).Result)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	w.call("deleteMyCommands", nil)
	if got := w.srv.Bot().Commands(); len(got) != 0 {
		t.Errorf("still there: %v", got)
	}
}

func TestGetChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := decode[struct{ Type, Title string }](t, w.send("getChat", w.group).Result)
	if got.Type != "group" || got.Title != "Friends" {
		t.Errorf("got %+v", got)
	}
}
