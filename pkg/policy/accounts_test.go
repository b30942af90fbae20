package policy_test

import (
	"strings"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/policy"
)

// TestAccountsHaveTheirOwnRules: a person admitted by one account is a stranger to
// another.
func TestAccountsHaveTheirOwnRules(t *testing.T) {
	t.Parallel()
	p, err := policy.New(policy.Options{
		Owners: []string{"telegram:9", "telegram:1/8"},
		Channels: map[string]policy.ChannelRules{
			"telegram":   {Allow: []string{"33"}},
			"telegram/1": {Allow: []string{"11", "1/12"}, Groups: []string{"-5"}},
			"telegram/2": {Everyone: true, EveryMessage: true},
			"telegram/3": {},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		account, id, group string
		want               bool
	}{
		"on its account's list":        {account: "1", id: "11", want: true},
		"the same, with the account":   {account: "1", id: "12", want: true},
		"on another account's list":    {account: "3", id: "11"},
		"everyone there":               {account: "2", id: "77", want: true},
		"not everyone here":            {account: "1", id: "77"},
		"the channel's list":           {account: "4", id: "33", want: true},
		"is not an account's":          {account: "1", id: "33"},
		"in its account's group":       {account: "1", id: "77", group: "-5", want: true},
		"in the group, other account":  {account: "3", id: "77", group: "-5"},
		"owner everywhere":             {account: "3", id: "9", want: true},
		"owner on one":                 {account: "1", id: "8", want: true},
		"who is owner on one only":     {account: "3", id: "8"},
		"every message is read there":  {account: "2", id: "77", group: "-6", want: true},
		"an account without any rules": {account: "5", id: "11"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := policy.Event{
				Kind: policy.KindMessage, Address: channels.Address{Channel: "telegram", Account: tc.account, Chat: tc.id},
				Sender: channels.Sender{ID: tc.id}, Direct: tc.group == "",
			}
			if tc.group != "" {
				e.Address.Chat, e.Mentioned = tc.group, tc.account != "2"
			}
			if got := p.Authorize(t.Context(), e); got.Allow != tc.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestPeopleOfAnotherTeam: a Slack id counts within its team only. A person listed
// with the team is let in as its guest too, and no other member of another team is.
func TestPeopleOfAnotherTeam(t *testing.T) {
	t.Parallel()
	p, err := policy.New(policy.Options{
		Owners: []string{"slack:T1/U10", "slack:T2/U20", "slack:T1/T4/U40"},
		Channels: map[string]policy.ChannelRules{
			"slack":    {Allow: []string{"U11", "T1/U12", "T2/U21"}},
			"slack/T5": {Allow: []string{"U51", "T2/U52"}},
			"other":    {Allow: []string{"T2/U21"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		channel, account, id string
		want, owner          bool
	}{
		"owner of the team":                 {account: "T1", id: "U10", want: true, owner: true},
		"the same id in another team":       {account: "T2", id: "U10"},
		"the owner as a guest":              {account: "T2", id: "T1/U10", want: true, owner: true},
		"a guest with the owner's id":       {account: "T1", id: "T2/U10"},
		"owner of another team, at home":    {account: "T2", id: "U20", want: true, owner: true},
		"owner of another team, as a guest": {account: "T1", id: "T2/U20", want: true, owner: true},
		"somebody of ours with that id":     {account: "T1", id: "U20"},
		"owner as a guest of one team":      {account: "T1", id: "T4/U40", want: true, owner: true},
		"and of no other":                   {account: "T3", id: "T4/U40"},
		"nor at home":                       {account: "T4", id: "U40"},
		"listed by the id alone":            {account: "T1", id: "U11", want: true},
		"a guest with a listed id":          {account: "T1", id: "T2/U11"},
		"listed with our team":              {account: "T1", id: "U12", want: true},
		"listed with their team":            {account: "T1", id: "T2/U21", want: true},
		"their id in our team":              {account: "T1", id: "U21"},
		"their id of a third team":          {account: "T1", id: "T3/U21"},
		"listed by the account":             {account: "T5", id: "U51", want: true},
		"a guest listed by the account":     {account: "T5", id: "T2/U52", want: true},
		"that id on the account":            {account: "T5", id: "U52"},
		"elsewhere a name with a slash":     {channel: "other", account: "T1", id: "T2/U21"},
		"elsewhere the account":             {channel: "other", account: "T2", id: "U21", want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.channel == "" {
				tc.channel = "slack"
			}
			got := p.Authorize(t.Context(), policy.Event{
				Kind: policy.KindMessage, Address: channels.Address{Channel: tc.channel, Account: tc.account, Chat: "D1"},
				Sender: channels.Sender{ID: tc.id}, Direct: true,
			})
			if got.Allow != tc.want || got.Owner != tc.owner {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestNewRefusesEntriesOfOtherAccounts(t *testing.T) {
	t.Parallel()
	_, err := policy.New(policy.Options{Channels: map[string]policy.ChannelRules{"telegram/1": {Allow: []string{"2/11", "@ann"}}}})
	for _, want := range []string{`"2/11" is of another account`, `"@ann" is no user id: names can be taken over`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}
