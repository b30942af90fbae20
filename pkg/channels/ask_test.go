package channels_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
)

// desk is a platform on which people press buttons, until it is deaf, except in
// the chat "deaf".
type desk struct {
	*platform

	deaf atomic.Bool
}

func (d *desk) Buttons(to channels.Address) bool { return to.Chat != "deaf" && !d.deaf.Load() }

func newDesk() *desk {
	return &desk{platform: &platform{box: newOutbox(), limits: channels.Limits{MaxLen: 30}}}
}

// asking is a message with buttons.
func asking() channels.Outbound {
	return channels.Outbound{
		ID: "ask", Address: address("a"), Text: "May I?",
		Buttons: []channels.Button{{Label: "Allow once", Data: "7:once"}, {Label: "Deny", Data: "7:deny"}},
	}
}

func TestQuestionsThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	with := func(buttons ...channels.Button) func(*channels.Outbound) {
		return func(o *channels.Outbound) { o.Buttons = buttons }
	}
	ok := channels.Button{Label: "Yes", Data: "y"}
	for name, tc := range map[string]struct {
		change func(*channels.Outbound)
		want   error
	}{
		"as it should be":      {func(*channels.Outbound) {}, nil},
		"as long as may be":    {func(o *channels.Outbound) { o.Text = strings.Repeat("x", 30) }, nil},
		"most buttons":         {with(ok, ok, ok, ok, ok, ok, ok, ok), nil},
		"longest data":         {with(channels.Button{Label: "Yes", Data: strings.Repeat("~", 64)}), nil},
		"longest label":        {with(channels.Button{Label: strings.Repeat("é", 40), Data: "y"}), nil},
		"too long":             {func(o *channels.Outbound) { o.Text = strings.Repeat("x", 31) }, channels.ErrNotWhole},
		"blank":                {func(o *channels.Outbound) { o.Text = " \n" }, channels.ErrNotWhole},
		"with a secret":        {func(o *channels.Outbound) { o.Text = "the secret" }, channels.ErrNotAsWritten},
		"with NUL":             {func(o *channels.Outbound) { o.Text = "a\x00b" }, channels.ErrNotAsWritten},
		"not UTF-8":            {func(o *channels.Outbound) { o.Text = "a\xff" }, channels.ErrNotAsWritten},
		"where nobody presses": {func(o *channels.Outbound) { o.Address.Chat = "deaf" }, channels.ErrNoButtons},
		"too many buttons":     {with(ok, ok, ok, ok, ok, ok, ok, ok, ok), channels.ErrBadButtons},
		"no data":              {with(channels.Button{Label: "Yes"}), channels.ErrBadButtons},
		"data too long":        {with(channels.Button{Label: "Yes", Data: strings.Repeat("x", 65)}), channels.ErrBadButtons},
		"data with a line end": {with(channels.Button{Label: "Yes", Data: "a\nb"}), channels.ErrBadButtons},
		"data beyond ASCII":    {with(channels.Button{Label: "Yes", Data: "é"}), channels.ErrBadButtons},
		"no label":             {with(ok, channels.Button{Data: "y"}), channels.ErrBadButtons},
		"label of two lines":   {with(channels.Button{Label: "Yes\nNo", Data: "y"}), channels.ErrBadButtons},
		"label turned round":   {with(channels.Button{Label: "\u202eYes", Data: "y"}), channels.ErrBadButtons},
		"label too long":       {with(channels.Button{Label: strings.Repeat("x", 41), Data: "y"}), channels.ErrBadButtons},
		"with a file":          {func(o *channels.Outbound) { o.File = &channels.File{Name: "a"} }, channels.ErrBadButtons},
		"a preview":            {func(o *channels.Outbound) { o.Preview = true }, channels.ErrBadButtons},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				e := start(t, d.platform, func(o *channels.EgressOptions) {
					o.Channel = d
					o.Redact = func(s string) string { return strings.ReplaceAll(s, "secret", "[redacted]") }
				})
				o := asking()
				tc.change(&o)
				if err := e.CanAsk(o); !errors.Is(err, tc.want) {
					t.Errorf("CanAsk = %v, want %v", err, tc.want)
				}
				d.box.restore(channels.DeliveryInfo{Outbound: o, Marked: true})
				synctest.Wait()
				got, sent := d.box.outcome(o.ID), d.all()
				if tc.want == nil && (got.State != channels.Delivered || len(sent) != 1 || !cmp.Equal(sent[0].part.Outbound, o)) {
					t.Errorf("outcome %+v, sent %+v", got, sent)
				}
				if tc.want != nil && (got.State != channels.Refused || !strings.Contains(got.Reason, tc.want.Error()) || len(sent) != 0) {
					t.Errorf("outcome %+v, %d sent", got, len(sent))
				}
			})
		})
	}
}

// TestAQuestionWhereNoButtonsAre is refused, and the message after it is sent.
func TestAQuestionWhereNoButtonsAre(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{}, nil)
		o := asking()
		if err := e.CanAsk(o); !errors.Is(err, channels.ErrNoButtons) {
			t.Errorf("CanAsk = %v", err)
		}
		e.box.restore(channels.DeliveryInfo{Outbound: o, Marked: true})
		e.box.put("a", "next", "next")
		synctest.Wait()
		if diff := cmp.Diff([]string{"settle ask refused", "sent next 0", "settle next delivered"}, e.box.events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// TestAQuestionThatMayBeThereIsNotRefused: its person may have left when a store that
// failed works again, or after a restart.
func TestAQuestionThatMayBeThereIsNotRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		info channels.DeliveryInfo
		want []string
	}{
		"unknown": {channels.DeliveryInfo{Unknown: true, Ambiguities: 1}, []string{"settle ask unsettled"}},
		"there":   {channels.DeliveryInfo{}, []string{"sent ask 0", "settle ask delivered"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.deaf.Store(tc.info.Unknown)
				d.box.fails = func(string) error {
					if d.deaf.Swap(true) {
						return nil
					}
					return errStore
				}
				tc.info.Outbound, tc.info.Marked = asking(), true
				d.box.restore(tc.info)
				start(t, d.platform, func(o *channels.EgressOptions) { o.Channel = d })
				pass(10 * time.Second)
				if diff := cmp.Diff(tc.want, d.box.events()); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestAQuestionIsFinishedByTheMessageBehindIt goes through the real store, with a
// restart while the question is open and an answer that is longer than a part.
func TestAQuestionIsFinishedByTheMessageBehindIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := newDesk()
	run := func(list ...channels.Outbound) (receipt string) {
		t.Helper()
		e := outboxtest.Open(t, dir)
		for i := range list {
			outboxtest.Queue(t, e, list[i])
		}
		stop := outboxtest.Send(t, channels.EgressOptions{Outbox: e.Outbox(), Channel: d, Log: zerolog.Nop()})
		outboxtest.Await(t, e, 0)
		stop()
		r, err := e.Outbox().Receipt(t.Context(), "ask")
		if err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		return r.MessageID
	}
	question := asking()
	asked := run(question)
	run(channels.Outbound{ID: "end", Address: address("a"), Text: "Allowed by Ann.\n\nIt ran and wrote 12 bytes.", Finishes: "ask"})
	type part struct {
		Text, Edits string
		Buttons     []channels.Button
	}
	var got []part
	all := d.all()
	for i := range all {
		p := &all[i].part
		got = append(got, part{p.Text, p.Edits, p.Buttons})
	}
	want := []part{{"May I?", "", question.Buttons}, {"Allowed by Ann.", asked, nil}, {"It ran and wrote 12 bytes.", "", nil}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}
