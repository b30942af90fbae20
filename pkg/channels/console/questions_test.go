package console_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
)

// ask shows a question and returns the receipt's id.
func ask(t *testing.T, c *console.Channel, id, text string, labels ...string) string {
	t.Helper()
	part := channels.Part{Outbound: channels.Outbound{ID: id, Address: c.Address(), Text: text}, Count: 1}
	for _, label := range labels {
		part.Buttons = append(part.Buttons, channels.Button{Label: label, Data: id + ":" + label})
	}
	r, err := c.Send(t.Context(), part)
	if err != nil {
		t.Fatalf("Send: %v", err)
	}
	return r.MessageID
}

// finish shows a message that takes the place of another.
func finish(t *testing.T, c *console.Channel, message, text string) {
	t.Helper()
	_, err := c.Send(t.Context(), channels.Part{Outbound: channels.Outbound{Address: c.Address(), Text: text}, Count: 1, Edits: message})
	if err != nil {
		t.Errorf("Send: %v", err)
	}
}

var allow = []string{"Allow once", "Allow here", "Deny"}

func TestQuestionsAreShownWithTheirKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		labels     []string
		want       string
	}{
		{"three", "May I?", allow, "May I?\n[y] Allow once  [a] Allow here  [n] Deny\n"},
		{"two", "May I?\n", []string{"Allow once", "Deny"}, "May I?\n[y] Allow once  [n] Deny\n"},
		{"one", "Ready?", []string{"Go on"}, "Ready?\n[y] Go on\n"},
		{"four", "Which?", []string{"A", "B", "C", "D"}, "Which?\n[y] A  [a] B  [b] C  [n] D\n"},
		{
			"overwriting", "rm -rf /\r\x1b[2K\x1b[1Aecho hello\r", allow,
			"rm -rf /␍␛[2K␛[1Aecho hello␍\n[y] Allow once  [a] Allow here  [n] Deny\n",
		},
		{"title and C1", "a\x1b]0;t\x07\u009b2Jb", []string{"Yes\x1b[2J\nNo", "No"}, "a␛]0;t␇<U+009B>2Jb\n[y] Yes␛[2J No  [n] No\n"},
	} {
		for _, interactive := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s interactive=%v", tc.name, interactive), func(t *testing.T) {
				t.Parallel()
				out := &screen{}
				c := console.New(console.Options{Out: out, Interactive: interactive})
				want := tc.want
				if interactive {
					if err := c.Draft(t.Context(), c.Address(), "d", tc.text[:1]); err != nil { // a question does not go on in a draft
						t.Fatal(err)
					}
					want = tc.text[:1] + "\n" + want + "> "
				}
				ask(t, c, "q", tc.text, tc.labels...)
				if got := out.String(); got != want {
					t.Errorf("shown %q\nwant  %q", got, want)
				}
			})
		}
	}
}

// talk is a console at work that a test types into.
type talk struct {
	*console.Channel

	s     *sink
	out   *screen
	typed *os.File
	ended chan error
	began chan struct{} // has one for each write that began
}

// watchedScreen tells of each write before it is made.
type watchedScreen struct {
	*screen

	began chan struct{}
}

func (w *watchedScreen) Write(p []byte) (int, error) {
	w.began <- struct{}{}
	return w.screen.Write(p)
}

func newTalk(t *testing.T, opt console.Options, s *sink) *talk {
	t.Helper()
	in, typed := pipe(t)
	k := &talk{s: s, out: &screen{}, typed: typed, ended: make(chan error, 1), began: make(chan struct{}, 100)}
	opt.In, opt.Out = in, &watchedScreen{screen: k.out, began: k.began}
	k.Channel = console.New(opt)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); k.ended <- k.Run(ctx, s.ingress()) }()
	t.Cleanup(func() { cancel(); <-done })
	return k
}

// says types lines and returns the delivery of each.
func (k *talk) says(t *testing.T, lines ...string) (got []string) {
	t.Helper()
	for _, line := range lines {
		if _, err := k.typed.WriteString(line + "\n"); err != nil {
			t.Fatal(err)
		}
		in := <-k.s.items
		if in.Kind == channels.KindButton {
			got = append(got, in.MessageID+" "+in.Text)
			continue
		}
		got = append(got, in.Text)
	}
	return got
}

// bothWays runs a test in a terminal and piped.
func bothWays(t *testing.T, f func(t *testing.T, interactive bool)) {
	t.Helper()
	for name, interactive := range map[string]bool{"piped": false, "interactive": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, interactive)
		})
	}
}

// TestKeysPressButtons types lines that press a button and lines that do not.
func TestKeysPressButtons(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"y": "q:Allow once", "a": "q:Allow here", "n": "q:Deny",
		"Allow once": "q:Allow once", "ALLOW HERE": "q:Allow here", "deny": "q:Deny",
		"Y": "q:Allow once", "N": "q:Deny", "A": "q:Allow here", "yes": "q:Allow once", "YES": "q:Allow once", "no": "q:Deny", "No": "q:Deny",
		"y ": "q:Allow once", " y": "q:Allow once", "deny ": "q:Deny", "y!": "", "yes please": "", "nope": "",
		"yy": "", "ja": "", "b": "", "[y]": "", "allow": "", "allow  once": "", "q:Allow once": "", "/approve 7": "",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			bothWays(t, func(t *testing.T, interactive bool) {
				t.Helper()
				k := newTalk(t, console.Options{Interactive: interactive, User: "Ann", ID: "1000"}, newSink())
				id := ask(t, k.Channel, "q", "May I?", allow...)
				if _, err := k.typed.WriteString(line + "\n"); err != nil {
					t.Fatal(err)
				}
				in := <-k.s.items
				if want == "" {
					if in.Kind != channels.KindMessage || in.Text != line {
						t.Errorf("%+v", in)
					}
					if got := k.says(t, "n"); got[0] != id+" q:Deny" { // it is still open
						t.Errorf("then %q", got)
					}
					return
				}
				if in.Kind != channels.KindButton || in.Text != want || in.MessageID != id || in.ID == id || !in.Direct ||
					in.Address != k.Address() || in.Sender.ID != "1000" || in.Solo == interactive || in.Time.IsZero() {
					t.Errorf("%+v", in)
				}
				if got := k.says(t, line); got[0] != line { // it was answered
					t.Errorf("then %q", got)
				}
			})
		})
	}
}

func TestTheNewestOpenQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, interactive bool) {
		t.Helper()
		k := newTalk(t, console.Options{Interactive: interactive}, newSink())
		first := ask(t, k.Channel, "q1", "One?", allow...)
		second := ask(t, k.Channel, "q2", "Two?", allow...)
		third := ask(t, k.Channel, "q3", "Three?", "Yes", "No")
		show(t, k.Channel, "meanwhile: [y] Allow once  [n] Deny", "")
		finish(t, k.Channel, second, "Two was decided elsewhere.")
		got := k.says(t, "a", "y", "a", "n")
		if diff := cmp.Diff([]string{"a", third + " q3:Yes", first + " q1:Allow here", "n"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		again := ask(t, k.Channel, "q4", "Four?", allow...)
		if later := ask(t, k.Channel, "q4", "Four?", allow...); later != again { // it was of unknown fate
			again = later
		}
		if diff := cmp.Diff([]string{again + " q4:Deny", "n"}, k.says(t, "n", "n")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestAnswerOverSeveralLinesIsAMessage: a line of a longer message presses no button.
func TestAnswerOverSeveralLinesIsAMessage(t *testing.T) {
	t.Parallel()
	k := newTalk(t, console.Options{Interactive: true}, newSink())
	id := ask(t, k.Channel, "q", "May I?", allow...)
	got := k.says(t, "n\\\ny", "\"\"\"\ny\nn\n\"\"\"", "y")
	if diff := cmp.Diff([]string{"n\ny", "y\nn", id + " q:Allow once"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAPressThatWasNotStoredMayBeMadeAgain in a terminal; piped, Run ends with the error.
func TestAPressThatWasNotStoredMayBeMadeAgain(t *testing.T) {
	t.Parallel()
	s := newSink()
	full := errors.New("disk full")
	gate := &failing{sink: s, errs: make(chan error, 1)}
	gate.errs <- full
	in, typed := pipe(t)
	out := &screen{}
	c := console.New(console.Options{In: in, Out: out, Interactive: true})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, channels.NewIngress(gate, s, zerolog.Nop())) }()
	id := ask(t, c, "q", "May I?", allow...)
	for range 2 {
		if _, err := typed.WriteString("y\n"); err != nil {
			t.Fatal(err)
		}
	}
	if press := <-s.items; press.Kind != channels.KindButton || press.MessageID != id {
		t.Errorf("%+v", press)
	}
	if !strings.Contains(out.String(), "not stored") {
		t.Errorf("shown %q", out)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// failing is a sink that fails as often as errs has errors.
type failing struct {
	*sink

	errs chan error
}

func (f *failing) Accept(ctx context.Context, items []channels.Inbound, cur *channels.Cursor) error {
	select {
	case err := <-f.errs:
		return err
	default:
		return f.sink.Accept(ctx, items, cur)
	}
}

// TestAQuestionThatWasNotShownIsNotOpen: a key that is typed for another reason must
// not answer an unseen question.
func TestAQuestionThatWasNotShownIsNotOpen(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, interactive bool) {
		t.Helper()
		k := newTalk(t, console.Options{Interactive: interactive}, newSink())
		if interactive {
			<-k.began // the prompt
		}
		gone, cancel := context.WithCancel(t.Context())
		resume := k.out.stall()
		part := channels.Part{
			Outbound: channels.Outbound{ID: "q", Address: k.Address(), Text: "May I?", Buttons: []channels.Button{{Label: "Yes", Data: "q:yes"}}},
			Count:    1,
		}
		ended := make(chan error, 1)
		go func() { _, err := k.Send(gone, part); ended <- err }()
		<-k.began
		cancel()
		if err := <-ended; channels.ClassOf(err).Class != channels.SendAmbiguous {
			t.Errorf("a Send that was cut off: %v", err)
		}
		resume()
		show(t, k.Channel, "next", "")
		if got := k.says(t, "y"); got[0] != "y" {
			t.Errorf("delivered %q", got)
		}
	})
}

func TestNobodyPressesWhenTheInputHasEnded(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, interactive bool) {
		t.Helper()
		k := newTalk(t, console.Options{Interactive: interactive}, newSink())
		if !k.Buttons(k.Address()) || k.Buttons(channels.Address{Channel: console.Name, Chat: "elsewhere"}) {
			t.Error("buttons are for who sits here")
		}
		if err := k.typed.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-k.ended; err != nil {
			t.Error(err)
		}
		if k.Buttons(k.Address()) {
			t.Error("somebody can press a button after the end of input")
		}
	})
}

// TestPipedKeysWaitForTheirQuestion: all lines are there before anything is asked.
func TestPipedKeysWaitForTheirQuestion(t *testing.T) {
	t.Parallel()
	s := newSink()
	var c *console.Channel
	var settled []string
	opt := console.Options{
		In: strings.NewReader("delete a\ny\ndelete b\nn\nhello\ny\n"), Out: &screen{},
		Settled: func(ctx context.Context) error {
			said := s.texts()
			settled = append(settled, said...)
			for _, text := range said {
				name, ok := strings.CutPrefix(text, "delete ")
				if !ok {
					continue
				}
				question := channels.Part{Outbound: channels.Outbound{ID: name, Address: c.Address(), Text: text + "?"}, Count: 1}
				question.Buttons = []channels.Button{{Label: "Yes", Data: name + ":yes"}, {Label: "No", Data: name + ":no"}}
				if _, err := c.Send(ctx, question); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c = console.New(opt)
	if err := c.Run(t.Context(), s.ingress()); err != nil {
		t.Fatal(err)
	}
	want := []string{"delete a", "a:yes", "delete b", "b:no", "hello", "y"}
	if diff := cmp.Diff(want, append(settled, s.texts()...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
