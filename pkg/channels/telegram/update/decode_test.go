package update_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/corpora"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram/update"
)

const (
	botID   = 123456
	botName = "parley_bot"
)

const (
	private = `"chat":{"id":42,"type":"private","first_name":"Ada"},"from":{"id":42,"first_name":"Ada","last_name":"L"}`
	group   = `"chat":{"id":-1001,"type":"supergroup","title":"Club"},"from":{"id":42,"first_name":"Ada"}`
	mine    = `{"message_id":5,"date":1,"chat":{"id":-1001,"type":"supergroup"},"from":{"id":123456,"is_bot":true,"username":"parley_bot"},"text":"said before"}`
)

// fromAda is a message of update 7, as far as all of them agree.
func fromAda(in channels.Inbound) *channels.Inbound {
	in.ID, in.Kind, in.MessageID, in.Time = "update/7", channels.KindMessage, "9", time.Unix(1700000000, 0)
	if in.Address.Chat == "" {
		in.Address.Chat = "-1001"
	}
	if in.Sender.ID == "" {
		in.Sender = channels.Sender{ID: "42", Name: "Ada"}
	}
	return &in
}

func direct(text string) *channels.Inbound {
	return fromAda(channels.Inbound{
		Address: channels.Address{Chat: "42"}, Sender: channels.Sender{ID: "42", Name: "Ada L"}, Direct: true, Text: text,
	})
}

func inGroup(text string, mentioned bool) *channels.Inbound {
	return fromAda(channels.Inbound{Text: text, Mentioned: mentioned})
}

// decoded is an update as the tables say it.
type decoded struct {
	ID                    int64
	Item                  *channels.Inbound
	From, To              int64
	Group, Callback       string
	Member, Skipped       string
	Unread                string
	NeedsName, Unreadable bool
}

// decode reads one update as the bot id, called name; "" for a name that is not known.
func decode(raw []byte, id int64, name string) decoded {
	ev := update.Decode(raw, update.Bot{ID: id, Name: name})
	d := decoded{
		ID: ev.ID, Group: ev.Group, Callback: ev.Callback, Member: ev.Member,
		Skipped: ev.Skipped, NeedsName: ev.NeedsName, Unreadable: ev.Unreadable, Unread: ev.Unread,
	}
	if ev.Moved != nil {
		d.From, d.To = ev.Moved.From, ev.Moved.To
	}
	if ev.Item != nil {
		in := ev.Inbound()
		d.Item = &in
	}
	return d
}

func TestDecodeMessages(t *testing.T) {
	t.Parallel()
	topic := inGroup("hi", false)
	topic.Address.Thread = "77"
	quoted := inGroup("why", true)
	quoted.Quote = "said before"
	chosen := inGroup("why", true)
	chosen.Quote = "before"
	with := func(text string, all ...channels.Attachment) *channels.Inbound {
		in := direct(text)
		in.Attachments = all
		return in
	}
	elsewhere := inGroup("and this?", false)
	elsewhere.Quote, elsewhere.Forwarded = "[a message from another chat, by News]\n[photo 90×60, 2 kB]", true
	unnamed := inGroup("and this?", false)
	unnamed.Quote, unnamed.Forwarded = "[a message from another chat]\nchosen", true
	photo := inGroup("nice", false)
	photo.Quote, photo.Forwarded = "look\n[photo 90×60, 2 kB]", true
	own := inGroup("and so", false)
	own.Quote = "said before"
	ownPoll := inGroup("and so", false)
	ownPoll.Quote, ownPoll.Forwarded = "[poll: Tea? —]", true
	passedOn := inGroup("and so", false)
	passedOn.Quote, passedOn.Forwarded = "said before", true
	forwarded := direct("[forwarded from Bob Owner]\n/new")
	forwarded.Forwarded = true
	passedOnCommand := direct("[forwarded from Ada L]\n/new")
	passedOnCommand.Forwarded = true
	outside := func(text string) *channels.Inbound {
		in := direct(text)
		in.Forwarded = true
		return in
	}
	anonymous := inGroup("hi", false)
	anonymous.Sender = channels.Sender{ID: "-1001", Name: "Club"}
	channel := inGroup("hi", false)
	channel.Sender = channels.Sender{ID: "-1009", Name: "News"}
	bot := inGroup("hi", false)
	bot.Sender = channels.Sender{ID: "8", Name: "other_bot", Bot: true}

	for name, c := range map[string]struct {
		message string
		want    *channels.Inbound
	}{
		"private text":                {private + `,"text":"hello"`, direct("hello")},
		"caption":                     {private + `,"caption":"look","sticker":{"emoji":"👍"}`, direct("look\n[sticker 👍]")},
		"group text":                  {group + `,"text":"hello"`, inGroup("hello", false)},
		"mention":                     {group + `,"text":"😀 @Parley_Bot hi","entities":[{"type":"mention","offset":3,"length":11}]`, inGroup("😀 @Parley_Bot hi", true)},
		"mention in a caption":        {group + `,"caption":"@parley_bot","caption_entities":[{"type":"mention","offset":0,"length":11}],"dice":{"emoji":"🎲","value":4}`, inGroup("@parley_bot\n[dice 🎲 4]", true)},
		"another's mention":           {group + `,"text":"@parley_bots hi","entities":[{"type":"mention","offset":0,"length":12}]`, inGroup("@parley_bots hi", false)},
		"a name without an entity":    {group + `,"text":"@parley_bot hi"`, inGroup("@parley_bot hi", false)},
		"mention by id":               {group + `,"text":"you","entities":[{"type":"text_mention","offset":0,"length":3,"user":{"id":123456}}]`, inGroup("you", true)},
		"mention of another id":       {group + `,"text":"you","entities":[{"type":"text_mention","offset":0,"length":3,"user":{"id":9}}]`, inGroup("you", false)},
		"entity past the end":         {group + `,"text":"hi","entities":[{"type":"mention","offset":1,"length":9223372036854775807},{"type":"mention","offset":-1,"length":2}]`, inGroup("hi", false)},
		"command":                     {group + `,"text":"/new now","entities":[{"type":"bot_command","offset":0,"length":4}]`, inGroup("/new now", true)},
		"command with our name":       {group + `,"text":"/new@Parley_bot now","entities":[{"type":"bot_command","offset":0,"length":15}]`, inGroup("/new now", true)},
		"start, for any bot":          {group + `,"text":"/start","entities":[{"type":"bot_command","offset":0,"length":6}]`, inGroup("/start", false)},
		"start with our name":         {group + `,"text":"/start@parley_bot ref_1","entities":[{"type":"bot_command","offset":0,"length":17}]`, inGroup("/start ref_1", true)},
		"private start":               {private + `,"text":"/start","entities":[{"type":"bot_command","offset":0,"length":6}]`, direct("/start")},
		"command in the middle":       {group + `,"text":"try /new","entities":[{"type":"bot_command","offset":4,"length":4}]`, inGroup("try /new", false)},
		"our command in the middle":   {group + `,"text":"try /new@parley_bot","entities":[{"type":"bot_command","offset":4,"length":15}]`, inGroup("try /new@parley_bot", true)},
		"private command of another":  {private + `,"text":"/new@other","entities":[{"type":"bot_command","offset":0,"length":10}]`, direct("/new@other")},
		"topic":                       {group + `,"text":"hi","is_topic_message":true,"message_thread_id":77`, topic},
		"a thread that is no topic":   {group + `,"text":"hi","message_thread_id":77`, inGroup("hi", false)},
		"reply to the bot":            {group + `,"text":"why","reply_to_message":` + mine, quoted},
		"reply with a quote":          {group + `,"text":"why","quote":{"text":"before"},"reply_to_message":` + mine, chosen},
		"reply to a photo":            {group + `,"text":"nice","reply_to_message":{"message_id":5,"from":{"id":9},"chat":{"id":-1001},"caption":"look","photo":[{"file_id":"p","file_size":2000,"width":90,"height":60}]}`, photo},
		"quote from another chat":     {group + `,"text":"and this?","external_reply":{"origin":{"type":"channel","chat":{"id":-1009,"title":"News"}},"photo":[{"file_id":"p","file_size":2000,"width":90,"height":60}]}`, elsewhere},
		"words from another chat":     {group + `,"text":"and this?","quote":{"text":"chosen"},"external_reply":{"origin":{"type":"hidden_user"}}`, unnamed},
		"the topic's opening":         {group + `,"text":"hi","is_topic_message":true,"message_thread_id":77,"reply_to_message":{"message_id":77,"from":{"id":123456},"chat":{"id":-1001},"forum_topic_created":{"name":"T"}}`, topic},
		"anonymous administrator":     {`"chat":{"id":-1001,"type":"supergroup"},"from":{"id":1087968824,"is_bot":true},"sender_chat":{"id":-1001,"title":"Club"},"text":"hi"`, anonymous},
		"written as a channel":        {`"chat":{"id":-1001,"type":"supergroup"},"from":{"id":136817688,"is_bot":true},"sender_chat":{"id":-1009,"title":"News"},"text":"hi"`, channel},
		"another bot":                 {`"chat":{"id":-1001,"type":"supergroup"},"from":{"id":8,"is_bot":true,"username":"other_bot"},"text":"hi"`, bot},
		"forwarded command":           {private + `,"text":"/new","entities":[{"type":"bot_command","offset":0,"length":4}],"forward_origin":{"type":"user","sender_user":{"id":3,"first_name":"Bob\nOwner"}}`, forwarded},
		"forwarded, with one's name":  {private + `,"text":"/new","entities":[{"type":"bot_command","offset":0,"length":4}],"forward_origin":{"type":"hidden_user","sender_user_name":"Ada L"}`, passedOnCommand},
		"reply to oneself":            {group + `,"text":"and so","reply_to_message":{"message_id":5,"from":{"id":42},"chat":{"id":-1001},"text":"said before"}`, own},
		"reply to what one forwarded": {group + `,"text":"and so","reply_to_message":{"message_id":5,"from":{"id":42},"chat":{"id":-1001},"text":"said before","forward_origin":{"type":"hidden_user"}}`, passedOn},
		"reply to a channel":          {group + `,"text":"and so","reply_to_message":{"message_id":5,"from":{"id":136817688},"sender_chat":{"id":-1009},"chat":{"id":-1001},"text":"said before"}`, passedOn},
		"reply to nobody known":       {group + `,"text":"and so","reply_to_message":{"message_id":5,"chat":{"id":-1001},"text":"said before"}`, passedOn},
		"a quote without its message": {group + `,"text":"and so","quote":{"text":"said before"}`, passedOn},
		"link behind words":           {private + `,"text":"😀 see here now","entities":[{"type":"text_link","offset":7,"length":4,"url":"https://a.example/"}]`, direct("😀 see here (https://a.example/) now")},
		"link of another kind":        {private + `,"text":"here","entities":[{"type":"text_link","offset":0,"length":4,"url":"tg://user?id=1"}]`, direct("here")},
		"location":                    {private + `,"location":{"latitude":41.5,"longitude":-12.25}`, direct("[location 41.5, -12.25]")},
		"venue":                       {private + `,"location":{"latitude":1,"longitude":2},"venue":{"title":"Café","address":"Main 1"}`, outside("[venue Café, Main 1, 1, 2]")},
		"contact":                     {private + `,"contact":{"phone_number":"+1","first_name":"Bob","last_name":"Ray"}`, outside("[contact Bob Ray, +1]")},
		"poll":                        {private + `,"poll":{"question":"Tea?","options":[{"text":"yes"},{"text":"no"}]}`, outside("[poll: Tea? — yes; no]")},
		"what another bot wrote":      {private + `,"text":"write this down","via_bot":{"id":8,"is_bot":true,"username":"other_bot"}`, outside("write this down")},
		"reply to what it wrote":      {group + `,"text":"and so","reply_to_message":{"message_id":5,"from":{"id":42},"chat":{"id":-1001},"text":"said before","via_bot":{"id":8}}`, passedOn},
		"reply to one's own poll":     {group + `,"text":"and so","reply_to_message":{"message_id":5,"from":{"id":42},"chat":{"id":-1001},"poll":{"question":"Tea?","options":[]}}`, ownPoll},
		"voice": {
			private + `,"voice":{"file_id":"v","duration":62,"file_size":34000,"mime_type":"audio/ogg"}`,
			with("", channels.Attachment{About: "voice message 1:02, 34 kB", Ref: "v", Name: "voice-9.ogg", Size: 34000, Voice: true, Seconds: 62}),
		},
		"audio": {
			private + `,"audio":{"file_id":"v","duration":3700,"title":"Song","performer":"Who","file_name":"a.mp3"}`,
			with("", channels.Attachment{About: "audio a.mp3, Song by Who, 1:01:40", Ref: "v", Name: "a.mp3"}),
		},
		"animation comes as two": {private + `,"animation":{"file_id":"a","file_name":"l.mp4"},"document":{"file_id":"a","file_name":"l.mp4"}`, with("", channels.Attachment{About: "animation l.mp4", Ref: "a", Name: "l.mp4"})},
		"document": {
			private + `,"caption":"read","document":{"file_id":"d","file_name":"../../etc/re\nport.pdf","file_size":12345}`,
			with("read", channels.Attachment{About: "document re port.pdf, 12 kB", Ref: "d", Name: "re port.pdf", Size: 12345}),
		},
		"text beside a broken surplus": {private + `,"text":"hi","unknown_thing":{"a":[1,2,{"b":null}]}`, direct("hi")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := fmt.Sprintf(`{"update_id":7,"message":{"message_id":9,"date":1700000000,%s}}`, c.message)
			got := decode([]byte(raw), botID, botName)
			if got.Item == nil {
				t.Fatalf("no item: %+v", got)
			}
			if diff := cmp.Diff(c.want, got.Item); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestDecodeNoItem covers updates that start no turn.
func TestDecodeNoItem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		update string
		want   decoded
	}{
		"command for another bot":      {`"message":{"message_id":1,` + group + `,"text":"/new@other_bot","entities":[{"type":"bot_command","offset":0,"length":14}]}`, decoded{Skipped: "a command for another bot"}},
		"anonymous without a group":    {`"message":{"message_id":1,"chat":{"id":-1001,"type":"supergroup"},"from":{"id":1087968824},"text":"hi"}`, decoded{Skipped: "the sender is not known"}},
		"sender chat with a user's id": {`"message":{"message_id":1,"chat":{"id":-1001,"type":"supergroup"},"from":{"id":42},"sender_chat":{"id":42},"text":"hi"}`, decoded{Skipped: "the sender is not known"}},
		"nobody":                       {`"message":{"message_id":1,"chat":{"id":-1001,"type":"supergroup"},"text":"hi"}`, decoded{Skipped: "the sender is not known"}},
		"negative user":                {`"message":{"message_id":1,"chat":{"id":1,"type":"private"},"from":{"id":-5},"text":"hi"}`, decoded{Skipped: "the sender is not known"}},
		"itself":                       {`"message":` + mine, decoded{Skipped: "the bot's own message"}},
		"channel":                      {`"message":{"message_id":1,"chat":{"id":-1009,"type":"channel"},"sender_chat":{"id":-1009},"text":"hi"}`, decoded{Skipped: "a channel's post"}},
		"channel post":                 {`"channel_post":{"message_id":1,"chat":{"id":-1009,"type":"channel"},"text":"hi"}`, decoded{Skipped: "a kind of update that is not used", Unread: "channel_post"}},
		"forwarded post":               {`"message":{"message_id":1,"chat":{"id":-1001,"type":"supergroup"},"from":{"id":777000},"sender_chat":{"id":-1009},"is_automatic_forward":true,"text":"hi"}`, decoded{Skipped: "a channel's post, forwarded by Telegram"}},
		"service message": {
			`"message":{"message_id":1,` + group + `,"new_chat_members":[{"id":5}]}`,
			decoded{Skipped: "a service message, or of a kind that is not known", Unread: "message new_chat_members"},
		},
		"live location":           {`"edited_message":{"message_id":1,` + private + `,"location":{"latitude":1,"longitude":2,"live_period":60}}`, decoded{Skipped: "a live location moved"}},
		"edit of an old message":  {`"edited_message":{"message_id":1,"date":1700000000,"edit_date":1700086401,` + private + `,"text":"hi"}`, decoded{Skipped: "an edit of an old message"}},
		"migrates":                {`"message":{"message_id":1,"chat":{"id":-5,"type":"group"},"from":{"id":1},"migrate_to_chat_id":-1005}`, decoded{From: -5, To: -1005}},
		"has migrated":            {`"message":{"message_id":1,"chat":{"id":-1005,"type":"supergroup"},"from":{"id":1087968824},"migrate_from_chat_id":-5}`, decoded{From: -5, To: -1005}},
		"blocked":                 {`"my_chat_member":{"chat":{"id":42,"type":"private"},"from":{"id":42},"old_chat_member":{"status":"member"},"new_chat_member":{"status":"kicked"}}`, decoded{Member: "member -> kicked"}},
		"press without a message": {`"callback_query":{"id":"c","from":{"id":42},"data":"x"}`, decoded{Callback: "c", Skipped: "a button of a message that is not known"}},
		"press without data":      {`"callback_query":{"id":"c","from":{"id":42},"message":` + mine + `}`, decoded{Callback: "c", Skipped: "a button without data or a press without an id"}},
		"press without an id":     {`"callback_query":{"from":{"id":42},"data":"x","message":` + mine + `}`, decoded{Skipped: "a button without data or a press without an id"}},
		"press by nobody":         {`"callback_query":{"id":"c","from":{"id":1087968824},"data":"x","message":` + mine + `}`, decoded{Callback: "c", Skipped: "the sender is not known"}},
		"unknown kind":            {`"something_new":{"a":1}`, decoded{Skipped: "a kind of update that is not used", Unread: "something_new"}},
		"nothing at all":          {`"x":0`, decoded{Skipped: "a kind of update that is not used", Unread: "x"}},
		"message of another type": {`"message":"hello"`, decoded{Unreadable: true, Unread: "unreadable"}},
		"id of another type":      {`"message":{"message_id":"nine",` + private + `,"text":"hi"}`, decoded{Unreadable: true, Unread: "unreadable"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.want.ID = 7
			got := decode([]byte(`{"update_id":7,`+c.update+`}`), botID, botName)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestDecodeEditKeepsTheMessage(t *testing.T) {
	t.Parallel()
	raw := `{"update_id":8,"edited_message":{"message_id":9,"date":1700000000,"edit_date":1700000060,` + private + `,"text":"better"}}`
	want := direct("better")
	want.ID, want.Kind, want.Time = "update/8", channels.KindEdit, time.Unix(1700000060, 0)
	if diff := cmp.Diff(want, decode([]byte(raw), botID, botName).Item); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDecodeButton(t *testing.T) {
	t.Parallel()
	raw := `{"update_id":8,"callback_query":{"id":"c1","from":{"id":42,"first_name":"Ada"},"data":"a:7",
		"message":{"message_id":5,"date":0,"is_topic_message":true,"message_thread_id":77,"chat":{"id":-1001,"type":"supergroup"}}}}`
	got := decode([]byte(raw), botID, botName)
	want := decoded{ID: 8, Callback: "c1", Item: &channels.Inbound{
		ID: "press/c1", Kind: channels.KindButton, Address: channels.Address{Chat: "-1001", Thread: "77"},
		Sender: channels.Sender{ID: "42", Name: "Ada"}, Text: "a:7", Mentioned: true, MessageID: "5",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestDecodeWithoutTheName covers the decisions that do not wait for getMe.
func TestDecodeWithoutTheName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		message string
		waits   bool
	}{
		"private":                   {private + `,"text":"@someone hi","entities":[{"type":"mention","offset":0,"length":8}]`, false},
		"private command":           {private + `,"text":"/new","entities":[{"type":"bot_command","offset":0,"length":4}]`, false},
		"private command with name": {private + `,"text":"/new@b","entities":[{"type":"bot_command","offset":0,"length":6}]`, true},
		"group":                     {group + `,"text":"hi"`, false},
		"group link":                {group + `,"text":"a@b","entities":[{"type":"email","offset":0,"length":3}]`, false},
		"group command":             {group + `,"text":"/new","entities":[{"type":"bot_command","offset":0,"length":4}]`, false},
		"group mention":             {group + `,"text":"@someone hi","entities":[{"type":"mention","offset":0,"length":8}]`, true},
		"group command with name":   {group + `,"text":"/new@b","entities":[{"type":"bot_command","offset":0,"length":6}]`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := decode([]byte(`{"update_id":7,"message":{"message_id":9,`+c.message+`}}`), botID, "")
			if got.NeedsName != c.waits || (got.Item == nil) != c.waits {
				t.Errorf("waits %v, item %+v; want it to wait: %v", got.NeedsName, got.Item, c.waits)
			}
		})
	}
}

// TestDecodeCorpus reads updates that real servers sent.
func TestDecodeCorpus(t *testing.T) {
	t.Parallel()
	data := corpora.Read(t, "telegram", "updates-corpus.jsonl")
	const corpusBot = 999 // the author of no message in the corpus
	read, items := 0, 0
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var entry struct {
			Source, Kind string
			JSON         json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			t.Fatal(err)
		}
		raw := []byte(entry.JSON)
		if entry.Kind == "message" {
			raw = fmt.Appendf(nil, `{"update_id":1,"message":%s}`, raw)
		}
		got := decode(raw, corpusBot, botName)
		read++
		if got.Unreadable {
			if !bytes.Contains(raw, []byte(`"update_id": "`)) { // one line has no number there
				t.Errorf("%s: unreadable: %s", entry.Source, raw)
			}
			continue
		}
		if got.Item == nil && got.Skipped == "" && got.Member == "" && got.To == 0 {
			t.Errorf("%s: nothing is said of it: %s", entry.Source, raw)
		}
		if got.Item != nil {
			items++
			sound(t, got.Item)
		}
		nothingLost(t, raw, got)
	}
	if read < 80 || items < 30 {
		t.Errorf("the corpus gave %d updates and %d items: too few", read, items)
	}
}

// nothingLost checks that the words of a person are in the item, where there is one,
// and that there is one where somebody wrote in a chat.
func nothingLost(t *testing.T, raw []byte, got decoded) {
	t.Helper()
	var u struct {
		Message struct {
			Text, Caption string
			Chat          struct{ Type string }
			From          *struct{ ID int64 }
			Entities      []struct{ Type string }
		}
	}
	if json.Unmarshal(raw, &u) != nil || u.Message.From == nil || u.Message.Chat.Type == "channel" || len(u.Message.Entities) > 0 {
		return
	}
	for _, text := range []string{u.Message.Text, u.Message.Caption} {
		if text != "" && (got.Item == nil || !strings.Contains(got.Item.Text, text)) {
			t.Errorf("%q is lost: %+v", text, got)
		}
	}
}

// sound checks the fields that every item must have.
func sound(t *testing.T, in *channels.Inbound) {
	t.Helper()
	if in.ID == "" || in.Address.Chat == "" || in.Sender.ID == "" || in.MessageID == "" || in.Text == "" && len(in.Attachments) == 0 {
		t.Errorf("incomplete: %+v", in)
	}
	if !utf8.ValidString(in.Text) || !utf8.ValidString(in.Quote) {
		t.Errorf("not UTF-8: %q, %q", in.Text, in.Quote)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"update_id":7,"message":{"message_id":9,` + group + `,"text":"😀/new@parley_bot x","entities":[{"type":"bot_command","offset":2,"length":15},{"type":"text_link","offset":0,"length":5,"url":"http://x"}],"quote":{"text":"q"}}}`))
	f.Add([]byte(`{"update_id":7,"message":{"message_id":9,` + private + `,"photo":[{"file_id":"a","width":1,"height":9}],"caption":"c","document":{"file_id":"x","file_name":"..\\.."},"voice":{"duration":-1}}}`))
	f.Add([]byte(`{"update_id":7,"callback_query":{"id":"c","from":{"id":1},"data":"x","message":` + mine + `}}`))
	f.Add([]byte(`{"update_id":7,"edited_message":` + mine + `}`))
	f.Add([]byte(`{"update_id":1e99}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, name := range []string{botName, ""} {
			got := decode(raw, botID, name)
			if got.Item == nil {
				if got.Skipped == "" && got.Member == "" && got.To == 0 && got.From == 0 && !got.Unreadable && !got.NeedsName {
					t.Errorf("nothing is said of %q", raw)
				}
				continue
			}
			if got.Item.Sender.ID == "" || got.Item.Address.Chat == "" || got.Item.Sender.ID == "1087968824" {
				t.Errorf("%q gives %+v", raw, got.Item)
			}
			if !utf8.ValidString(got.Item.Text) {
				t.Errorf("%q gives %q", raw, got.Item.Text)
			}
			if name == "" && got.NeedsName {
				t.Errorf("%q gives an item that needs the name", raw)
			}
		}
	})
}
