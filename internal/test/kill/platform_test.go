package kill_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"parley/internal/test/loopchat"
	"parley/internal/test/loopchat/server"
	"parley/pkg/channels/slack"
	"parley/pkg/channels/telegram"
)

// platform is the chat platform of a world.
type platform interface {
	// post puts asks in line, in order.
	post(asks []*ask)
	// messages are the bot's messages, in the order in which it sent them.
	messages() []message
	// until waits until cond holds. It is looked at again whenever something happened.
	until(ctx context.Context, cond func() bool) error
	// polls counts the polls until now.
	polls() int
	// drained waits until everything had its effect that a process wrote which has ended.
	drained(ctx context.Context) error
}

// asking is a platform with buttons.
type asking interface {
	platform
	// query is the newest message with buttons in a chat, or nil.
	query(chat string) *query
	// texts are the present texts of the bot's messages in a chat.
	texts(chat string) []string
}

// query is a question with buttons, as it reads when it was found. Its first
// button, which says yes, is pressed by allow, and by again where an app still shows it.
type query struct {
	text         string
	allow, again func()
}

// stage is a platform on which worlds are made.
type stage struct {
	channel string
	// sorts are how many kinds of chats it has, and open makes a world with one of them.
	sorts int
	open  func(t *testing.T, sort int) *world
}

// telegramStage and slackStage are those that people have.
func telegramStage() stage {
	return stage{channel: telegram.Name, sorts: telegramSorts, open: func(t *testing.T, sort int) *world {
		t.Helper()
		w, _ := newTelegramWorld(t, sort)
		return w
	}}
}

func slackStage() stage {
	return stage{channel: slack.Name, sorts: slackSorts, open: func(t *testing.T, sort int) *world {
		t.Helper()
		w, _ := newSlackWorld(t, sort)
		return w
	}}
}

// spot is a chat of a fake platform: where people write, and the whole that it is in.
type spot[C any] struct{ at, whole C }

// sight is one message of the bot as a fake shows it.
type sight struct {
	text      string
	file      []byte // nil without one
	elsewhere bool   // in another thread or topic than people wrote in
	deleted   bool
	sent      time.Time
}

// sights are the messages that are there in the chats of a fake, in the order in which
// the bot sent them. One with another file, or in another place, is of a
// chat that no test asks for.
func sights[M any, C interface{ Messages() []M }](file []byte, spots map[string]spot[C], look func(m *M, in spot[C]) sight) []message {
	type found struct {
		message
		at time.Time
	}
	var all []found
	for name, in := range spots {
		list := in.whole.Messages()
		for i := range list {
			s := look(&list[i], in)
			if s.deleted {
				continue
			}
			f := found{message{chat: name, text: s.text}, s.sent}
			if s.file != nil && !bytes.Equal(s.file, file) {
				f.chat += ", but another file"
			}
			if s.elsewhere {
				f.chat += ", but not where it was asked"
			}
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return a.at.Compare(b.at) })
	messages := make([]message, len(all))
	for i := range all {
		messages[i] = all[i].message
	}
	return messages
}

// spaceFile is the file that every send_file of the suite sends.
func spaceFile(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../workspace/space/USER.md")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// diesWriting marks a violation of a process that died while it wrote.
const diesWriting = "unexpected EOF"

// onLoop is the test channel's platform.
type onLoop struct{ srv *server.Server }

func (p onLoop) post(asks []*ask) {
	updates := make([]loopchat.Update, len(asks))
	for i, a := range asks {
		updates[i] = loopchat.Update{Chat: a.chat, Text: a.text, Mentioned: !loopchat.Direct(a.chat)}
	}
	p.srv.Push(updates...)
}

func (p onLoop) messages() []message {
	var all []message
	sent := p.srv.Messages("")
	for i := range sent {
		all = append(all, message{chat: sent[i].Chat, text: sent[i].Text})
	}
	return all
}

func (p onLoop) until(ctx context.Context, cond func() bool) error { return p.srv.Until(ctx, cond) }

func (p onLoop) polls() int { return p.srv.Report().Polls }

func (p onLoop) drained(ctx context.Context) error { return p.srv.Drained(ctx) }
