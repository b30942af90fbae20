package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/pkg/channels"
)

// Kind is the kind of event that asks to start a turn.
type Kind string

// The kinds of [Event].
const (
	KindMessage  = Kind(channels.KindMessage)
	KindEdit     = Kind(channels.KindEdit)
	KindButton   = Kind(channels.KindButton)
	KindDelete   = Kind(channels.KindDelete)
	KindSchedule = Kind("schedule")
	KindTask     = Kind("task")
	KindDecision = Kind("decision")
)

// Kinds lists every kind, for tests that must cover them all.
func Kinds() []Kind {
	return []Kind{KindMessage, KindEdit, KindButton, KindDelete, KindSchedule, KindTask, KindDecision}
}

// Options are the operator's decisions. The zero value admits no one.
type Options struct {
	// Owners are CHANNEL:[ACCOUNT/]ID; "console:" is the person at the console. With a
	// Slack team as the account it is also that person as a guest of another team.
	Owners []string
	// Channels are the rules by channel name, or by CHANNEL/ACCOUNT for one account,
	// which then replace those of the channel. A channel without rules lets in owners
	// only.
	Channels map[string]ChannelRules
	// Chats overrides the level by [Place]. The most exact place wins, and the chat's
	// present id comes before a former one. It admits no further people.
	Chats map[string]Level
}

// ChannelRules are the rules of one channel, or of one account.
type ChannelRules struct {
	// Everyone lets in every sender.
	Everyone bool
	// Allow lists user ids, as [ACCOUNT/]ID; TEAM/ID lets in that person also as the
	// guest of another Slack team, and an ID alone no guest.
	Allow []string
	// Groups lists the ids of group chats in which every member may speak.
	Groups []string
	// EveryMessage also answers group messages that are not addressed to the bot.
	EveryMessage bool
	// NoCodes gives strangers no code, which ends further pairing.
	NoCodes bool
	// Direct and Group are the levels of people other than owners, and of groups; empty:
	// read and chat.
	Direct, Group Level
}

// Event asks to start a turn. For a schedule or a task, Sender is its creator, and
// Direct says whether it was created in a direct chat.
type Event struct {
	Kind    Kind
	Address channels.Address
	Sender  channels.Sender
	// Direct means that only this sender and the bot are in the chat.
	Direct bool
	// Mentioned means that a group's message speaks to the bot.
	Mentioned bool
}

// Verdict is the decision on an [Event].
type Verdict struct {
	Allow bool
	// Level is the most that the event's turn may use; [LevelNone] unless Allow.
	Level Level
	// Owner says that the sender is an owner.
	Owner bool
	// MayPair says that the sender is a stranger with the right to ask for a code. Allow
	// is then false.
	MayPair bool
	// DirectOnly says that the sender is paired, which covers direct chats, and spoke
	// to the bot in a group: Allow is false, and the sender may be told why.
	DirectOnly bool
	// Overheard says that the sender may speak here, but the message does not address the
	// bot. Allow is false for this reason alone.
	Overheard bool
	// Reason is for the log, without message text.
	Reason string
}

// Policy decides. It is immutable and may be used from many goroutines; the paired
// people are looked up for each event.
type Policy struct {
	owners   []principal
	channels map[string]rules
	chats    []chatLevel
	pairs    Pairs
	moves    Moves
}

type rules struct {
	ChannelRules
	allow []principal
}

type chatLevel struct {
	place Place
	level Level
}

// New checks the options; all that is wrong with them is reported together.
func New(o Options) (*Policy, error) {
	p := &Policy{channels: map[string]rules{}}
	var errs []error
	for _, s := range o.Owners {
		owner, err := parseOwner(s)
		errs = append(errs, err)
		p.owners = append(p.owners, owner)
	}
	for name, cr := range o.Channels {
		r, err := newRules(name, cr)
		errs = append(errs, err)
		p.channels[name] = r
	}
	for s, level := range o.Chats {
		place, err := ParsePlace(s)
		_, levelErr := ParseLevel(string(level))
		errs = append(errs, err, levelErr)
		p.chats = append(p.chats, chatLevel{place: place, level: level})
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return p, nil
}

func newRules(name string, cr ChannelRules) (rules, error) {
	var errs []error
	if cr.Direct == "" {
		cr.Direct = LevelRead
	}
	if cr.Group == "" {
		cr.Group = LevelChat
	}
	for _, l := range []Level{cr.Direct, cr.Group} {
		if _, err := ParseLevel(string(l)); err != nil {
			errs = append(errs, fmt.Errorf("channel %s: %w", name, err))
		}
	}
	r := rules{ChannelRules: cr}
	channel, account, _ := strings.Cut(name, "/")
	for _, g := range cr.Groups {
		if err := CheckGroup(channel, g); err != nil {
			errs = append(errs, fmt.Errorf("channel %s: groups: %w", name, err))
		}
	}
	for _, s := range cr.Allow {
		who, err := parseID(channel, s)
		if err == nil && channel != slackChannel && account != "" && who.account != "" && who.account != account {
			err = fmt.Errorf("%q is of another account", s)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("channel %s: allow: %w", name, err))
		}
		r.allow = append(r.allow, who)
	}
	return r, errors.Join(errs...)
}

// Authorize decides on one event. It is the only place that does: for messages,
// edits, deletions, buttons, due schedules, finished tasks and approval decisions alike.
func (p *Policy) Authorize(_ context.Context, e Event) Verdict {
	personal := false // started by a person just now, not by the gateway on a person's behalf
	addressed := e.Mentioned
	switch e.Kind {
	case KindMessage, KindEdit, KindDelete:
		personal = true
	case KindButton, KindDecision:
		personal, addressed = true, true // pressed on the bot's own message
	case KindSchedule, KindTask:
		addressed = true // asked for earlier by its creator
	default:
		return deny("unknown kind of event " + string(e.Kind))
	}
	if e.Address.Channel == "" {
		return deny("the event has no channel")
	}
	if personal && e.Sender.Bot {
		return deny("the sender is a bot")
	}
	owner := p.isOwner(e)
	if !owner && e.Direct {
		_, owner = p.pairing(e)
	}
	if !owner {
		if reason := p.refuses(e); reason != "" {
			return p.unlisted(e, reason)
		}
	}
	r, _ := p.rulesOf(e.Address)
	if !e.Direct && !addressed && !r.EveryMessage {
		return Verdict{Level: LevelNone, Owner: owner, Overheard: true, Reason: "a group message that does not speak to the bot"}
	}
	return Verdict{Allow: true, Level: p.level(e, owner), Owner: owner, Reason: "allowed"}
}

func deny(reason string) Verdict { return Verdict{Level: LevelNone, Reason: reason} }

// rulesOf finds the rules of an account, or else of its channel.
func (p *Policy) rulesOf(a channels.Address) (rules, bool) {
	if r, ok := p.channels[a.Channel+"/"+a.Account]; ok {
		return r, true
	}
	r, ok := p.channels[a.Channel]
	return r, ok
}

func (p *Policy) isOwner(e Event) bool {
	for _, o := range p.owners {
		if o.channel == consoleChannel && o.id == "" && e.Address.Channel == consoleChannel {
			return true
		}
		if e.Sender.ID != "" && o.matches(e.Address.Channel, e.Address.Account, e.Sender.ID) {
			return true
		}
	}
	return false
}

// refuses gives the reason why a person other than an owner may not speak, or "".
func (p *Policy) refuses(e Event) string {
	if e.Sender.ID == "" {
		return "the event has no sender"
	}
	r, ok := p.rulesOf(e.Address)
	if !ok {
		return "the channel lets in owners only"
	}
	if r.Everyone {
		return ""
	}
	for _, who := range r.allow {
		if who.matches(e.Address.Channel, e.Address.Account, e.Sender.ID) {
			return ""
		}
	}
	listed := func(a channels.Address) bool { return slices.Contains(r.Groups, a.Chat) }
	if !e.Direct && slices.ContainsFunc(p.Addresses(e.Address), listed) {
		return ""
	}
	return "the sender is not on the allow list"
}

// Rights are the level of an event's turn if its sender may speak, and whether the
// sender is an owner. They admit no sender: [Policy.Authorize] does.
func (p *Policy) Rights(e Event) (level Level, owner bool) {
	owner = p.isOwner(e)
	return p.level(e, owner), owner
}

func (p *Policy) level(e Event, owner bool) Level {
	for _, a := range p.Addresses(e.Address) {
		best, weight := Level(""), -1
		for _, c := range p.chats {
			if c.place.Governs(a) && c.place.Weight() > weight {
				best, weight = c.level, c.place.Weight()
			}
		}
		if best != "" {
			return best
		}
	}
	r, ok := p.rulesOf(e.Address)
	if !ok {
		r.Direct, r.Group = LevelRead, LevelChat
	}
	switch {
	case !e.Direct:
		return r.Group
	case owner:
		return LevelWrite
	default:
		return r.Direct
	}
}
