package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/policy"
)

func options() policy.Options {
	return policy.Options{
		Owners: []string{"console:", "telegram:11", "slack:T1/UOWNER"},
		Channels: map[string]policy.ChannelRules{
			"telegram": {Allow: []string{"22"}, Groups: []string{"-500"}},
			"slack":    {Allow: []string{"T1/U22"}},
			"open":     {Everyone: true},
			"loud":     {Everyone: true, EveryMessage: true, Direct: policy.LevelChat, Group: policy.LevelRead},
			"closed":   {},
			"quiet":    {NoCodes: true},
		},
		Chats: map[string]policy.Level{
			"telegram:-600":   policy.LevelRead,
			"telegram:-600#7": policy.LevelWrite,
			"open:D9":         policy.LevelNone,
		},
	}
}

func newPolicy(t *testing.T) *policy.Policy {
	t.Helper()
	p, err := policy.New(options())
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return p
}

func TestAuthorize(t *testing.T) {
	t.Parallel()
	p := newPolicy(t)
	direct := func(channel, account, id string) policy.Event {
		return policy.Event{
			Kind: policy.KindMessage, Address: channels.Address{Channel: channel, Account: account, Chat: id},
			Sender: channels.Sender{ID: id}, Direct: true,
		}
	}
	group := func(channel, account, chat, id string, mentioned bool) policy.Event {
		return policy.Event{
			Kind: policy.KindMessage, Address: channels.Address{Channel: channel, Account: account, Chat: chat},
			Sender: channels.Sender{ID: id}, Mentioned: mentioned,
		}
	}
	with := func(e policy.Event, f func(*policy.Event)) policy.Event { f(&e); return e }
	tests := []struct {
		name  string
		event policy.Event
		allow bool
		level policy.Level
		owner bool
	}{
		{"console", direct("console", "", ""), true, policy.LevelWrite, true},
		{"owner, direct", direct("telegram", "bot1", "11"), true, policy.LevelWrite, true},
		{"owner, on another bot", direct("telegram", "bot2", "11"), true, policy.LevelWrite, true},
		{"the owner's id on another channel", direct("closed", "", "11"), false, policy.LevelNone, false},
		{"owner of a team", direct("slack", "T1", "UOWNER"), true, policy.LevelWrite, true},
		{"same id in another team", direct("slack", "T2", "UOWNER"), false, policy.LevelNone, false},
		{"owner, in a group", group("telegram", "bot1", "-1", "11", true), true, policy.LevelChat, true},
		{"owner, in a group, not addressed", group("telegram", "bot1", "-1", "11", false), false, policy.LevelNone, true},
		{
			"a stranger with the owner's name",
			with(direct("telegram", "b", "99"), func(e *policy.Event) { e.Sender.Name = "11" }),
			false, policy.LevelNone, false,
		},
		{"allowed, direct", direct("telegram", "b", "22"), true, policy.LevelRead, false},
		{"allowed in one team only", direct("slack", "T1", "U22"), true, policy.LevelRead, false},
		{"allowed, other team", direct("slack", "T2", "U22"), false, policy.LevelNone, false},
		{"stranger", direct("telegram", "b", "33"), false, policy.LevelNone, false},
		{"empty list is nobody", direct("closed", "", "44"), false, policy.LevelNone, false},
		{"channel without rules", direct("irc", "", "44"), false, policy.LevelNone, false},
		{"everyone, direct", direct("open", "", "44"), true, policy.LevelRead, false},
		{"everyone, but no sender", direct("open", "", ""), false, policy.LevelNone, false},
		{"everyone, group, mentioned", group("open", "", "G", "44", true), true, policy.LevelChat, false},
		{"everyone, group, not mentioned", group("open", "", "G", "44", false), false, policy.LevelNone, false},
		{"every message", group("loud", "", "G", "44", false), true, policy.LevelRead, false},
		{"level of direct chats", direct("loud", "", "44"), true, policy.LevelChat, false},
		{"member of a listed group", group("telegram", "b", "-500", "33", true), true, policy.LevelChat, false},
		{
			"a direct chat is no listed group",
			with(direct("telegram", "b", "33"), func(e *policy.Event) { e.Address.Chat = "-500" }),
			false, policy.LevelNone, false,
		},
		{"level of a chat", group("telegram", "b", "-600", "22", true), true, policy.LevelRead, false},
		{
			"level of a thread",
			with(group("telegram", "b", "-600", "22", true), func(e *policy.Event) { e.Address.Thread = "7" }),
			true, policy.LevelWrite, false,
		},
		{"a chat's level lets nobody in", group("telegram", "b", "-600", "33", true), false, policy.LevelNone, false},
		{"level none still answers", direct("open", "", "D9"), true, policy.LevelNone, false},
		{"bots", with(direct("open", "", "44"), func(e *policy.Event) { e.Sender.Bot = true }), false, policy.LevelNone, false},
		{
			"a bot that is an owner", with(direct("telegram", "b", "11"), func(e *policy.Event) { e.Sender.Bot = true }),
			false, policy.LevelNone, false,
		},
		{"no channel", direct("", "", "11"), false, policy.LevelNone, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := p.Authorize(t.Context(), tt.event)
			if got.Reason == "" {
				t.Error("the verdict gives no reason")
			}
			got.Reason, got.Overheard = "", false // see TestOverheard
			want := policy.Verdict{Allow: tt.allow, Level: tt.level, Owner: tt.owner}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOverheard: only a person with the right to speak is reported as not addressing
// the bot.
func TestOverheard(t *testing.T) {
	t.Parallel()
	p := newPolicy(t)
	heard := policy.Event{
		Kind: policy.KindMessage, Address: channels.Address{Channel: "telegram", Account: "b", Chat: "-1"}, Sender: channels.Sender{ID: "22"},
	}
	for name, c := range map[string]struct {
		change func(*policy.Event)
		want   bool
	}{
		"somebody on the list":    {func(*policy.Event) {}, true},
		"an owner":                {func(e *policy.Event) { e.Sender.ID = "11" }, true},
		"a listed group's member": {func(e *policy.Event) { e.Address.Chat, e.Sender.ID = "-500", "33" }, true},
		"a stranger":              {func(e *policy.Event) { e.Sender.ID = "33" }, false},
		"a bot":                   {func(e *policy.Event) { e.Sender.Bot = true }, false},
		"addressed":               {func(e *policy.Event) { e.Mentioned = true }, false},
		"a stranger, in private":  {func(e *policy.Event) { e.Address.Chat, e.Sender.ID, e.Direct = "33", "33", true }, false},
		"somebody, in private":    {func(e *policy.Event) { e.Address.Chat, e.Direct = "22", true }, false},
	} {
		e := heard
		c.change(&e)
		if v := p.Authorize(t.Context(), e); v.Overheard != c.want || v.Overheard && v.Allow {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestAuthorizeEveryKind holds the list of kinds against the one Authorize: a
// new kind has to be placed here, and an unknown one is refused.
func TestAuthorizeEveryKind(t *testing.T) {
	t.Parallel()
	p := newPolicy(t)
	tests := map[policy.Kind]struct{ unaddressed, bot bool }{
		policy.KindMessage:  {unaddressed: false, bot: false},
		policy.KindEdit:     {unaddressed: false, bot: false},
		policy.KindDelete:   {unaddressed: false, bot: false},
		policy.KindButton:   {unaddressed: true, bot: false},
		policy.KindDecision: {unaddressed: true, bot: false},
		policy.KindSchedule: {unaddressed: true, bot: true},
		policy.KindTask:     {unaddressed: true, bot: true},
	}
	for _, k := range channels.Kinds() {
		if !slices.Contains(policy.Kinds(), policy.Kind(k)) {
			t.Errorf("kind %q of channels is unknown to policy", k)
		}
	}
	for _, kind := range policy.Kinds() {
		want, ok := tests[kind]
		if !ok {
			t.Errorf("kind %q has no case here", kind)
			continue
		}
		allowed := policy.Event{
			Kind:      kind,
			Address:   channels.Address{Channel: "telegram", Chat: "-9"},
			Sender:    channels.Sender{ID: "22"},
			Mentioned: true,
		}
		stranger, unaddressed, bot := allowed, allowed, allowed
		stranger.Sender.ID = "33"
		unaddressed.Mentioned = false
		bot.Sender.Bot = true
		if !p.Authorize(t.Context(), allowed).Allow {
			t.Errorf("%s: an allowed sender is refused", kind)
		}
		if p.Authorize(t.Context(), stranger).Allow {
			t.Errorf("%s: a stranger is let in", kind)
		}
		if got := p.Authorize(t.Context(), unaddressed).Allow; got != want.unaddressed {
			t.Errorf("%s: not addressed: allowed %v, want %v", kind, got, want.unaddressed)
		}
		if got := p.Authorize(t.Context(), bot).Allow; got != want.bot {
			t.Errorf("%s: a bot: allowed %v, want %v", kind, got, want.bot)
		}
	}
	for _, kind := range []policy.Kind{"", "poll", "MESSAGE"} {
		e := policy.Event{Kind: kind, Address: channels.Address{Channel: "console"}, Direct: true}
		if p.Authorize(t.Context(), e).Allow {
			t.Errorf("unknown kind %q is let in", kind)
		}
	}
}

func TestZeroPolicyRefusesEverybody(t *testing.T) {
	t.Parallel()
	p, err := policy.New(policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range policy.Kinds() {
		for _, channel := range []string{"console", "telegram", "slack"} {
			e := policy.Event{
				Kind:      kind,
				Address:   channels.Address{Channel: channel, Chat: "1"},
				Sender:    channels.Sender{ID: "1"},
				Direct:    true,
				Mentioned: true,
			}
			if v := p.Authorize(t.Context(), e); v.Allow || v.Level != policy.LevelNone {
				t.Errorf("%s on %s: %+v", kind, channel, v)
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		o    policy.Options
		want []string
	}{
		{"owner without channel", policy.Options{Owners: []string{"123"}}, []string{`"123"`, "telegram:123456789"}},
		{"owner by name", policy.Options{Owners: []string{"telegram:@ann"}}, []string{"@ann", "numeric id"}},
		{"negative id", policy.Options{Owners: []string{"telegram:-100"}}, []string{"-100", "numeric id"}},
		{"owner without team", policy.Options{Owners: []string{"slack:U045EF6GH"}}, []string{"slack:TEAM/USER"}},
		{"owner wildcard", policy.Options{Owners: []string{"telegram:*"}}, []string{"wildcard", "allow_everyone: true"}},
		{"empty owner id", policy.Options{Owners: []string{"telegram:"}}, []string{"no user id"}},
		{
			"allow wildcard",
			policy.Options{Channels: map[string]policy.ChannelRules{"telegram": {Allow: []string{"*"}}}},
			[]string{"telegram", "wildcard", "allow_everyone: true"},
		},
		{"allow word", policy.Options{Channels: map[string]policy.ChannelRules{"slack": {Allow: []string{"Everyone"}}}}, []string{"wildcard"}},
		{"allow prefix", policy.Options{Channels: map[string]policy.ChannelRules{"irc": {Allow: []string{"ann*"}}}}, []string{"wildcard"}},
		{"allow name", policy.Options{Channels: map[string]policy.ChannelRules{"slack": {Allow: []string{"ann"}}}}, []string{"member id"}},
		{
			"group wildcard",
			policy.Options{Channels: map[string]policy.ChannelRules{"telegram": {Groups: []string{"*"}}}},
			[]string{"group", "wildcard"},
		},
		{
			"group by name",
			policy.Options{Channels: map[string]policy.ChannelRules{"telegram": {Groups: []string{"@club"}}}},
			[]string{"@club", "numeric id"},
		},
		{
			"group without its sign",
			policy.Options{Channels: map[string]policy.ChannelRules{"telegram/7": {Groups: []string{"500"}}}},
			[]string{"500", "begins with -"},
		},
		{
			"group of Slack by name",
			policy.Options{Channels: map[string]policy.ChannelRules{"slack": {Groups: []string{"#general"}}}},
			[]string{"#general", "channel id"},
		},
		{"no group", policy.Options{Channels: map[string]policy.ChannelRules{"irc": {Groups: []string{""}}}}, []string{"no group id"}},
		{
			"bad level",
			policy.Options{Channels: map[string]policy.ChannelRules{"telegram": {Direct: "root"}}},
			[]string{`"root"`, "none, chat, read, write, exec"},
		},
		{"bad place", policy.Options{Chats: map[string]policy.Level{"everywhere": policy.LevelRead}}, []string{"everywhere", "CHANNEL:CHAT"}},
		{"bad level of a place", policy.Options{Chats: map[string]policy.Level{"telegram:1": "all"}}, []string{`"all"`}},
		{"all at once", policy.Options{Owners: []string{"a", "telegram:*"}}, []string{`"a"`, `"*"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := policy.New(tt.o)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	all := policy.Levels()
	for i, a := range all {
		for j, b := range all {
			if got := a.Allows(b); got != (i >= j) {
				t.Errorf("%s.Allows(%s) = %v", a, b, got)
			}
			if got := policy.Lowest(a, b); got != all[min(i, j)] {
				t.Errorf("Lowest(%s, %s) = %s", a, b, got)
			}
		}
		if got, err := policy.ParseLevel(string(a)); got != a || err != nil {
			t.Errorf("ParseLevel(%s) = %s, %v", a, got, err)
		}
		if policy.Level("root").Allows(a) || a.Allows("root") {
			t.Errorf("an unknown level stands beside %s", a)
		}
		if got := policy.Lowest(a, "root"); got != policy.LevelNone {
			t.Errorf("Lowest(%s, root) = %s", a, got)
		}
	}
	if got := policy.Lowest(); got != policy.LevelNone {
		t.Errorf("Lowest() = %s", got)
	}
	if _, err := policy.ParseLevel("Write"); err == nil {
		t.Error("ParseLevel accepts another spelling")
	}
}
