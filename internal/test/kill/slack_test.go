package kill_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/internal/test/fakehttp"
	"parley/internal/test/fakeslack"
	"parley/internal/test/loopchat"
	"parley/internal/test/rig"
	"parley/internal/tools/promises"
	"parley/pkg/channels/slack"
)

func TestKillOnSlackAtEachPoint(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	eachSeed(t, points(), func(t *testing.T, p point, seed int) {
		t.Helper()
		rng := newRand("slack"+p.name, seed)
		w, srv := newSlackWorld(t, rng.IntN(slackSorts))
		hold := fakeslack.Fault{Hold: time.Duration(rng.IntN(5)) * time.Millisecond}
		srv.Harm(fakeslack.Rule{Method: "chat.postMessage", Fault: hold})
		srv.Harm(fakeslack.Rule{Method: "files.completeUploadExternal", Fault: hold})
		killOnce(w, slack.Name, p, rng)
	})
}

// TestKilledRightAfterTheAckOnSlack kills the gateway from outside as soon as the
// hub has the acknowledgement of everything that was asked, in each kind of conversation.
func TestKilledRightAfterTheAckOnSlack(t *testing.T) {
	t.Parallel()
	for sort := range slackSorts {
		t.Run(fmt.Sprint(sort), func(t *testing.T) {
			t.Parallel()
			w, srv := newSlackWorld(t, sort)
			rng := newRand("slack ack", sort)
			release := w.model.hold()
			p := w.start("")
			w.polled()
			for i := range maxChats {
				w.push(newQuestion(rng, w.ledger, chatName(i), plain))
			}
			w.wait("every acknowledgement", func() bool { return len(srv.Unacked()) == 0 })
			p.Kill()
			w.crashed()
			release()
			p = w.start("")
			w.answered()
			w.terminate(p)
			w.storeCheck()
			row := w.check()
			if row.window > 0 {
				t.Errorf("%d answers came twice, and nothing had been sent", row.window)
			}
			row.channel, row.point = slack.Name, "after the ack"
			summary.add(row)
		})
	}
}

// slackSorts are how many kinds of conversations onSlack.open knows.
const slackSorts = 4

// onSlack is a Slack with one app in several conversations.
type onSlack struct {
	srv   *fakeslack.Server
	rooms map[string]corner
	// file is the content of every file that is sent.
	file []byte

	mu    sync.Mutex
	asked []fakeslack.Event
}

// corner is a conversation of a world in its channel.
type corner = spot[*fakeslack.Chat]

// newSlackWorld is a world with Slack; sort is the kind of its conversations.
func newSlackWorld(t *testing.T, sort int) (*world, *fakeslack.Server) {
	t.Helper()
	w := emptyWorld(t)
	srv, err := fakeslack.Start(context.WithoutCancel(w.ctx), fakeslack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &onSlack{srv: srv, rooms: map[string]corner{}, file: spaceFile(t)}
	fakehttp.CloseAfter(t, srv, "Slack's rules", diesWriting)
	team, _, _ := srv.Identity()
	c := rig.Config{Slack: &rig.Slack{APIURL: srv.URL(), BotToken: srv.BotToken(), AppToken: srv.AppToken(), Team: team}}
	for i := range maxChats {
		name := chatName(i)
		r := p.open(name, sort)
		p.rooms[name] = r
		c.Slack.Chats = append(c.Slack.Chats, r.at.ID())
	}
	w.platform = p
	w.connect(c)
	return w, srv
}

// open makes direct messages, and for a group, by sort, a thread in a public or a
// private channel or a group message. With the last sort all are threads of direct messages.
func (p *onSlack) open(name string, sort int) corner {
	who := p.srv.User("Ada")
	var whole *fakeslack.Chat
	switch {
	case sort == slackSorts-1 || loopchat.Direct(name):
		whole = p.srv.DM(who)
	case sort == 0:
		whole = p.srv.Channel(name, who)
	case sort == 1:
		whole = p.srv.Private(name, who)
	default:
		whole = p.srv.Group(name, who)
	}
	if loopchat.Direct(name) && sort != slackSorts-1 {
		return corner{whole, whole}
	}
	// The post that the thread is about is not the bot's business.
	return corner{whole.In(whole.SayAs("B0OTHER001", "something happened").TS), whole}
}

func (p *onSlack) post(asks []*ask) {
	for _, a := range asks {
		text := a.text
		if !loopchat.Direct(a.chat) {
			text = p.srv.Mention() + " " + text
		}
		e := p.rooms[a.chat].at.Say(text)
		p.mu.Lock()
		p.asked = append(p.asked, e)
		p.mu.Unlock()
	}
}

func (p *onSlack) messages() []message {
	return sights(p.file, p.rooms, func(m *fakeslack.Message, in corner) sight {
		s := sight{text: m.Text, elsewhere: m.Thread != in.at.Thread(), deleted: m.Deleted, sent: m.Sent}
		if m.File != nil {
			s.file = m.File.Data
		}
		return s
	})
}

func (p *onSlack) until(ctx context.Context, cond func() bool) error {
	return p.srv.Until(ctx, cond)
}

// polls are the sockets that were opened, and the posts that were acknowledged on them.
func (p *onSlack) polls() int {
	n := p.srv.Opened()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.asked {
		if p.srv.Acked(e) {
			n++
		}
	}
	return n
}

func (p *onSlack) drained(ctx context.Context) error { return p.srv.Drained(ctx) }

func (p *onSlack) texts(chat string) []string { return p.rooms[chat].at.Texts() }

func (p *onSlack) query(name string) *query {
	chat := p.rooms[name].at
	list := chat.Messages()
	for i := range slices.Backward(list) {
		if m := &list[i]; len(m.Buttons) > 0 {
			return &query{
				text:  m.Text,
				allow: func() { chat.Press(m.TS, m.Buttons[0].Text) },
				again: func() { chat.PressButton(m.TS, m.Buttons[0]) },
			}
		}
	}
	return nil
}
