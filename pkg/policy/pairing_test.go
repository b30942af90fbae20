package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/policy"
)

// paired are the paired people, as Person.String gives them; the owners among them
// have a "!" before it.
type paired []string

func (p paired) Paired(channel, account, id string) (in, owner bool) {
	who := policy.Person{Channel: channel, Account: account, ID: id}.String()
	owner = slices.Contains(p, "!"+who)
	return owner || slices.Contains(p, who), owner
}

// TestPaired: pairing opens direct chats of one account only, with the level of the
// others who are allowed there. It leaves the rights of others as they are.
func TestPaired(t *testing.T) {
	t.Parallel()
	p := newPolicy(t).WithPairs(paired{
		"telegram:b/33", "open:D9", "irc:44", "closed:a/44", "quiet:44",
		"loud:44", "telegram:b/11", "!telegram:b/77", "!irc:77",
	})
	event := func(channel, account, id string) policy.Event {
		return policy.Event{
			Kind: policy.KindMessage, Address: channels.Address{Channel: channel, Account: account, Chat: id},
			Sender: channels.Sender{ID: id}, Direct: true,
		}
	}
	with := func(e policy.Event, f func(*policy.Event)) policy.Event { f(&e); return e }
	in := func(chat string) func(*policy.Event) {
		return func(e *policy.Event) { e.Address.Chat, e.Direct, e.Mentioned = chat, false, true }
	}
	yes := func(level policy.Level) policy.Verdict { return policy.Verdict{Allow: true, Level: level} }
	owner := policy.Verdict{Allow: true, Level: policy.LevelWrite, Owner: true}
	no, mayPair := policy.Verdict{Level: policy.LevelNone}, policy.Verdict{Level: policy.LevelNone, MayPair: true}
	directOnly := policy.Verdict{Level: policy.LevelNone, DirectOnly: true}
	tests := []struct {
		name  string
		event policy.Event
		want  policy.Verdict
	}{
		{"paired, direct", event("telegram", "b", "33"), yes(policy.LevelRead)},
		{"the level of direct chats", event("closed", "a", "44"), yes(policy.LevelRead)},
		{"an edit", with(event("telegram", "b", "33"), func(e *policy.Event) { e.Kind = policy.KindEdit }), yes(policy.LevelRead)},
		{"a button", with(event("telegram", "b", "33"), func(e *policy.Event) { e.Kind = policy.KindButton }), yes(policy.LevelRead)},
		{
			"a schedule of theirs",
			with(event("telegram", "b", "33"), func(e *policy.Event) { e.Kind = policy.KindSchedule }), yes(policy.LevelRead),
		},
		{"paired with another bot", event("telegram", "b2", "33"), mayPair},
		{"the same id on another channel", event("closed", "b", "33"), mayPair},
		{"in a group", with(event("telegram", "b", "33"), in("-1")), directOnly},
		{
			"a button in a group",
			with(with(event("telegram", "b", "33"), in("-1")), func(e *policy.Event) { e.Kind, e.Mentioned = policy.KindButton, false }),
			directOnly,
		},
		{"in a group, not to the bot", with(with(event("telegram", "b", "33"), in("-1")), func(e *policy.Event) { e.Mentioned = false }), no},
		{"an edit in a group", with(with(event("telegram", "b", "33"), in("-1")), func(e *policy.Event) { e.Kind = policy.KindEdit }), no},
		{"a bot in a group", with(with(event("telegram", "b", "33"), in("-1")), func(e *policy.Event) { e.Sender.Bot = true }), no},
		{"an owner by pairing", event("telegram", "b", "77"), owner},
		{"a schedule of an owner by pairing", with(event("telegram", "b", "77"), func(e *policy.Event) { e.Kind = policy.KindSchedule }), owner},
		{"an owner by pairing in a group", with(event("telegram", "b", "77"), in("-1")), directOnly},
		{"an owner by pairing in a listed group", with(event("telegram", "b", "77"), in("-500")), yes(policy.LevelChat)},
		{"an owner by pairing with another bot", event("telegram", "b2", "77"), mayPair},
		{"an owner by pairing where owners are configured only", event("irc", "", "77"), no},
		{"in a listed group", with(event("telegram", "b", "33"), in("-500")), yes(policy.LevelChat)},
		{"a schedule of a group", with(with(event("telegram", "b", "33"), in("-1")), func(e *policy.Event) { e.Kind = policy.KindSchedule }), no},
		{"a bot", with(event("telegram", "b", "33"), func(e *policy.Event) { e.Sender.Bot = true }), no},
		{"a channel without rules", event("irc", "", "44"), no},
		{"a chat's own level", event("open", "", "D9"), yes(policy.LevelNone)},
		{"an owner stays one", event("telegram", "b", "11"), policy.Verdict{Allow: true, Level: policy.LevelWrite, Owner: true}},
		{"allowed anyway", event("telegram", "b", "22"), yes(policy.LevelRead)},

		{"a stranger's message", event("telegram", "b", "34"), mayPair},
		{
			"a stranger with the name of one who is paired",
			with(event("telegram", "b", "34"), func(e *policy.Event) { e.Sender.Name = "33" }), mayPair,
		},
		{"a stranger where nobody is told a code", event("quiet", "", "45"), no},
		{"paired before", event("quiet", "", "44"), yes(policy.LevelRead)},
		{"a stranger's deletion", with(event("telegram", "b", "34"), func(e *policy.Event) { e.Kind = policy.KindDelete }), no},
		{"a stranger's edit", with(event("telegram", "b", "34"), func(e *policy.Event) { e.Kind = policy.KindEdit }), no},
		{"a stranger's button", with(event("telegram", "b", "34"), func(e *policy.Event) { e.Kind = policy.KindButton }), no},
		{"a stranger's schedule", with(event("telegram", "b", "34"), func(e *policy.Event) { e.Kind = policy.KindSchedule }), no},
		{"a stranger in a group", with(event("telegram", "b", "34"), in("-1")), no},
		{"a strange bot", with(event("telegram", "b", "34"), func(e *policy.Event) { e.Sender.Bot = true }), no},
		{"a stranger without id", event("telegram", "b", ""), no},
		{"a stranger where owners only are let in", event("irc", "", "45"), no},
		{"an unknown kind", with(event("telegram", "b", "33"), func(e *policy.Event) { e.Kind = "poll" }), no},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := p.Authorize(t.Context(), tt.event)
			if got.Reason == "" {
				t.Error("the verdict gives no reason")
			}
			got.Reason = ""
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWithPairsIsAnotherPolicy: the policy that it was made from has no paired
// people.
func TestWithPairsIsAnotherPolicy(t *testing.T) {
	t.Parallel()
	p := newPolicy(t)
	e := policy.Event{
		Kind: policy.KindMessage, Address: channels.Address{Channel: "telegram", Account: "b", Chat: "33"},
		Sender: channels.Sender{ID: "33"}, Direct: true,
	}
	if !p.WithPairs(paired{"telegram:b/33"}).Authorize(t.Context(), e).Allow {
		t.Error("who is paired is refused")
	}
	if v := p.Authorize(t.Context(), e); v.Allow || v.MayPair {
		t.Errorf("without pairs: %+v", v)
	}
}

func TestPairingCodes(t *testing.T) {
	t.Parallel()
	const codes = 2000
	seen := map[string]bool{}
	letters := map[rune]int{}
	for range codes {
		code := policy.NewPairingCode()
		if len(code) != 8 {
			t.Fatalf("code %q", code)
		}
		seen[code] = true
		for _, c := range code {
			letters[c]++
		}
		typed := " " + strings.ToLower(code[:4]) + "-" + code[4:] + " "
		if got, err := policy.ParsePairingCode(typed); err != nil || got != code {
			t.Fatalf("%q is read as %q, %v", typed, got, err)
		}
	}
	if len(seen) != codes {
		t.Errorf("%d of %d codes are different", len(seen), codes)
	}
	for _, alike := range []string{"0OQ", "1IL", "2Z", "5S", "8B", "UV"} {
		n := 0
		for _, c := range alike {
			if letters[c] > 0 {
				n++
			}
		}
		if n > 1 {
			t.Errorf("codes have more than one of %s", alike)
		}
	}
	const expected = codes * 8 / 23
	for c, n := range letters {
		if n < expected/2 || n > 2*expected {
			t.Errorf("%c comes %d times, not about %d", c, n, expected)
		}
	}
}

func TestParsePairingCodeRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "ACDEFGH", "ACDEFGHJK", "ACDEFGH0", "ACDEFGHO", "ACDÉFGH", "ACDE\nFGHJ", "ÄÄÄÄ", "--------"} {
		if code, err := policy.ParsePairingCode(s); err == nil || !strings.Contains(err.Error(), "is no pairing code") {
			t.Errorf("%q is read as %q, %v", s, code, err)
		}
	}
}

func TestParsePerson(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]policy.Person{
		"telegram:42":     {Channel: "telegram", ID: "42"},
		"telegram:700/42": {Channel: "telegram", Account: "700", ID: "42"},
		"slack:T1/U22":    {Channel: "slack", Account: "T1", ID: "U22"},
		"slack:T1/T2/U22": {Channel: "slack", Account: "T1", ID: "T2/U22"},
	} {
		got, err := policy.ParsePerson(s)
		if err != nil || got != want {
			t.Errorf("%s is read as %+v, %v", s, got, err)
		}
		if got.String() != s {
			t.Errorf("%s is written as %s", s, got)
		}
	}
	for s, want := range map[string]string{
		"": "names nobody", "42": "names nobody", ":42": "names nobody", "telegram:": "names nobody", "console:": "names nobody",
		"telegram:@ann": "numeric id", "telegram:-100": "numeric id", "telegram:*": "wildcard", "slack:ann": "member id",
		"slack:T1/T2/T3/U22": "member id", "slack:T1/x/U22": "member id", "telegram:1/2/3": "numeric id",
	} {
		if who, err := policy.ParsePerson(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %+v, %v", s, who, err)
		}
	}
}
