package policy

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"
)

// How strangers ask to be let in.
const (
	// PairingTime is how long a pairing code is good. A stranger is told one code in
	// this time, however often they write.
	PairingTime = time.Hour
	// MaxPairing is how many strangers may hold a code of one account at the same time.
	MaxPairing = 50
	// PairingGrace is the guaranteed life of a code: if all codes are held, a stranger
	// without a recent code takes the place of an older one.
	PairingGrace = 10 * time.Minute
	// PairNoteTime is how long a paired person is not told again in a group that pairing
	// covers direct chats only.
	PairNoteTime = 24 * time.Hour
)

// pairingAlphabet has no two characters that look alike: it leaves out 0, 1, 2, 5, 8
// and the letters that are mistaken for them or for each other.
const (
	pairingAlphabet = "ACDEFGHJKMNPQRTWXY34679"
	pairingLen      = 8
)

// NewPairingCode returns a random code.
func NewPairingCode() string {
	const fair = 256 - 256%len(pairingAlphabet) // the bytes from here on would favour some characters
	code := make([]byte, 0, pairingLen)
	for b := make([]byte, pairingLen); len(code) < pairingLen; {
		_, _ = rand.Read(b) // it cannot fail
		for _, c := range b {
			if int(c) < fair && len(code) < pairingLen {
				code = append(code, pairingAlphabet[int(c)%len(pairingAlphabet)])
			}
		}
	}
	return string(code)
}

// ParsePairingCode reads a code as a person types it: in any case, with spaces or
// hyphens anywhere.
func ParsePairingCode(s string) (string, error) {
	code := strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(s))
	if len(code) != pairingLen || strings.Trim(code, pairingAlphabet) != "" {
		return "", fmt.Errorf("%q is no pairing code: one has %d of the characters %s", s, pairingLen, pairingAlphabet)
	}
	return code, nil
}

// Person identifies a person. An empty Account stands for every account of the
// channel.
type Person struct {
	Channel, Account, ID string
}

// ParsePerson reads CHANNEL:[ACCOUNT/]ID.
func ParsePerson(s string) (Person, error) {
	channel, rest, ok := strings.Cut(s, ":")
	if !ok || channel == "" || rest == "" {
		return Person{}, fmt.Errorf("%q names nobody: write CHANNEL:ID, such as telegram:123456789", s)
	}
	p, err := parseID(channel, rest)
	if err != nil {
		return Person{}, err
	}
	return Person{Channel: p.channel, Account: p.account, ID: p.id}, nil
}

// String is the form that [ParsePerson] reads.
func (p Person) String() string {
	if p.Account == "" {
		return p.Channel + ":" + p.ID
	}
	return p.Channel + ":" + p.Account + "/" + p.ID
}

// Pairs knows the paired people. It is asked for every event of a person whom the
// configuration does not name as an owner; it must be quick and safe for many goroutines.
type Pairs interface {
	// Paired says whether a person is paired, and whether as an owner.
	Paired(channel, account, id string) (paired, owner bool)
}

// WithPairs is the same policy, in which paired people may speak in direct chats: with
// the level of others who are allowed there, or with the rights of an owner if the
// operator gave these with the pairing. Without it there are no paired people.
func (p *Policy) WithPairs(pairs Pairs) *Policy {
	with := *p
	with.pairs = pairs
	return &with
}

// pairing returns the rights that pairing gives the sender of an event. On a channel
// without rules, which lets in owners only, it gives none.
func (p *Policy) pairing(e Event) (paired, owner bool) {
	if _, ruled := p.rulesOf(e.Address); p.pairs == nil || !ruled || e.Sender.ID == "" {
		return false, false
	}
	return p.pairs.Paired(e.Address.Channel, e.Address.Account, e.Sender.ID)
}

// unlisted decides on a person on no list; why gives the reason.
func (p *Policy) unlisted(e Event, why string) Verdict {
	paired, _ := p.pairing(e)
	v := deny(why)
	switch {
	case paired && e.Direct:
		return Verdict{Allow: true, Level: p.level(e, false), Reason: "paired"}
	case paired:
		v.DirectOnly = e.Kind == KindButton || e.Kind == KindMessage && e.Mentioned
	case e.Direct && p.pairs != nil && e.Sender.ID != "":
		r, ruled := p.rulesOf(e.Address)
		v.MayPair = e.Kind == KindMessage && ruled && !r.NoCodes
	}
	return v
}
