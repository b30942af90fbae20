package console_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
)

// sink hands on the accepted messages.
type sink struct {
	items chan channels.Inbound
	err   error
}

func newSink() *sink { return &sink{items: make(chan channels.Inbound, 100)} }

func (s *sink) Accept(_ context.Context, items []channels.Inbound, _ *channels.Cursor) error {
	if s.err != nil {
		return s.err
	}
	for i := range items {
		s.items <- items[i]
	}
	return nil
}

func (*sink) Position(context.Context, string) (string, error) { return "", nil }

func (*sink) Authorize(context.Context, channels.Inbound) channels.Decision {
	return channels.Decision{Allow: true}
}

func (s *sink) ingress() *channels.Ingress { return channels.NewIngress(s, s, zerolog.Nop()) }

// texts are those of all that was accepted until now.
func (s *sink) texts() (all []string) {
	for {
		select {
		case in := <-s.items:
			all = append(all, in.Text)
		default:
			return all
		}
	}
}

// run runs a console over input to its end and returns the delivered messages and the
// output.
func run(t *testing.T, input string, opt console.Options) (delivered []string, shown, notes string, err error) {
	t.Helper()
	out, stderr := &screen{}, &screen{}
	opt.In, opt.Out, opt.Err = strings.NewReader(input), out, stderr
	s := newSink()
	err = console.New(opt).Run(t.Context(), s.ingress())
	return s.texts(), out.String(), stderr.String(), err
}

func TestPipedLinesAreTurnsOfTheirOwn(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("x", 1<<20)
	for _, tc := range []struct {
		name, in string
		want     []string
	}{
		{"lines", "what is 17*23?\nlist the files\n", []string{"what is 17*23?", "list the files"}},
		{"no last line break", "one\ntwo", []string{"one", "two"}},
		{"blank lines", "\n  \none\n\t\n\ntwo\n", []string{"one", "two"}},
		{"line breaks of two bytes", "one\r\ntwo\r\n", []string{"one", "two"}},
		{"nothing is joined", "one \\\n\"\"\"\ntwo\n", []string{`one \`, `"""`, "two"}},
		{"as long as may be", longest + "\nnext\n", []string{longest, "next"}},
		{"nothing", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, shown, notes, err := run(t, tc.in, console.Options{})
			if err != nil || shown != "" || notes != "" {
				t.Errorf("Run = %v, shown %q, %q", err, shown, notes)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%.300s", diff)
			}
		})
	}
}

func TestPipedLineThatIsTooLong(t *testing.T) {
	t.Parallel()
	got, _, notes, err := run(t, "one\n"+strings.Repeat("x", 5<<20)+"\ntwo\n", console.Options{})
	if !errors.Is(err, console.ErrLineTooLong) || !strings.Contains(notes, "1 MiB") {
		t.Errorf("Run = %v, notes %q", err, notes)
	}
	if diff := cmp.Diff([]string{"one", "two"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInboundSaysWhoAndWhere(t *testing.T) {
	t.Parallel()
	for _, interactive := range []bool{true, false} {
		s := newSink()
		c := console.New(console.Options{
			In: strings.NewReader("one\ntwo\n"), Out: io.Discard, Interactive: interactive, User: "Ann", ID: "1000", Chat: "desk",
		})
		if err := c.Run(t.Context(), s.ingress()); err != nil {
			t.Fatal(err)
		}
		one, two := <-s.items, <-s.items
		if one.ID == two.ID || one.Solo == interactive || !one.Direct {
			t.Errorf("%+v and %+v", one, two)
		}
		if one.Sender != (channels.Sender{ID: "1000", Name: "Ann"}) || one.Address != c.Address() || one.Address.Chat != "desk" {
			t.Errorf("%+v", one)
		}
	}
}

func TestStoreThatTakesNothing(t *testing.T) {
	t.Parallel()
	errFull := errors.New("disk full")
	for _, interactive := range []bool{true, false} {
		out := &screen{}
		c := console.New(console.Options{In: strings.NewReader("one\n"), Out: out, Interactive: interactive})
		err := c.Run(t.Context(), (&sink{err: errFull}).ingress())
		if interactive && (err != nil || !strings.Contains(out.String(), "not stored")) {
			t.Errorf("a person is told and may try again: %v, %q", err, out)
		}
		if !interactive && !errors.Is(err, errFull) {
			t.Errorf("Run = %v", err)
		}
	}
}

func TestInteractiveLinesAreJoined(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, in string
		want     []string
	}{
		{"lines", "one\n\ntwo\n", []string{"one", "two"}},
		{"backslash", "one\\\ntwo\\\nthree\nfour\n", []string{"one\ntwo\nthree", "four"}},
		{"block", "\"\"\"\none\n\n  two\\\n\"\"\"\nthree\n", []string{"one\n\n  two\\", "three"}},
		{"empty block", "\"\"\"\n\"\"\"\none\n", []string{"one"}},
		{"end after a backslash", "one\\\n", []string{"one"}},
		{"end within a block", "one\n\"\"\"\ntwo\n", []string{"one"}},
		{
			"block that never ends", "\"\"\"\n" + strings.Repeat(strings.Repeat("x", 1<<16-1)+"\n", 17),
			[]string{strings.TrimSuffix(strings.Repeat(strings.Repeat("x", 1<<16-1)+"\n", 16), "\n"), strings.Repeat("x", 1<<16-1)},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, shown, _, err := run(t, tc.in, console.Options{Interactive: true})
			if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%.300s", diff)
			}
			if dropped := strings.Contains(shown, "dropped"); dropped != (tc.name == "end within a block") {
				t.Errorf("shown %.300q", shown)
			}
		})
	}
}

// show puts text on the screen of c as a message.
func show(t *testing.T, c *console.Channel, text, draft string) {
	t.Helper()
	_, err := c.Send(t.Context(), channels.Part{Outbound: channels.Outbound{Address: c.Address(), Text: text, Draft: draft}, Count: 1})
	if err != nil {
		t.Errorf("Send: %v", err)
	}
}

func TestDraftsGrow(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		drafts []string
		final  string
		want   string
	}{
		{"no draft", nil, "Hello", "Hello\n> "},
		{"grows", []string{"He", "Hello", "Hello wor"}, "Hello world", "Hello world\n> "},
		{"complete already", []string{"Hello"}, "Hello", "Hello\n> "},
		{"ends in a line break", []string{"Hello\n"}, "Hello\n", "Hello\n> "},
		{"ended in blanks", []string{"\nHello \n\n"}, "Hello", "Hello\n> "},
		{"blank so far", []string{" \n"}, "Hello", "Hello\n> "},
		{"became another", []string{"Hello", "Bonjour"}, "Bonjour!", "Hello\nBonjour!\n> "},
		{"final is another", []string{"Hello"}, "Sorry", "Hello\nSorry\n> "},
		{"escape cut in two", []string{"a\x1b", "a\x1b[31m"}, "a\x1b[31mred", "a␛[31mred\n> "},
		{"code point cut in two", []string{"a\xe2\x82"}, "a€", "a€\n> "},
		{"C1 cut in two", []string{"a\xc2"}, "a\u009b", "a<U+009B>\n> "},
		{"carriage return at the cut", []string{"a\r"}, "a\rb", "a␍b\n> "},
		{"line break cut in two", []string{"a\r"}, "a\r\nb", "a\nb\n> "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out := &screen{}
			c := console.New(console.Options{Out: out, Interactive: true})
			for _, d := range tc.drafts {
				if err := c.Draft(t.Context(), c.Address(), "d", d); err != nil {
					t.Fatal(err)
				}
			}
			show(t, c, tc.final, "d")
			if got := out.String(); got != tc.want {
				t.Errorf("shown %q, want %q", got, tc.want)
			}
		})
	}
}

func TestMessageGoesOnWhereACutOffDraftStands(t *testing.T) {
	t.Parallel()
	out := &screen{}
	c := console.New(console.Options{Out: out, Interactive: true})
	if err := c.Draft(t.Context(), c.Address(), "d", "Hello"); err != nil {
		t.Fatal(err)
	}
	show(t, c, "Hello there", "") // the caller of the draft was told that it failed
	if got := out.String(); got != "Hello there\n> " {
		t.Errorf("shown %q", got)
	}
}

func TestScreenKeepsLinesApart(t *testing.T) {
	t.Parallel()
	out := &screen{}
	c := console.New(console.Options{Out: out, Interactive: true})
	show(t, c, "one", "")
	show(t, c, "two", "") // takes the place of the prompt
	if err := c.Status(t.Context(), c.Address(), "read\x1b_file\nnow"); err != nil {
		t.Fatal(err)
	}
	if err := c.Draft(t.Context(), c.Address(), "d", "gro"); err != nil {
		t.Fatal(err)
	}
	show(t, c, "between", "")
	for range 2 {
		if err := c.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const clearLine = "\r\x1b[K"
	want := "one\n> " + clearLine + "two\n> " + clearLine + "[read␛_file now]\ngro\nbetween\n> "
	if got := out.String(); got != want {
		t.Errorf("shown %q\nwant  %q", got, want)
	}
}

func TestPipedOutputHasAnswersOnly(t *testing.T) {
	t.Parallel()
	out := &screen{}
	c := console.New(console.Options{Out: out})
	for _, f := range []func() error{
		func() error { return c.Draft(t.Context(), c.Address(), "d", "gro") },
		func() error { return c.Status(t.Context(), c.Address(), "note") },
		func() error { return c.Idle(t.Context()) },
	} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	show(t, c, "391", "d")
	show(t, c, "MEMORY.md\n", "")
	if got := out.String(); got != "391\nMEMORY.md\n" {
		t.Errorf("shown %q", got)
	}
}

func TestInterruptStopsFirstAndLeavesSecond(t *testing.T) {
	t.Parallel()
	s, out := newSink(), &screen{}
	in, typed := pipe(t)
	c := console.New(console.Options{In: in, Out: out, Interactive: true})
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, s.ingress()) }()
	if _, err := typed.WriteString("work\n"); err != nil {
		t.Fatal(err)
	}
	<-s.items
	if c.Interrupt() {
		t.Error("the first interrupt leaves")
	}
	if got := (<-s.items).Text; got != "/stop" {
		t.Errorf("delivered %q", got)
	}
	if !c.Interrupt() {
		t.Error("the second interrupt stays")
	}
	leave()
	if err := <-ended; err != nil {
		t.Errorf("Run = %v", err)
	}
	c.Interrupt() // a third one does no harm
}

// TestInterruptLeavesTheEndOfRunToItsCaller: the caller's cause decides the exit
// code, so Run goes on until the caller ends its context. Each typed line is a
// chance to see a Run that ended by itself.
func TestInterruptLeavesTheEndOfRunToItsCaller(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]console.Options{
		"nothing was said": {},
		"told so":          {Busy: func() bool { return false }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, typed := pipe(t)
			opt.In, opt.Out, opt.Interactive = in, io.Discard, true
			s, c := newSink(), console.New(opt)
			ctx, leave := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- c.Run(ctx, s.ingress()) }()
			if !c.Interrupt() {
				t.Error("it stays")
			}
			for range 10 {
				if _, err := typed.WriteString("still here\n"); err != nil {
					t.Fatal(err)
				}
				select {
				case <-s.items:
				case err := <-ended:
					t.Fatalf("Run ended by itself: %v", err)
				}
			}
			leave()
			if err := <-ended; err != nil {
				t.Errorf("Run = %v", err)
			}
		})
	}
}

func TestInterruptCallsBack(t *testing.T) {
	t.Parallel()
	calls := 0
	c := console.New(console.Options{Out: io.Discard, Busy: func() bool { return true }, OnInterrupt: func() { calls++ }})
	if c.Interrupt() || calls != 1 {
		t.Errorf("%d calls", calls)
	}
	if !c.Interrupt() || calls != 1 {
		t.Errorf("the second leaves and stops nothing: %d calls", calls)
	}
}

func TestClosedOutputEndsRun(t *testing.T) {
	t.Parallel()
	in, _ := pipe(t)
	reader, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	_ = reader.Close()
	c := console.New(console.Options{In: in, Out: out})
	ended := make(chan error, 1)
	go func() { ended <- c.Run(t.Context(), newSink().ingress()) }()
	_, err = c.Send(t.Context(), channels.Part{Outbound: channels.Outbound{Text: "lost"}, Count: 1})
	if se := channels.ClassOf(err); se.Class != channels.SendTransient || !errors.Is(err, console.ErrOutput) {
		t.Errorf("Send = %v", err)
	}
	if err := <-ended; !errors.Is(err, console.ErrOutput) {
		t.Errorf("Run = %v", err)
	}
}

func TestStoppedTerminalHoldsUpNobody(t *testing.T) {
	t.Parallel()
	out := &screen{}
	c := console.New(console.Options{Out: out})
	resume := out.stall()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			if _, err := c.Send(ctx, channels.Part{Outbound: channels.Outbound{Text: "text"}, Count: 1}); err == nil {
				t.Error("Send has a receipt of a terminal that is stopped")
			}
		})
	}
	wg.Wait()
	resume()
	show(t, c, "after", "")
	if got := out.String(); strings.Count(got, "text") > 1 || !strings.HasSuffix(got, "after\n") {
		t.Errorf("shown %q", got)
	}
}

func TestAFileIsToldByItsPath(t *testing.T) {
	t.Parallel()
	for caption, want := range map[string]string{"the report": "the report\n[file] /space/a b.txt␛[1m\n", "": "[file] /space/a b.txt␛[1m\n"} {
		out := &screen{}
		c := console.New(console.Options{In: strings.NewReader(""), Out: out})
		_, err := c.SendFile(t.Context(), channels.FilePart{Part: channels.Part{Outbound: channels.Outbound{
			Address: c.Address(), Text: caption, File: &channels.File{Name: "a b.txt", Path: "/space/a b.txt\x1b[1m"},
		}, Count: 1}})
		if err != nil || out.String() != want {
			t.Errorf("shown %q, %v", out.String(), err)
		}
	}
}
