package kill_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"parley/internal/test/fakehttp"
	"parley/internal/test/faketelegram"
	"parley/internal/test/loopchat"
	"parley/internal/test/rig"
	"parley/pkg/channels/telegram"
)

func TestKillOnTelegramAtEachPoint(t *testing.T) {
	t.Parallel()
	eachSeed(t, points(), func(t *testing.T, p point, seed int) {
		t.Helper()
		rng := newRand("telegram"+p.name, seed)
		w, srv := newTelegramWorld(t, rng.IntN(telegramSorts))
		hold := faketelegram.Fault{Hold: time.Duration(rng.IntN(5)) * time.Millisecond}
		srv.Harm(faketelegram.Rule{Method: "sendMessage", Fault: hold})
		srv.Harm(faketelegram.Rule{Method: "sendDocument", Fault: hold})
		killOnce(w, telegram.Name, p, rng)
	})
}

// telegramSorts are how many kinds of groups onTelegram.open knows.
const telegramSorts = 3

// onTelegram is a Telegram with one bot in several chats.
type onTelegram struct {
	srv   *faketelegram.Server
	chats map[string]room
	// file is the content of every file that is sent.
	file []byte
}

// room is a chat of a world in its group.
type room = spot[*faketelegram.Chat]

// newTelegramWorld is a world with Telegram; sort is the kind of its group.
func newTelegramWorld(t *testing.T, sort int) (*world, *faketelegram.Server) {
	t.Helper()
	w := emptyWorld(t)
	srv, err := faketelegram.Start(context.WithoutCancel(w.ctx), faketelegram.Options{MaxPoll: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	p := &onTelegram{srv: srv, chats: map[string]room{}, file: spaceFile(t)}
	fakehttp.CloseAfter(t, srv, "the Bot API", diesWriting)
	c := rig.Config{Telegram: &rig.Telegram{APIURL: srv.URL(), Token: srv.Token()}}
	for i := range maxChats {
		name := chatName(i)
		r := p.open(name, sort)
		p.chats[name] = r
		c.Telegram.Chats = append(c.Telegram.Chats, r.at.ID())
	}
	w.platform = p
	w.connect(c)
	return w, srv
}

// open makes a private chat, or by sort a supergroup, a group or a topic.
func (p *onTelegram) open(name string, sort int) room {
	who := p.srv.User("Ada")
	if loopchat.Direct(name) {
		chat := p.srv.Private(who)
		return room{chat, chat}
	}
	var chat *faketelegram.Chat
	switch sort {
	case 0:
		chat = p.srv.Supergroup(name, who)
	case 1:
		chat = p.srv.Group(name, who)
	default:
		forum := p.srv.Forum(name, who)
		return room{forum.Topic("matters"), forum}
	}
	return room{chat, chat}
}

func (p *onTelegram) post(asks []*ask) {
	for _, a := range asks {
		chat := p.chats[a.chat].at
		text := a.text
		if chat.ID() < 0 {
			text = "@" + p.srv.Bot().User().Username + " " + text
		}
		chat.Say(text)
	}
}

func (p *onTelegram) messages() []message {
	return sights(p.file, p.chats, func(m *faketelegram.Message, in room) sight {
		s := sight{text: m.Text, elsewhere: in.at != in.whole && m.Thread != in.at.Thread(), deleted: m.Deleted, sent: m.Sent}
		if m.File != nil {
			s.file = m.File.Data
		}
		return s
	})
}

func (p *onTelegram) until(ctx context.Context, cond func() bool) error {
	return p.srv.Until(ctx, cond)
}

func (p *onTelegram) polls() int { return p.srv.Count("getUpdates") }

func (p *onTelegram) drained(ctx context.Context) error { return p.srv.Drained(ctx) }

func (p *onTelegram) texts(chat string) []string { return p.chats[chat].at.Texts() }

func (p *onTelegram) query(name string) *query {
	chat := p.chats[name].at
	list := chat.Messages()
	for i := range slices.Backward(list) {
		if m := &list[i]; len(m.Buttons) > 0 {
			return &query{
				text:  m.Text,
				allow: func() { chat.Press(m.ID, m.Buttons[0][0].Text) },
				again: func() { chat.PressData(m.ID, m.Buttons[0][0].Data) },
			}
		}
	}
	return nil
}
