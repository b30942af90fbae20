package agent_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// edit lets somebody edit the message with the given number in a chat.
func (w *world) edit(chat, user string, of int, text string) {
	w.t.Helper()
	w.accept(w.edited(chat, user, of, text))
}

func (w *world) edited(chat, user string, of int, text string) channels.Inbound {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	return channels.Inbound{
		ID: strconv.Itoa(w.n), Kind: channels.KindEdit, Address: chatAddr(chat), Sender: channels.Sender{ID: user, Name: "Ann"},
		Text: text, Direct: !strings.HasPrefix(chat, "group"), Mentioned: true, MessageID: strconv.Itoa(of), Time: time.Now(),
	}
}

func queued(o *agent.Options) { o.WhileBusy = turn.Queue }

func answering(o *agent.Options) { o.AnswerEdits = true }

func TestAnEditReplacesAMessageThatWaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		opts []option
		want []string
	}{
		{"and is read by the next turn", []option{withOptions(queued)}, []string{"seen: go", "seen: go, better, third"}},
		{"and joins the running turn", nil, []string{"seen: go, better, third"}},
		{"also where edits are answered", []option{withOptions(answering)}, []string{"seen: go, better, third"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newGate()
			w := newWorld(t, script(gated), []tools.Tool{g.tool()}, c.opts...)
			w.write("1", "1", "go")
			<-g.entered
			w.write("1", "1", "secnd")
			w.write("1", "1", "third")
			w.edit("1", "1", 2, "second")
			w.edit("1", "1", 2, "better")
			close(g.open)
			for _, want := range c.want {
				w.expectText(want)
			}
			w.settled()
		})
	}
}

func TestAnEditOfAMessageThatIsBeingAnsweredOrWas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		opts    []option
		running string   // the answer of the turn that runs when the first edit comes
		after   []string // the answers to the second
	}{
		{"is dropped", nil, "seen: go", nil},
		{
			"is a message of its own where edits are answered",
			[]option{withOptions(answering)},
			"seen: go, (edited) stop",
			[]string{"seen: go, (edited) stop, (edited) halt"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newGate()
			w := newWorld(t, script(gated), []tools.Tool{g.tool()}, c.opts...)
			w.write("1", "1", "go")
			<-g.entered
			w.edit("1", "1", 1, "stop")
			close(g.open)
			w.expectText(c.running)
			w.settled()
			w.edit("1", "1", 1, "halt")
			for _, want := range c.after {
				w.expectText(want)
			}
			w.settled()
		})
	}
}

func TestAnEditInAGroupNamesItsSender(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(gated), nil, withOptions(answering))
	w.write("group", "1", "hi")
	w.expectText("seen: hi")
	w.edit("group", "1", 1, "hello")
	w.expectText("seen: hi, Ann: (edited) hello")
	w.edit("group", "1", 1, "/tool")
	w.edit("1", "1", 1, " ")
	w.expect()
	w.expect()
	w.settled()
	if got := w.transcript("1"); got[0] != "user: (a message without text)" {
		t.Errorf("an edit that left nothing is read as %q", got)
	}
	if got := w.transcript("group"); !slices.Contains(got, "user: Ann: /tool") {
		t.Errorf("a command in an edit is read as %q", got)
	}
}

func TestAnEditByAnotherMemberReplacesNothing(t *testing.T) {
	t.Parallel()
	g := newGate()
	w := newWorld(t, script(gated), []tools.Tool{g.tool()})
	w.write("group", "1", "go")
	<-g.entered
	w.write("group", "1", "mine")
	w.edit("group", "2", 2, "yours")
	close(g.open)
	w.expectText("seen: go, mine")
	w.settled()
}

func TestAnEditThatComesWithItsMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(gated), nil)
	w.write("1", "1", "first")
	w.expectText("seen: first")
	w.settled() // the chat is idle: its next turn begins before the message is durable
	e := w.edited("1", "1", 99, "new")
	m := e
	m.ID, m.Kind, m.Text = "99", channels.KindMessage, "old"
	w.accept(m, e)
	w.expectText("seen: first, new")
	w.settled()
}

func TestAnEditBecomesACommand(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	w := newWorld(t, hanging(asked), nil)
	w.write("1", "1", "hang")
	<-asked
	w.write("1", "1", "stop, please")
	w.edit("1", "1", 2, "/stop")
	w.expectText("Stopped.")
	w.settled()
}

func TestAnEditSurvivesARestart(t *testing.T) {
	t.Parallel()
	blocked := make(chan struct{}, 1)
	hold := make(chan struct{})
	w := newWorld(t, script(func(
		ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
	) (*providers.LLMResponse, error) {
		select {
		case <-hold:
			return gated(ctx, msgs, defs)
		default:
		}
		return hang(ctx, blocked)
	}), nil, withGrace(time.Millisecond), withOptions(queued))
	w.write("1", "1", "first")
	<-blocked
	w.write("1", "1", "secnd")
	w.edit("1", "1", 2, "second")
	close(hold)
	w.restart()
	w.expectText("seen: first, second")
	w.settled()
}

func TestAnEditOfWhatWasNotForTheBotIsAMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(gated), nil)
	w.edit("group", "1", 7, "you, what is it?")
	w.expectText("seen: Ann: you, what is it?")
	w.edit("group", "1", 7, "you, what is that?")
	w.settled()
}
