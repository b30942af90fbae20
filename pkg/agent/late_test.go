package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// sentAt is a message of a direct chat that the platform dates as it likes.
func (w *world) sentAt(text string, at time.Time) channels.Inbound {
	in := w.edited("1", "1", 0, text)
	in.Kind, in.MessageID, in.Time = channels.KindMessage, in.ID, at
	return in
}

// parrot answers with the newest message, and asks for the gate when it is told "go".
func parrot(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
	if strings.HasSuffix(last(msgs).Content, "go") {
		return call("gate", "{}")
	}
	return say(last(msgs).Content)
}

func TestALateMessageIsAnsweredWithItsAge(t *testing.T) {
	t.Parallel()
	const minute, hour, day = time.Minute, time.Hour, 24 * time.Hour
	for _, c := range []struct {
		age time.Duration
		ago string // "" for silence
	}{
		{0, ""},
		{10 * minute, ""},
		{10*minute + time.Second, "10 minutes ago"},
		{59*minute + 29*time.Second, "59 minutes ago"},
		{59*minute + 30*time.Second, "1 hour ago"},
		{2 * hour, "2 hours ago"},
		{23*hour + 29*minute, "23 hours ago"},
		{23*hour + 30*minute, "1 day ago"},
		{3 * day, "3 days ago"},
		{-minute, ""},
		{-100 * day, ""},
	} {
		t.Run(c.age.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, script(parrot), nil)
				w.accept(w.sentAt("hello", time.Now().Add(-c.age)))
				read, want := "hello", "hello"
				if c.ago != "" {
					read = "[this message was sent " + c.ago + "]\nhello"
					want = "(You wrote this " + c.ago + "; I could not answer sooner.)\n\n" + read
				}
				if got := (<-w.sent).Text; got != want {
					t.Errorf("sent %q, want %q", got, want)
				}
				w.settled()
				if got := w.transcript("1"); !slices.Equal(got, []string{"user: " + read, "assistant: " + read}) {
					t.Errorf("history %q", got)
				}
			})
		})
	}
}

func TestAMessageWithoutATimeIsNotLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(parrot), nil)
	for _, at := range []time.Time{{}, time.Unix(0, 0)} {
		w.accept(w.sentAt("hello", at))
		w.expectText("hello")
	}
	w.settled()
}

func TestWhatALateTurnSends(t *testing.T) {
	t.Parallel()
	const note = "(You wrote this 2 hours ago; I could not answer sooner.)\n\n"
	for _, c := range []struct {
		name, text string
		model      script
		want       string // how the sent text begins; "" for silence
	}{
		{"an answer", "hello", parrot, note + "[this message was sent 2 hours ago]\nhello"},
		{"a failure", "hello", func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
			return nil, errors.New("out of order")
		}, note + "An internal error"},
		{"a command", "/help", parrot, "Write to me"},
		{"a tool by its name", "/tool gate {}", parrot, "/tool gate {}"},
		{
			"nothing after a message", "go",
			func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
				if last(msgs).Role == providers.RoleUser {
					return call("show", "{}")
				}
				return say("NO_REPLY")
			}, "shown",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			show := fn{
				name: "show",
				an:   readOnly(),
				run:  func(context.Context, map[string]any) *tools.ToolResult { return tools.UserResult("shown") },
			}
			w := newWorld(t, c.model, []tools.Tool{show})
			w.accept(w.sentAt(c.text, time.Now().Add(-2*time.Hour)))
			if got := w.expect().Text; !strings.HasPrefix(got, c.want) {
				t.Errorf("sent %q, want %q", got, c.want)
			}
			w.settled()
		})
	}
}

func TestTheOldestOfManyMessagesIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := newWorld(t, script(parrot), []tools.Tool{g.tool()})
		ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
		w.accept(w.sentAt("one", ago(time.Hour)), w.sentAt("go", ago(time.Minute)))
		<-g.entered
		w.accept(w.sentAt("three", ago(3*time.Hour)), w.sentAt("four", ago(2*time.Hour)))
		g.open <- struct{}{}
		const four = "[this message was sent 2 hours ago]\nfour"
		if got, want := (<-w.sent).Text, "(You wrote this 3 hours ago; I could not answer sooner.)\n\n"+four; got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
		w.settled()
		want := []string{
			"user: [this message was sent 1 hour ago]\none", "user: go", "assistant: [gate]", "tool: opened",
			"user: [this message was sent 3 hours ago]\nthree", "user: " + four, "assistant: " + four,
		}
		if got := w.transcript("1"); !slices.Equal(got, want) {
			t.Errorf("history %q", got)
		}
	})
}

// TestALongTurnMakesNothingLate: a message that joins a turn is as old as it was when
// the turn began; one that waits behind it is as old as it is when its own turn begins.
func TestALongTurnMakesNothingLate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode string
		want []string
	}{
		{turn.Steer, []string{"two"}},
		{
			turn.Queue,
			[]string{"opened", "(You wrote this 20 minutes ago; I could not answer sooner.)\n\n[this message was sent 20 minutes ago]\ntwo"},
		},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				entered := make(chan struct{})
				gate := fn{name: "gate", an: slow(), run: func(context.Context, map[string]any) *tools.ToolResult {
					entered <- struct{}{}
					<-time.After(20 * time.Minute)
					return tools.NewToolResult("opened")
				}}
				w := newWorld(t, script(parrot), []tools.Tool{gate}, withOptions(func(o *agent.Options) { o.WhileBusy = c.mode }))
				w.accept(w.sentAt("go", time.Now()))
				<-entered
				w.accept(w.sentAt("two", time.Now()))
				for _, want := range c.want {
					if got := (<-w.sent).Text; got != want {
						t.Errorf("sent %q, want %q", got, want)
					}
				}
				w.settled()
			})
		})
	}
}

// slow is a call that may take an hour.
func slow() tools.Annotations {
	an := readOnly()
	an.Timeout = time.Hour
	return an
}

// TestATurnThatWasInterruptedForHoursSaysSo: the age is that of when the turn goes on.
func TestATurnThatWasInterruptedForHoursSaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := newWorld(t, script(parrot), []tools.Tool{g.tool()}, withGrace(time.Millisecond))
		w.accept(w.sentAt("go", time.Now()))
		<-g.entered
		w.stop()
		<-time.After(5 * time.Hour)
		w.start()
		close(g.open)
		if got, want := (<-w.sent).Text, "(You wrote this 5 hours ago; I could not answer sooner.)\n\nopened"; got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
		w.settled()
	})
}
