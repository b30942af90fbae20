package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/audit"
	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/local"
)

// door is a pairingAuthorizer with a store of its own, on fake time.
type door struct {
	*testing.T

	desk *admin.Gateway
	gate pairingAuthorizer
	said int
}

func atTheDoor(t *testing.T, f func(d *door)) {
	t.Helper()
	o := local.Options{Dir: t.TempDir(), Log: zerolog.Nop(), SnapshotEvery: -1}
	synctest.Test(t, func(t *testing.T) {
		store, err := local.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := policy.New(policy.Options{Channels: map[string]policy.ChannelRules{"telegram": {}}})
		if err != nil {
			t.Fatal(err)
		}
		desk := &admin.Gateway{
			Engine: store, Log: zerolog.Nop(), Redact: func(s string) string { return s }, Note: func(audit.Row) {},
			Namer: func(channels.Address) (channels.Namer, bool) { return nil, false },
		}
		f(&door{T: t, desk: desk, gate: pairingAuthorizer{policyAuthorizer{rules.WithPairs(store.Pairs())}, store.Pairs(), zerolog.Nop()}})
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	r, err := bolt.Check(t.Context(), o.Dir)
	if err != nil || r.Err() != nil {
		t.Errorf("%v, %v", err, r.Problems)
	}
}

// knock is one more direct message of somebody. It returns the verdict's reason.
func (d *door) knock(who string) channels.Decision {
	d.said++
	return d.gate.Authorize(d.Context(), channels.Inbound{
		ID: fmt.Sprint("update/", d.said), Kind: channels.KindMessage, Direct: true, Text: "hello",
		Address: channels.Address{Channel: "telegram", Account: "7", Chat: who}, Sender: channels.Sender{ID: who},
	})
}

func (d *door) wantReason(who, want string) {
	d.Helper()
	if got := d.knock(who); got.Allow || got.Err != nil || got.Reason != "the sender is not on the allow list: "+want {
		d.Errorf("%s: %+v, want %q", who, got, want)
	}
}

func (d *door) list() []admin.PairReport {
	d.Helper()
	var all []admin.PairReport
	if err := d.desk.Do(d.Context(), admin.ListPairs().Name, &admin.Request{}, func(v any) error {
		var r admin.PairReport
		raw, _ := v.(json.RawMessage)
		err := json.Unmarshal(raw, &r)
		all = append(all, r)
		return err
	}); err != nil {
		d.Fatal(err)
	}
	return all
}

func (d *door) sending() int {
	d.Helper()
	st, err := d.desk.Engine.Status(d.Context())
	if err != nil || st.Waiting != 0 {
		d.Fatalf("%d waiting, %v", st.Waiting, err)
	}
	return st.Sending
}

func (d *door) approve(code string) error {
	return d.desk.Do(d.Context(), admin.ApprovePair().Name, &admin.Request{Pair: code}, func(any) error { return nil })
}

// TestPairingCodesExpire: a code is good for an hour to the moment, and then the
// next message gets another.
func TestPairingCodesExpire(t *testing.T) {
	t.Parallel()
	atTheDoor(t, func(d *door) {
		began := time.Now()
		d.wantReason("42", "a pairing code is sent")
		first := d.list()[0]
		want := admin.PairReport{State: "waiting", Code: first.Code, Who: "telegram:7/42", Time: began.Add(time.Hour)}
		if diff := cmp.Diff(want, first); diff != "" {
			d.Errorf("(-want +got)\n%s", diff)
		}
		<-time.After(time.Hour - time.Nanosecond)
		d.wantReason("42", "a pairing code was sent before")
		if n := d.sending(); n != 1 {
			d.Errorf("%d messages for one code", n)
		}
		<-time.After(time.Nanosecond)
		if got := d.list()[0].State; got != "expired" {
			d.Errorf("after an hour the code is %s", got)
		}
		if err := d.approve(first.Code); err == nil || !strings.Contains(err.Error(), "the code "+first.Code+" has expired") {
			d.Errorf("approved late: %v", err)
		}
		d.wantReason("42", "a pairing code is sent")
		if n := d.sending(); n != 2 {
			d.Errorf("%d messages for two codes", n)
		}
		<-time.After(time.Hour - time.Nanosecond)
		if err := d.approve(d.list()[0].Code); err != nil {
			d.Errorf("approved in time: %v", err)
		}
		if got := d.knock("42"); !got.Allow {
			d.Errorf("paired: %+v", got)
		}
	})
}

// TestPairingIsBounded: so many strangers hold a code at a time, and the next one has
// no cost.
func TestPairingIsBounded(t *testing.T) {
	t.Parallel()
	atTheDoor(t, func(d *door) {
		for i := range policy.MaxPairing {
			d.wantReason(fmt.Sprint(1000+i), "a pairing code is sent")
		}
		before := d.sending()
		for range 3 {
			d.wantReason("42", "no pairing code is sent, as too many strangers hold one")
		}
		if n := d.sending(); n != before || before != policy.MaxPairing {
			d.Errorf("%d messages, then %d", before, n)
		}
		<-time.After(policy.PairingTime)
		d.wantReason("42", "a pairing code is sent")
		if n := len(d.list()); n != 1 {
			d.Errorf("%d requests are kept", n)
		}
	})
}

// TestStrangersCannotHoldAllCodes: strangers take every free code, again and again;
// they keep a newcomer from a code for ten minutes at most, and the newcomer's stays
// good for ten minutes at least.
func TestStrangersCannotHoldAllCodes(t *testing.T) {
	t.Parallel()
	atTheDoor(t, func(d *door) {
		strangers := 1000 // who have knocked, none of them twice
		crowd := func() {
			for range 2 * policy.MaxPairing {
				strangers++
				d.knock(fmt.Sprint(strangers))
			}
		}
		crowd()
		d.wantReason("42", "no pairing code is sent, as too many strangers hold one")
		<-time.After(policy.PairingGrace)
		d.wantReason("42", "a pairing code is sent")
		for range 9 {
			crowd()
			<-time.After(time.Minute)
		}
		crowd()
		open := 0
		var code string
		for _, r := range d.list() {
			if r.State == "waiting" {
				open++
			}
			if strings.HasSuffix(r.Who, "/42") {
				code = r.Code
			}
		}
		if open > policy.MaxPairing {
			d.Errorf("%d codes are good", open)
		}
		if err := d.approve(code); err != nil {
			d.Errorf("the newcomer's code: %v", err)
		}
	})
}

// TestPairNoteOnceADay: a paired person is told in a group the scope of pairing, and
// again there when a day has passed.
func TestPairNoteOnceADay(t *testing.T) {
	t.Parallel()
	atTheDoor(t, func(d *door) {
		d.knock("42")
		if err := d.approve(d.list()[0].Code); err != nil {
			d.Fatal(err)
		}
		before := d.sending()
		speak := func(group string, want int) {
			d.Helper()
			d.said++
			got := d.gate.Authorize(d.Context(), channels.Inbound{
				ID: fmt.Sprint("update/", d.said), Kind: channels.KindMessage, Mentioned: true, Text: "hello",
				Address: channels.Address{Channel: "telegram", Account: "7", Chat: group, Thread: fmt.Sprint(d.said)},
				Sender:  channels.Sender{ID: "42"},
			})
			if got.Allow || got.Err != nil || !strings.HasSuffix(got.Reason, "the sender is paired, for direct chats only") {
				d.Errorf("%+v", got)
			}
			if n := d.sending() - before; n != want {
				d.Errorf("%d notes, want %d", n, want)
			}
		}
		speak("-1", 1)
		speak("-1", 1)
		speak("-2", 2)
		<-time.After(policy.PairNoteTime - time.Nanosecond)
		speak("-1", 2)
		<-time.After(time.Nanosecond)
		speak("-1", 3)
		speak("-1", 3)
	})
}

// readOnlyPairs is a store that keeps no request.
type readOnlyPairs struct{ session.Pairs }

var errUnwritable = errors.New("the disk is full")

func (readOnlyPairs) AskPair(context.Context, session.PairRequest, channels.Outbound, session.PairBounds) (session.PairAnswer, error) {
	return "", errUnwritable
}

// TestPairingWaitsForTheStore: a stranger with a code that could not be stored is asked
// about again, and then gets one.
func TestPairingWaitsForTheStore(t *testing.T) {
	t.Parallel()
	atTheDoor(t, func(d *door) {
		writable := d.gate.pairs
		d.gate.pairs = readOnlyPairs{writable}
		if got := d.knock("42"); got.Allow || !errors.Is(got.Err, errUnwritable) {
			d.Errorf("while nothing can be stored: %+v", got)
		}
		d.gate.pairs = writable
		d.said--
		d.wantReason("42", "a pairing code is sent")
		if n := d.sending(); n != 1 {
			d.Errorf("%d messages", n)
		}
	})
}

// TestPairingTellsNobodyElse: only a stranger's direct message gets a code.
func TestPairingTellsNobodyElse(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*channels.Inbound){
		"in a group":             func(in *channels.Inbound) { in.Direct, in.Mentioned = false, true },
		"an edit":                func(in *channels.Inbound) { in.Kind = channels.KindEdit },
		"a button":               func(in *channels.Inbound) { in.Kind = channels.KindButton },
		"a bot":                  func(in *channels.Inbound) { in.Sender.Bot = true },
		"on a channel of owners": func(in *channels.Inbound) { in.Address.Channel = "irc" },
	}
	atTheDoor(t, func(d *door) {
		for name, change := range tests {
			in := channels.Inbound{
				ID: "update/" + name, Kind: channels.KindMessage, Direct: true, Text: "hello",
				Address: channels.Address{Channel: "telegram", Account: "7", Chat: "42"}, Sender: channels.Sender{ID: "42"},
			}
			change(&in)
			if got := d.gate.Authorize(d.Context(), in); got.Allow || got.Reason == "" {
				d.Errorf("%s: %+v", name, got)
			}
		}
		if n, asks := d.sending(), d.list(); n != 0 || len(asks) != 0 {
			d.Errorf("%d messages, requests %+v", n, asks)
		}
	})
}
