package policy_test

import (
	"strings"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/policy"
)

// TestAccountsHaveTheirOwnRules: whoever one account lets in, another does not.
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

func TestNewRefusesEntriesOfOtherAccounts(t *testing.T) {
	t.Parallel()
	_, err := policy.New(policy.Options{Channels: map[string]policy.ChannelRules{"telegram/1": {Allow: []string{"2/11", "@ann"}}}})
	for _, want := range []string{`"2/11" is of another account`, `"@ann" is no user id: names can be taken over`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}
