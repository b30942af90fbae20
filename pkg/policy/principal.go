package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// consoleChannel is the one channel whose user needs no id: the person who can start
// the gateway on its own machine is its operator.
const consoleChannel = "console"

// consoleChat is the name of that person, and of their usual conversation.
const consoleChat = "local"

// webChannel is the page and the HTTP API. People of other channels may come to it, so that
// its senders are named CHANNEL:ID: web:ada is the sender of the person ada of its own.
const webChannel = "web"

// slackChannel is the one channel where people of other accounts write: in Slack
// Connect those of another team are in a channel of ours. Their Sender.ID is TEAM/USER.
const slackChannel = "slack"

// principal identifies a person. An empty account stands for every account of the
// channel.
type principal struct {
	channel, account, id string
}

// matches says whether somebody with an id on an account is the principal. One of a
// Slack team is the same person as its guest on the account of another team; but an id
// alone is one of the account's own team.
func (p principal) matches(channel, account, id string) bool {
	switch {
	case p.channel != channel:
		return false
	case p.id == id, channel == webChannel && id == webChannel+":"+p.id:
		return p.account == "" || p.account == account
	default:
		return channel == slackChannel && p.account != "" && p.account+"/"+p.id == id
	}
}

// parseOwner reads CHANNEL:[ACCOUNT/]ID.
func parseOwner(s string) (principal, error) {
	channel, rest, ok := strings.Cut(s, ":")
	if !ok || channel == "" {
		return principal{}, fmt.Errorf("owner %q: write CHANNEL:ID, such as telegram:123456789 or slack:T012AB3CD/U045EF6GH", s)
	}
	if channel == consoleChannel && rest == "" {
		return principal{channel: channel}, nil
	}
	p, err := parseID(channel, rest)
	if err != nil {
		return principal{}, fmt.Errorf("owner %q: %w", s, err)
	}
	if channel == slackChannel && p.account == "" {
		return principal{}, fmt.Errorf("owner %q: a Slack user id is unique within its team only: write slack:TEAM/USER", s)
	}
	return p, nil
}

// parseID reads [ACCOUNT/]ID of one channel and refuses text that cannot be an id
// there. An ID with a TEAM/ of its own is that of a guest on one account only.
func parseID(channel, s string) (principal, error) {
	if isWildcard(s) {
		return principal{}, fmt.Errorf("%q is a wildcard: list ids, or set allow_everyone: true for this channel", s)
	}
	p := principal{channel: channel, id: s}
	if account, id, ok := strings.Cut(s, "/"); ok {
		p.account, p.id = account, id
	}
	if form, cure := idForm(channel); !form.MatchString(p.id) {
		return principal{}, fmt.Errorf("%q is no user id: %s", p.id, cure)
	}
	return p, nil
}

func isWildcard(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "all", "any", "anyone", "everyone", "everybody":
		return true
	}
	return strings.ContainsAny(s, "*?")
}

func idForm(channel string) (form *regexp.Regexp, cure string) {
	switch channel {
	case "telegram":
		return regexp.MustCompile(`^[1-9][0-9]{0,18}$`),
			"names can be taken over by others; write the account's numeric id"
	case slackChannel:
		return regexp.MustCompile(`^([TE][A-Z0-9]+/)?[UW][A-Z0-9]{2,}$`),
			"names can be taken over by others; write the member id (U…) from the member's profile"
	default:
		return regexp.MustCompile(`^[^\s@/:]+$`), "write the id that the platform uses, without @ and spaces"
	}
}

// CheckGroup reports the mistake in an entry of a channel's [ChannelRules].Groups.
func CheckGroup(channel, s string) error {
	if isWildcard(s) {
		return fmt.Errorf("group %q is a wildcard: list group ids, or set allow_everyone: true", s)
	}
	if form, cure := groupForm(channel); !form.MatchString(s) {
		return fmt.Errorf("%q is no group id: %s", s, cure)
	}
	return nil
}

func groupForm(channel string) (form *regexp.Regexp, cure string) {
	switch channel {
	case "telegram":
		return regexp.MustCompile(`^-[1-9][0-9]{0,18}$`),
			"names can be taken over by others; write the group's numeric id, which begins with -"
	case slackChannel:
		return regexp.MustCompile(`^[CG][A-Z0-9]+$`),
			"names can be taken over by others; write the channel id (C…) from the channel's details"
	default:
		return regexp.MustCompile(`^[^\s@/:]+$`), "write the id that the platform uses, without @ and spaces"
	}
}

// CheckOwner reports the mistake in an entry of [Options].Owners; channels are the
// existing ones. An owner of any other channel could never write.
func CheckOwner(s string, channels []string) error {
	if name, _, ok := strings.Cut(s, ":"); ok && name != "" && !slices.Contains(channels, name) {
		return fmt.Errorf("owner %q: %w", s, noChannel(name, channels))
	}
	p, err := parseOwner(s)
	switch {
	case err != nil:
		return err
	case p.channel == consoleChannel:
		return fmt.Errorf("owner %q: the console has the rights of an owner already: take it out", s)
	}
	if err := checkAccount(p.channel, p.account); err != nil {
		return fmt.Errorf("owner %q: %w", s, err)
	}
	return nil
}

func noChannel(name string, channels []string) error {
	return fmt.Errorf("there is no channel %q: write one of %s", name, strings.Join(channels, ", "))
}

// checkAccount reports the mistake in an account in front of an id. An empty one
// stands for every account.
func checkAccount(channel, account string) error {
	var form, cure string
	switch channel {
	case "telegram":
		form, cure = `^([1-9][0-9]{0,18})?$`, "is no bot: write its id, the number before the colon of its token"
	case slackChannel:
		form, cure = `^([TE][A-Z0-9]+)?$`, "is no team: write its id, such as T012AB3CD"
	default:
		return nil
	}
	if !regexp.MustCompile(form).MatchString(account) {
		return fmt.Errorf("%q %s", account, cure)
	}
	return nil
}

// CheckUser reports the mistake in an entry of a channel's [ChannelRules].Allow.
func CheckUser(channel, s string) error {
	p, err := parseID(channel, s)
	switch {
	case err != nil:
		return err
	case channel != slackChannel && strings.Contains(s, "/"):
		return fmt.Errorf("%q: this list is of one account: write %s alone", s, p.id)
	default:
		return checkAccount(channel, p.account)
	}
}
