package console_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

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
