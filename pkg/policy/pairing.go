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
	// MaxPairing is how many strangers may hold a code at the same time.
	MaxPairing = 50
)

// pairingAlphabet has no two characters that look alike: no 0, 1, 2, 5 and 8 and
// none of the letters that are taken for them or for each other.
const (
	pairingAlphabet = "ACDEFGHJKMNPQRTWXY34679"
	pairingLen      = 8
)

// NewPairingCode returns a random code.
func NewPairingCode() string {
	const fair = 256 - 256%len(pairingAlphabet) // the bytes from here on would favour some characters
	code := make([]byte, 0, pairingLen)
	for b := make([]byte, pairingLen); len(code) < pairingLen; {
		_, _ = rand.Read(b) // it never fails
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

// Person is who somebody is. An empty Account stands for every account of the channel.
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

// Pairs knows who is paired. It is asked for every event of somebody who is on no
// list; it must be quick and safe for many goroutines.
type Pairs interface {
	Paired(channel, account, id string) bool
}

// WithPairs is the same policy, in which who is paired may speak in direct chats
// with the level of others who are allowed there. Without it nobody is paired.
func (p *Policy) WithPairs(pairs Pairs) *Policy {
	with := *p
	with.pairs = pairs
	return &with
}

// unlisted decides on somebody who is on no list, which is why.
func (p *Policy) unlisted(e Event, why string) Verdict {
	r, ruled := p.rulesOf(e.Address)
	if p.pairs == nil || !ruled || !e.Direct || e.Sender.ID == "" {
		return deny(why)
	}
	if p.pairs.Paired(e.Address.Channel, e.Address.Account, e.Sender.ID) {
		return Verdict{Allow: true, Level: p.level(e, false), Reason: "paired"}
	}
	v := deny(why)
	v.MayPair = e.Kind == KindMessage && !r.NoCodes
	return v
}
