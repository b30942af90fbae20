package faketelegram_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/test/fakehttp"
	"parley/internal/test/faketelegram"
)

// world is a server with one private chat and one group.
type world struct {
	*client
	srv         *faketelegram.Server
	chat, group *faketelegram.Chat
}

func newWorld(t *testing.T, opts ...faketelegram.Options) *world {
	t.Helper()
	srv := faketelegram.New(t, opts...)
	ada, bob := srv.User("Ada"), srv.User("Bob")
	return &world{newClient(t, srv, srv.Token()), srv, srv.Private(ada), srv.Group("Friends", ada, bob)}
}

// onFakeTime runs a test on a server that fake time can wait for.
func onFakeTime(t *testing.T, opt faketelegram.Options, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pipes := fakehttp.NewPipes()
		opt.Listener = pipes
		w := newWorld(t, opt)
		transport := &http.Transport{DialContext: pipes.Dial}
		t.Cleanup(transport.CloseIdleConnections)
		w.http.Transport = transport
		test(t, w)
	})
}

// send calls method for a chat with further pairs of parameters.
func (w *world) send(method string, chat *faketelegram.Chat, pairs ...string) reply {
	w.t.Helper()
	params := map[string]string{"chat_id": fmt.Sprint(chat.ID())}
	for i := 0; i < len(pairs); i += 2 {
		params[pairs[i]] = pairs[i+1]
	}
	return w.call(method, params)
}

// say sends a text that must be taken, and returns its id.
func (w *world) say(chat *faketelegram.Chat, text string, pairs ...string) string {
	w.t.Helper()
	r := w.send("sendMessage", chat, append([]string{"text", text}, pairs...)...)
	if !r.OK {
		w.t.Fatalf("sendMessage: %s", r.Description)
	}
	return fmt.Sprint(decode[struct {
		ID int64 `json:"message_id"`
	}](w.t, r.Result).ID)
}

func TestSendText(t *testing.T) {
	t.Parallel()
	const unit = "😀" // two UTF-16 units
	tests := map[string]struct {
		text, mode string
		want       string // the text that is shown
		refused    string // or why not
	}{
		"plain":                  {"a < b", "", "a < b", ""},
		"HTML":                   {"<b>a</b> &lt; b", "HTML", "a < b", ""},
		"html in small letters":  {"<b>a</b>", "html", "a", ""},
		"white space around":     {"\n  a\n b \n", "", "a\n b", ""},
		"control characters":     {"a\rb\x07c", "", "ab c", ""},
		"longest":                {strings.Repeat(unit, 2048), "", strings.Repeat(unit, 2048), ""},
		"longest beside markup":  {"<b>" + strings.Repeat("x", 4096) + "</b>", "HTML", strings.Repeat("x", 4096), ""},
		"one unit too long":      {strings.Repeat(unit, 2048) + "x", "", "", "message is too long"},
		"empty":                  {"", "", "", "message text is empty"},
		"white space":            {" \n\t", "", "", "text must be non-empty"},
		"nothing inside of tags": {"<b> </b>", "HTML", "", "text must be non-empty"},
		"a tag that is none":     {"<p>x</p>", "HTML", "", `can't parse entities: Unsupported start tag "p" at byte offset 0`},
		"another parse mode":     {"x", "Markdown", "", "unsupported parse_mode"},
		"not UTF-8":              {"a\xff", "", "", "strings must be encoded in UTF-8"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := w.send("sendMessage", w.chat, "text", tc.text, "parse_mode", tc.mode)
			if tc.refused != "" {
				if r.Status != 400 || r.Description != "Bad Request: "+tc.refused || len(w.chat.Messages()) != 0 {
					t.Errorf("%d %q, want %q", r.Status, r.Description, tc.refused)
				}
				return
			}
			if diff := cmp.Diff([]string{tc.want}, w.chat.Texts()); diff != "" || !r.OK {
				t.Errorf("%s -want +got\n%s", r.Description, diff)
			}
		})
	}
}

func TestShownMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := w.group.Say("what?").MessageID
	id := w.say(w.group, " <b>so</b> &amp; so", "parse_mode", "HTML",
		"reply_parameters", fmt.Sprintf(`{"message_id":%d,"quote":"hat"}`, asked), "disable_notification", "true",
		"link_preview_options", `{"is_disabled":true}`,
		"reply_markup", `{"inline_keyboard":[[{"text":"Yes","callback_data":"y"},{"text":"No","url":"https://example.org"}]]}`)
	if r := w.send("editMessageText", w.group, "message_id", id, "text", "done"); !r.OK {
		t.Fatal(r.Description)
	}
	got := w.group.Messages()
	want := []faketelegram.Message{{
		Chat: w.group.ID(), Text: "done", ReplyTo: asked, Quote: "hat", Versions: []string{"so & so", "done"}, Edits: 1,
		Silent: true, Preview: true,
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(faketelegram.Message{}, "ID", "Sent", "Edited")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got[0].Sent.IsZero() || got[0].Edited.Before(got[0].Sent) || fmt.Sprint(got[0].ID) != id {
		t.Errorf("sent %v, edited %v, id %d", got[0].Sent, got[0].Edited, got[0].ID)
	}
	buttons := `{"inline_keyboard": [[{"text":"Yes","callback_data":"y"}]]}`
	if r := w.send("editMessageReplyMarkup", w.group, "message_id", id, "reply_markup", buttons); !r.OK {
		t.Fatal(r.Description)
	}
	if diff := cmp.Diff([][]faketelegram.Button{{{Text: "Yes", Data: "y"}}}, w.group.Messages()[0].Buttons); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if r := w.send("deleteMessage", w.group, "message_id", id); !r.OK {
		t.Fatal(r.Description)
	}
	if m := w.group.Messages()[0]; !m.Deleted || len(w.group.Texts()) != 0 {
		t.Errorf("it is still there: %+v", m)
	}
}

func TestEntitiesOfSentText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say(w.chat, "\n <b>a \r\n</b> <i> </i>b<a href='tg://user?id=1'>c</a>", "parse_mode", "HTML")
	w.say(w.chat, "abc", "entities", `[{"type":"code","offset":1,"length":1},{"type":"bold","offset":3,"length":1}]`)
	want := [][]faketelegram.Entity{{{Type: "bold", Length: 3}}, {{Type: "code", Offset: 1, Length: 1}}}
	for i, m := range w.chat.Messages() {
		if diff := cmp.Diff(want[i], m.Entities); diff != "" {
			t.Errorf("%q: -want +got\n%s", m.Text, diff)
		}
	}
	if diff := cmp.Diff([]string{"a \n  bc", "abc"}, w.chat.Texts()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	const markup = "reply_markup"
	tests := map[string]struct {
		method string
		pairs  []string
		want   string
	}{
		"reply to nothing":        {"sendMessage", []string{"text", "x", "reply_parameters", `{"message_id":9}`}, "message to be replied not found"},
		"quote of something else": {"sendMessage", []string{"text", "x", "reply_parameters", `{"message_id":PERSON,"quote":"zzz"}`}, "QUOTE_TEXT_INVALID"},
		"no topic":                {"sendMessage", []string{"text", "x", "message_thread_id", "5"}, "message thread not found"},
		"keyboard without rows":   {"sendMessage", []string{"text", "x", markup, `{"inline_keyboard":[{}]}`}, `field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays`},
		"button without effect":   {"sendMessage", []string{"text", "x", markup, `{"inline_keyboard":[[{"text":"x"}]]}`}, "text buttons are unallowed in the inline keyboard"},
		"button with much data":   {"sendMessage", []string{"text", "x", markup, `{"inline_keyboard":[[{"text":"x","callback_data":"` + strings.Repeat("x", 65) + `"}]]}`}, "BUTTON_DATA_INVALID"},
		"not modified": {
			"editMessageText",
			[]string{"message_id", "BOT", "text", " mine "},
			"message is not modified: specified new message content and reply markup are exactly the same as a current content and " +
				"reply markup of the message",
		},
		"markup not modified": {
			"editMessageReplyMarkup",
			[]string{"message_id", "BOT"},
			"message is not modified: specified new message content and reply markup are exactly the same as a current content and " +
				"reply markup of the message",
		},
		"edit of nothing":        {"editMessageText", []string{"message_id", "9", "text", "x"}, "message to edit not found"},
		"edit of no id":          {"editMessageText", []string{"text", "x"}, "message identifier is not specified"},
		"edit of a person's":     {"editMessageText", []string{"message_id", "PERSON", "text", "x"}, "message can't be edited"},
		"edit to nothing":        {"editMessageText", []string{"message_id", "BOT", "text", ""}, "message text is empty"},
		"delete of nothing":      {"deleteMessage", []string{"message_id", "9"}, "message to delete not found"},
		"draft without id":       {"sendMessageDraft", []string{"text", "x", "draft_id", "0"}, "RANDOM_ID_INVALID"},
		"an action that is none": {"sendChatAction", []string{"action", "thinking"}, "wrong parameter action in request"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			person := fmt.Sprint(w.chat.Say("theirs").MessageID)
			replace := strings.NewReplacer("PERSON", person, "BOT", w.say(w.chat, "mine"))
			for i := range tc.pairs {
				tc.pairs[i] = replace.Replace(tc.pairs[i])
			}
			if r := w.send(tc.method, w.chat, tc.pairs...); r.Status != 400 || r.Description != "Bad Request: "+tc.want {
				t.Errorf("%d %q, want %q", r.Status, r.Description, tc.want)
			}
			if diff := cmp.Diff([]string{"mine"}, w.chat.Texts()); diff != "" {
				t.Errorf("it had an effect: -want +got\n%s", diff)
			}
		})
	}
}

func TestWhoCannotBeReached(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(w *world) *faketelegram.Chat
		status int
		want   string
	}{
		"blocked":     {func(w *world) *faketelegram.Chat { w.chat.Block(); return w.chat }, 403, "Forbidden: bot was blocked by the user"},
		"unblocked":   {func(w *world) *faketelegram.Chat { w.chat.Block(); w.chat.Unblock(); return w.chat }, 200, ""},
		"deactivated": {func(w *world) *faketelegram.Chat { w.chat.Vanish(); return w.chat }, 403, "Forbidden: user is deactivated"},
		"kicked": {
			func(w *world) *faketelegram.Chat { w.group.Kick(); return w.group },
			403, "Forbidden: bot was kicked from the group chat",
		},
		"left": {
			func(w *world) *faketelegram.Chat { w.group.Dismiss(); return w.group },
			403, "Forbidden: bot is not a member of the group chat",
		},
		"added again": {func(w *world) *faketelegram.Chat { w.group.Dismiss(); w.group.Add(); return w.group }, 200, ""},
		"migrated": {
			func(w *world) *faketelegram.Chat { w.group.Migrate(); return w.group },
			400, "Bad Request: group chat was upgraded to a supergroup chat",
		},
		"where it moved": {func(w *world) *faketelegram.Chat { return w.group.MigrateQuietly() }, 200, ""},
		"a channel":      {func(w *world) *faketelegram.Chat { return w.srv.Channel("News") }, 200, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			to := tc.change(w)
			r := w.send("sendMessage", to, "text", "x")
			if r.Status != tc.status || r.Description != tc.want {
				t.Errorf("%d %q, want %d %q", r.Status, r.Description, tc.status, tc.want)
			}
			if n := len(to.Messages()); (n == 1) != r.OK {
				t.Errorf("%d messages", n)
			}
			if action := w.send("sendChatAction", to, "action", "typing"); action.Description != tc.want {
				t.Errorf("typing: %q", action.Description)
			}
		})
	}
	w := newWorld(t)
	for _, id := range []string{"1", "nobody", "@nobody", ""} {
		want := "Bad Request: chat not found"
		if id == "" {
			want = "Bad Request: chat_id is empty"
		}
		if r := w.call("sendMessage", map[string]string{"chat_id": id, "text": "x"}); r.Status != 400 || r.Description != want {
			t.Errorf("%q: %d %q", id, r.Status, r.Description)
		}
	}
}

func TestMigrationSaysWhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	to := w.group.Migrate()
	if r := w.send("sendMessage", w.group, "text", "x"); r.Parameters.MigrateTo != to.ID() {
		t.Errorf("migrate_to_chat_id %d, want %d", r.Parameters.MigrateTo, to.ID())
	}
	var service []string
	for _, u := range w.srv.Bot().Unconfirmed() {
		service = append(service, string(u.Raw))
	}
	for i, word := range []string{
		fmt.Sprintf(`"migrate_to_chat_id":%d`, to.ID()), fmt.Sprintf(`"migrate_from_chat_id":%d`, w.group.ID()),
	} {
		if len(service) != 2 || !strings.Contains(service[i], word) {
			t.Errorf("no %s in %s", word, service)
		}
	}
}

func TestDraftsAndActions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, text := range []string{"", "<b>a</b>", "ab"} {
		if r := w.send("sendMessageDraft", w.chat, "draft_id", "7", "text", text, "parse_mode", "HTML"); !r.OK {
			t.Error(r.Description)
		}
	}
	if r := w.send("sendMessageDraft", w.group, "draft_id", "7", "text", "x"); r.Description != "Bad Request: TEXTDRAFT_PEER_INVALID" {
		t.Errorf("a draft in a group: %+v", r)
	}
	w.send("sendChatAction", w.chat, "action", "typing")
	var shown []string
	for _, d := range w.chat.Drafts() {
		shown = append(shown, fmt.Sprint(d.ID, d.Text, len(d.Entities)))
	}
	if diff := cmp.Diff([]string{"70", "7a1", "7ab0"}, shown); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if a := w.chat.Actions(); len(a) != 1 || a[0].Name != "typing" {
		t.Errorf("actions %v", a)
	}
	if n := len(w.chat.Messages()) + len(w.group.Drafts()) + len(w.group.Actions()); n != 0 {
		t.Errorf("%d more were shown", n)
	}
}

func TestLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := time.Now()
	w.say(w.chat, "x")
	w.send("sendMessage", w.chat, "text", "")
	got, err := w.srv.AwaitRequests(soon(t), "sendMessage", 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, status := range []int{200, 400} {
		r := got[i]
		if r.N != i+1 || r.Bot != w.srv.Bot().ID() || r.Chat != w.chat.ID() ||
			r.Status != status || r.Time.Before(before) || r.Done.Before(r.Time) {
			t.Errorf("entry %+v", r)
		}
	}
	if dump := fmt.Sprint(w.srv.Requests("")); strings.Contains(dump, w.srv.Token()) {
		t.Error("the ledger holds the token")
	}
	w.srv.ForgetViolations()
}
