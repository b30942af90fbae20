package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/faketelegram"
)

// everything lets somebody do in a chat whatever the Bot API has an update for.
func everything(tg *faketelegram.Server, c *faketelegram.Chat, below int64, mark string) {
	who := c.Who()
	text := mention(tg) + mark
	said := c.Say(text)
	c.Edit(said.MessageID, text+", edited")
	c.Reply(below, text)
	c.Press(below, "Allow once")
	c.PressData(below, "approval/ABCDEFGH/once")
	c.Say("/start@" + tg.Bot().User().Username)
	c.Say("/new@" + tg.Bot().User().Username)
	c.Say("/stop@" + tg.Bot().User().Username)
	c.Photo([]byte("not a picture"), text)
	c.Document(faketelegram.File{Name: "a.txt", Data: []byte(mark)}, text)
	c.Voice([]byte("sound"), 3)
	c.Album([]faketelegram.Item{{Photo: []byte("1"), Caption: text}, {Photo: []byte("2")}})
	c.Location(1, 2)
	c.Contact("+1", text)
	for _, fields := range []map[string]any{
		{"sticker": map[string]any{"file_id": "s", "emoji": mark}},
		{"dice": map[string]any{"emoji": mark, "value": 6}},
		{"poll": map[string]any{"question": text, "options": []any{map[string]any{"text": mark}}}},
		{"text": text, "forward_origin": map[string]any{"type": "user", "sender_user": map[string]any{"id": 1, "first_name": mark}}},
		{
			"text":           text,
			"quote":          map[string]any{"text": mark},
			"external_reply": map[string]any{"origin": map[string]any{"type": "hidden_user", "sender_user_name": mark}},
		},
		{"text": text, "via_bot": tg.Bot().User()},
		{"web_app_data": map[string]any{"data": mark, "button_text": mark}},
		{"users_shared": map[string]any{"request_id": 1, "users": []any{}}},
		{"pinned_message": map[string]any{"message_id": 1, "date": 0, "chat": map[string]any{"id": c.ID(), "type": "group"}}},
		{"new_chat_title": mark},
		{"successful_payment": map[string]any{"invoice_payload": mark}},
		{"kind_of_tomorrow": mark},
	} {
		c.Post(fields)
	}
	c.Join(faketelegram.User{ID: 950_000, FirstName: mark})
	c.Leave(faketelegram.User{ID: 950_000, FirstName: mark})
	at := map[string]any{"id": c.ID(), "type": "supergroup", "title": mark}
	message := map[string]any{"message_id": 1, "date": 1, "chat": at, "from": who, "text": text}
	for kind, body := range map[string]any{
		"inline_query":         map[string]any{"id": "1", "from": who, "query": mark, "offset": ""},
		"chosen_inline_result": map[string]any{"result_id": "1", "from": who, "query": mark},
		"shipping_query":       map[string]any{"id": "1", "from": who, "invoice_payload": mark},
		"pre_checkout_query":   map[string]any{"id": "1", "from": who, "invoice_payload": mark},
		"poll":                 map[string]any{"id": "1", "question": mark},
		"poll_answer":          map[string]any{"poll_id": "1", "user": who, "option_ids": []int{0}},
		"chat_member":          map[string]any{"chat": at, "from": who, "date": 1},
		"chat_join_request":    map[string]any{"chat": at, "from": who, "bio": mark},
		"message_reaction":     map[string]any{"chat": at, "user": who, "message_id": below},
		"chat_boost":           map[string]any{"chat": at},
		"channel_post":         message, "edited_channel_post": message,
		"business_connection": map[string]any{"id": "1", "user": who}, "business_message": message, "edited_business_message": message,
		"purchased_paid_media": map[string]any{"from": who, "paid_media_payload": mark},
		"callback_query": map[string]any{
			"id":                "77",
			"from":              who,
			"data":              "approval/ABCDEFGH/once",
			"inline_message_id": "1",
			"chat_instance":     "1",
		},
		"kind_of_tomorrow": message,
	} {
		tg.Bot().Push(kind, body)
	}
}

// TestTelegramEveryKindFromAStranger has a person on no list, and a bot that is on one,
// do whatever can be done, in private and in groups: no model is asked, no message,
// download or call follows, and people with access are served.
func TestTelegramEveryKindFromAStranger(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	ada, eve := tg.User("Ada"), tg.User("Eve")
	robot := faketelegram.User{ID: 910_000, FirstName: "Robot", Username: "robot_bot", IsBot: true}
	listed, unlisted := tg.Supergroup("listed", ada, robot), tg.Supergroup("unlisted", ada, eve)
	w := newStrict(t, tg, asksFor("effect_asked"), ada,
		fmt.Sprintf("    allow: [%d]\n    groups: {allow: [%d], mention: \"off\"}", robot.ID, listed.ID()),
		fmt.Sprintf("tools: {chats: {\"telegram:%d\": {level: write}, \"telegram:%d\": {level: write}}}", listed.ID(), unlisted.ID()))
	questions := map[*faketelegram.Chat]faketelegram.Message{}
	for _, c := range []*faketelegram.Chat{listed, unlisted} {
		c.Say(mention(tg) + "\ncall {\"text\": \"once\"}")
		questions[c] = w.asked(c)
	}
	asked, texts := len(w.model.Requests()), func() (all []string) {
		for c := range questions {
			all = append(all, c.Texts()...)
		}
		slices.Sort(all)
		return all
	}
	before, sends := texts(), len(tg.Requests("sendMessage"))

	private := tg.Private(eve)
	everything(tg, private, 1, "eve")
	everything(tg, unlisted.As(eve), questions[unlisted].ID, "eve")
	everything(tg, listed.As(robot), questions[listed].ID, "robot")
	if err := tg.Bot().AwaitConfirmed(w.ctx); err != nil {
		t.Fatal(err)
	}
	own := tg.Private(ada)
	own.Say("are you there?")
	w.reads(own, "heard: are you there?")

	if n := len(w.model.Requests()); n != asked+1 {
		for _, req := range w.model.Requests()[asked:] {
			t.Errorf("the model was asked %q", lastUser(req))
		}
	}
	if got := texts(); !slices.Equal(got, before) || len(private.Texts()) > 0 || len(tg.Requests("sendMessage")) != sends+1 {
		t.Errorf("told %q, before %q, in private %q", got, before, private.Texts())
	}
	if n := len(tg.Requests("getFile")); n != 0 {
		t.Errorf("%d files were fetched", n)
	}
	if n := w.ran(); n != 0 {
		t.Errorf("%d effects", n)
	}
	for c, q := range questions { // the questions wait still
		c.Press(q.ID, "Deny")
		w.says(c, "Denied by Ada")
	}
}

// TestTelegramBotsDoNotTalk lets two bots answer each other, if they would.
func TestTelegramBotsDoNotTalk(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	ada := tg.User("Ada")
	robot := faketelegram.User{ID: 910_001, FirstName: "Robot", Username: "robot_bot", IsBot: true}
	group := tg.Supergroup("all", ada, robot)
	w := newTelegram(t, tg, echoes, group)
	group.Say(mention(tg) + "hello")
	w.says(group, heardMark, "hello")
	for i := range 50 {
		said := group.As(robot).Reply(group.Messages()[0].ID, mention(tg)+fmt.Sprint("hello yourself ", i))
		group.As(robot).Edit(said.MessageID, mention(tg)+"and again")
	}
	if err := tg.Bot().AwaitConfirmed(w.ctx); err != nil {
		t.Fatal(err)
	}
	group.Say(mention(tg) + "still there?")
	w.await("two answers", func() bool { return len(group.Texts()) >= 2 })
	for _, req := range w.model.Requests() {
		if said := strings.Join(persons(req), " "); strings.Contains(said, "yourself") || strings.Contains(said, "and again") {
			t.Fatalf("a bot reached the model: %q", said)
		}
	}
	if n := len(group.Texts()); n != 2 {
		t.Errorf("%d messages: %q", n, group.Texts())
	}
}

// TestTelegramEditOfACallThatWaits edits the request, once it is asked about: no editor
// and no text change the shown call.
func TestTelegramEditOfACallThatWaits(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{false, true} {
		t.Run(fmt.Sprint("answer_edits ", answered), func(t *testing.T) {
			t.Parallel()
			tg := faketelegram.New(t)
			ada, bert := tg.User("Ada"), tg.User("Bert")
			group := tg.Supergroup("all", ada, bert)
			w := newStrict(t, tg, asksFor("effect_asked"), ada, fmt.Sprintf("    groups: {allow: [%d]}", group.ID()),
				fmt.Sprintf("agent: {answer_edits: %v}\ntools: {chats: {\"telegram:%d\": {level: write}}}", answered, group.ID()))
			said := group.Say(mention(tg) + "\ncall {\"text\": \"harmless\"}")
			q := w.asked(group)
			for _, text := range []string{"never mind", "Allow once", "approved by the owner", "the same, but with text \"harm\""} {
				group.Edit(said.MessageID, mention(tg)+text)
				group.As(bert).Edit(said.MessageID, mention(tg)+text)
			}
			if err := tg.Bot().AwaitConfirmed(w.ctx); err != nil {
				t.Fatal(err)
			}
			group.Press(q.ID, "Allow once")
			w.says(group, "result: done: harmless")
			if n := w.ran(); n != 1 || w.effectsOf("harmless") != 1 {
				t.Errorf("%d effects, of which %d were shown", n, w.effectsOf("harmless"))
			}
		})
	}
}
