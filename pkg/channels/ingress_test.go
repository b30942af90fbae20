package channels_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/pkg/channels"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink keeps the items that it accepts, or fails with err.
type sink struct {
	items   []channels.Inbound
	cursors []*channels.Cursor
	err     error
}

func (s *sink) Accept(_ context.Context, items []channels.Inbound, cursor *channels.Cursor) error {
	if s.err != nil {
		return s.err
	}
	s.items, s.cursors = append(s.items, items...), append(s.cursors, cursor)
	return nil
}

func (s *sink) Position(_ context.Context, name string) (string, error) { return "at " + name, s.err }

// only lets one sender in.
type only string

func (o only) Authorize(_ context.Context, in channels.Inbound) channels.Decision {
	return channels.Decision{Allow: in.Sender.ID == string(o), Reason: "not on the list"}
}

func inbound(change func(*channels.Inbound)) channels.Inbound {
	in := channels.Inbound{
		ID: "u1", Kind: channels.KindMessage, Address: address("a"), Sender: channels.Sender{ID: "7", Name: "Ann"},
		Text: "hello", Time: time.Unix(1, 0),
	}
	if change != nil {
		change(&in)
	}
	return in
}

func TestIngressRefusesAndMovesOn(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*channels.Inbound){
		"denied":                        func(in *channels.Inbound) { in.Sender.ID = "8" },
		"no id":                         func(in *channels.Inbound) { in.ID = "" },
		"no sender":                     func(in *channels.Inbound) { in.Sender.ID = "" },
		"no chat":                       func(in *channels.Inbound) { in.Address.Chat = "" },
		"no channel":                    func(in *channels.Inbound) { in.Address.Channel = "" },
		"unknown kind":                  func(in *channels.Inbound) { in.Kind = "poll" },
		"sender that would be repaired": func(in *channels.Inbound) { in.Sender.ID = "7\x00" },
		"invisible character in an id":  func(in *channels.Inbound) { in.Sender.ID = "7\u200b" },
		"line break in a chat":          func(in *channels.Inbound) { in.Address.Chat = "a\nb" },
		"invalid UTF-8 in an id":        func(in *channels.Inbound) { in.ID = "\xff" },
		"endless id":                    func(in *channels.Inbound) { in.ID = strings.Repeat("x", 257) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var logged bytes.Buffer
			s := &sink{}
			in := channels.NewIngress(s, only("7"), zerolog.New(&logged))
			bad := inbound(func(in *channels.Inbound) { in.Text = "canary"; change(in) })
			cursor := &channels.Cursor{Name: "c", From: "1", To: "2"}
			if err := in.Deliver(t.Context(), []channels.Inbound{bad, inbound(nil)}, cursor); err != nil {
				t.Fatal(err)
			}
			if len(s.items) != 1 || s.items[0].Text != "hello" || s.cursors[0] != cursor {
				t.Errorf("stored %+v with %+v", s.items, s.cursors)
			}
			if log := logged.String(); !strings.Contains(log, "inbound refused") || strings.Contains(log, "canary") {
				t.Errorf("log: %s", log)
			}
			if err := in.Deliver(t.Context(), []channels.Inbound{bad}, cursor); err != nil || len(s.cursors) != 2 {
				t.Errorf("the cursor has to move although all is refused: %v, %d moves", err, len(s.cursors))
			}
			if err := in.Deliver(t.Context(), []channels.Inbound{bad}, nil); err != nil || len(s.cursors) != 2 {
				t.Errorf("nothing has to be stored for a refusal: %v, %d moves", err, len(s.cursors))
			}
		})
	}
}

func TestIngressAsksAboutEveryKind(t *testing.T) {
	t.Parallel()
	for _, kind := range channels.Kinds() {
		s := &sink{}
		in := channels.NewIngress(s, only("nobody"), zerolog.Nop())
		err := in.Deliver(t.Context(), []channels.Inbound{inbound(func(in *channels.Inbound) { in.Kind = kind })}, nil)
		if err != nil || len(s.items) != 0 {
			t.Errorf("%s passed: %v", kind, err)
		}
	}
}

func TestIngressAcknowledgesNothingThatIsNotStored(t *testing.T) {
	t.Parallel()
	for _, want := range []error{errStore, channels.ErrFenced} {
		in := channels.NewIngress(&sink{err: want}, only("7"), zerolog.Nop())
		if err := in.Deliver(t.Context(), []channels.Inbound{inbound(nil)}, nil); !errors.Is(err, want) {
			t.Errorf("Deliver = %v, want %v", err, want)
		}
		if _, err := in.Position(t.Context(), "c"); !errors.Is(err, want) {
			t.Errorf("Position = %v, want %v", err, want)
		}
	}
	in := channels.NewIngress(&sink{}, only("7"), zerolog.Nop())
	if pos, err := in.Position(t.Context(), "c"); err != nil || pos != "at c" {
		t.Errorf("Position = %q, %v", pos, err)
	}
}

// undecided lets the first sender in and cannot decide about others while err is set.
type undecided struct{ err error }

func (u *undecided) Authorize(_ context.Context, in channels.Inbound) channels.Decision {
	if in.Sender.ID == "7" {
		return channels.Decision{Allow: true}
	}
	return channels.Decision{Reason: "not on the list", Err: u.err}
}

// TestIngressAcknowledgesNothingThatIsNotDecided: an item without a decision of the
// authorizer is delivered again, with all others of its delivery.
func TestIngressAcknowledgesNothingThatIsNotDecided(t *testing.T) {
	t.Parallel()
	s, auth := &sink{}, &undecided{err: errStore}
	in := channels.NewIngress(s, auth, zerolog.Nop())
	items := []channels.Inbound{inbound(nil), inbound(func(in *channels.Inbound) { in.ID, in.Sender.ID = "u2", "8" })}
	cursor := &channels.Cursor{Name: "c", From: "1", To: "2"}
	if err := in.Deliver(t.Context(), items, cursor); !errors.Is(err, errStore) {
		t.Errorf("Deliver = %v, want %v", err, errStore)
	}
	if len(s.items) != 0 || len(s.cursors) != 0 {
		t.Errorf("stored %+v with %+v", s.items, s.cursors)
	}
	auth.err = nil
	if err := in.Deliver(t.Context(), items, cursor); err != nil || len(s.items) != 1 || s.items[0].ID != "u1" {
		t.Errorf("once it is decided: %v, stored %+v", err, s.items)
	}
}

// quiet lets in the sender 7 and overhears the sender 8.
type quiet struct{}

func (quiet) Authorize(_ context.Context, in channels.Inbound) channels.Decision {
	return channels.Decision{Allow: in.Sender.ID == "7", Overheard: in.Sender.ID == "8", Reason: "not to the bot"}
}

// TestIngressHandsOnOverheardParts: of an album, and of no other refused item.
func TestIngressHandsOnOverheardParts(t *testing.T) {
	t.Parallel()
	s := &sink{}
	in := channels.NewIngress(s, quiet{}, zerolog.Nop())
	from := func(id, sender, album string) channels.Inbound {
		return inbound(func(in *channels.Inbound) { in.ID, in.Sender.ID, in.Group, in.Overheard = id, sender, album, true })
	}
	items := []channels.Inbound{
		from("1", "7", ""), from("2", "7", "g"), from("3", "8", ""), from("4", "8", "g"), from("5", "9", "g"), from("6", "7", "g\n"),
	}
	if err := in.Deliver(t.Context(), items, nil); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for i := range s.items {
		got[s.items[i].ID] = s.items[i].Overheard
	}
	if diff := cmp.Diff(map[string]bool{"1": false, "2": false, "4": true}, got); diff != "" {
		t.Errorf("handed on, and whether overheard (-want +got)\n%s", diff)
	}
}

func TestIngressNormalises(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("é", channels.MaxText/2) + "é"
	for _, tc := range []struct {
		name         string
		change, want func(*channels.Inbound)
	}{
		{
			"text", func(in *channels.Inbound) { in.Text = "a\x00b\xffc\xed\xa0\x80\n\td" },
			func(in *channels.Inbound) { in.Text = "a\uFFFDb\uFFFDc\uFFFD\n\td" },
		},
		{"quote", func(in *channels.Inbound) { in.Quote = "\x00" }, func(in *channels.Inbound) { in.Quote = "\uFFFD" }},
		{
			"name", func(in *channels.Inbound) { in.Sender.Name = " Ann\r\n\u202eowner\x1b[1m\u200b \u2028 x\xff" },
			func(in *channels.Inbound) { in.Sender.Name = "Ann owner[1m x\uFFFD" },
		},
		{
			"endless name", func(in *channels.Inbound) { in.Sender.Name = strings.Repeat("é", 1000) },
			func(in *channels.Inbound) { in.Sender.Name = strings.Repeat("é", channels.MaxName) },
		},
		{
			"raw that is no JSON", func(in *channels.Inbound) { in.Raw = json.RawMessage(`{"a":`) },
			func(in *channels.Inbound) { in.Raw = nil },
		},
		{
			"raw", func(in *channels.Inbound) { in.Raw = json.RawMessage(`{"a":1}`) },
			func(in *channels.Inbound) { in.Raw = json.RawMessage(`{"a":1}`) },
		},
		{"too many files", func(in *channels.Inbound) {
			in.Attachments = append(in.Attachments, channels.Attachment{Ref: "a\x00", Name: "a"}, channels.Attachment{Name: "no reference"})
			for range channels.MaxAttachments + 2 {
				in.Attachments = append(in.Attachments, channels.Attachment{About: "photo\n 2\xff", Ref: "r", Name: "a.png"})
			}
		}, func(in *channels.Inbound) {
			for range channels.MaxAttachments {
				in.Attachments = append(in.Attachments, channels.Attachment{About: "photo 2\uFFFD", Ref: "r", Name: "a.png"})
			}
			in.Text += "\n[4 files were left out]"
		}},
		{
			"as long as may be", func(in *channels.Inbound) { in.Text = big[:channels.MaxText] },
			func(in *channels.Inbound) { in.Text = big[:channels.MaxText] },
		},
		{"too long", func(in *channels.Inbound) { in.Text = big }, func(in *channels.Inbound) {
			note := fmt.Sprintf("\n[cut here: the message was %d bytes long]", len(big))
			in.Text = strings.Repeat("é", (channels.MaxText-len(note))/2) + note
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := &sink{}
			in := channels.NewIngress(s, only("7"), zerolog.Nop())
			if err := in.Deliver(t.Context(), []channels.Inbound{inbound(tc.change)}, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]channels.Inbound{inbound(tc.want)}, s.items); diff != "" {
				t.Errorf("(-want +got):\n%.2000s", diff)
			}
			if got := s.items[0].Text; len(got) > channels.MaxText || !utf8.ValidString(got) {
				t.Errorf("text of %d bytes", len(got))
			}
		})
	}
}

func TestIngressGivesATime(t *testing.T) {
	t.Parallel()
	s := &sink{}
	in := channels.NewIngress(s, only("7"), zerolog.Nop())
	if err := in.Deliver(t.Context(), []channels.Inbound{inbound(func(in *channels.Inbound) { in.Time = time.Time{} })}, nil); err != nil {
		t.Fatal(err)
	}
	if s.items[0].Time.IsZero() {
		t.Error("the item has no time")
	}
}
