package linking

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// The bounds of codes.
const (
	// CodeTime is how long a code is good.
	CodeTime = 5 * time.Minute
	// So many codes are good at a time; the oldest gives way. A chat has one, and a person
	// mostPerPerson.
	mostCodes     = 1000
	mostPerPerson = 5
)

// Linking has the codes, and answers by the links of the store. [New] makes it. It is safe for
// many goroutines.
type Linking struct {
	own     string // the channel of the page
	links   session.Links
	log     zerolog.Logger
	delayed httpd.Delayed

	mu    sync.Mutex
	codes []code // the oldest first
}

// code is a code that was shown in a chat.
type code struct {
	hash   [sha256.Size]byte
	at     channels.Address
	by     channels.Sender
	direct bool
	ends   time.Time
}

// New is without codes. The channel is that of the page itself, whose chats need no link. Nil
// links are those of a gateway without a page.
func New(channel string, links session.Links, log zerolog.Logger) *Linking {
	return &Linking{own: channel, links: links, log: log}
}

// Link answers /link.
func (l *Linking) Link(_ context.Context, t *turn.Turn, _ string) (turn.Reply, error) {
	var said string
	switch at := t.Origin.Address; {
	case l.links == nil:
		said = textNoPage
	case at.Channel == l.own:
		said = textOnPage
	default:
		said = fmt.Sprintf(textCode, l.offer(at, t.Principal.Sender, t.Principal.Direct), t.Typed("unlink"))
	}
	return answered(said), nil
}

// Unlink answers /unlink.
func (l *Linking) Unlink(ctx context.Context, t *turn.Turn, _ string) (turn.Reply, error) {
	at := t.Origin.Address
	if l.links == nil {
		return answered(textNoPage), nil
	}
	l.drop(func(c *code) bool { return c.at == at })
	ended, err := l.links.EndLinks(ctx, func(link *session.Link) bool { return link.Address == at })
	if err != nil {
		return turn.Reply{}, err
	}
	if len(ended) == 0 {
		return answered(fmt.Sprintf(textNotThere, t.Typed("link"))), nil
	}
	return answered(textUnlinked), nil
}

func answered(text string) turn.Reply {
	return turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}, Text: text}
}

// offer is a new code for a chat, in place of the one that it has.
func (l *Linking) offer(at channels.Address, by channels.Sender, direct bool) string {
	said := policy.NewPairingCode()
	l.drop(func(c *code) bool { return c.at == at })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.yield(func(c *code) bool {
		return c.by.ID == by.ID && c.at.Channel == at.Channel && c.at.Account == at.Account
	}, mostPerPerson)
	l.yield(func(*code) bool { return true }, mostCodes)
	l.codes = append(l.codes, code{hash: sha256.Sum256([]byte(said)), at: at, by: by, direct: direct, ends: time.Now().Add(CodeTime)})
	return said
}

// yield makes room for one more of some codes: the oldest of them goes. The lock is held.
func (l *Linking) yield(one func(*code) bool, most int) {
	oldest, have := -1, 0
	for i := range l.codes {
		if one(&l.codes[i]) {
			if have++; oldest < 0 {
				oldest = i
			}
		}
	}
	if have >= most {
		l.codes = append(l.codes[:oldest:oldest], l.codes[oldest+1:]...)
	}
}

// drop forgets codes, and those that are over.
func (l *Linking) drop(one func(*code) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, kept := time.Now(), []code(nil)
	for i := range l.codes {
		if c := &l.codes[i]; now.Before(c.ends) && !one(c) {
			kept = append(kept, *c)
		}
	}
	l.codes = kept
}

// take returns the chat of a code, which is over from then on, unless it is that of a group and
// its holder is no owner.
func (l *Linking) take(said string, owner bool) (found code, ok bool) {
	said, err := policy.ParsePairingCode(said)
	if err != nil {
		return code{}, false
	}
	hash := sha256.Sum256([]byte(said))
	l.drop(func(c *code) bool {
		if c.hash != hash {
			return false
		}
		found, ok = *c, true
		return c.direct || owner
	})
	return found, ok
}

// put stores the link of a code for a person.
func (l *Linking) put(ctx context.Context, c *code, who policy.Person) (string, error) {
	link := session.Link{
		ID: idHead + strings.ToLower(rand.Text()[:idLen]), Address: c.at, Person: who.String(), By: c.by, Direct: c.direct,
		Created: time.Now().UTC().Truncate(time.Second),
	}
	return link.ID, l.links.PutLink(ctx, link)
}

// The ids of linked chats on the page: those of a person's own chats there do not have this form.
const (
	idHead = "link-"
	idLen  = 16
)

// ID says whether a chat of the page is one of another channel, by its id.
func (*Linking) ID(id string) bool {
	return strings.HasPrefix(id, idHead) && len(id) == len(idHead)+idLen
}

// Person is the one on whose page a chat of another channel is, or "".
func (l *Linking) Person(at channels.Address) string {
	if l.links == nil {
		return ""
	}
	link, _, _ := l.links.LinkAt(at)
	return link.Person
}

// Chat finds a chat by its id on the page of a caller, with a context that ends with its link.
func (l *Linking) Chat(c *httpd.Caller, id string) (channels.Address, context.Context, bool) {
	if l.links == nil {
		return channels.Address{}, nil, false
	}
	all := l.Chats(c)
	for i := range all {
		if all[i].ID == id {
			link, valid, ok := l.links.LinkAt(all[i].Address)
			return link.Address, valid, ok && link.ID == id
		}
	}
	return channels.Address{}, nil, false
}

// Chats are the chats of other channels on the page of a caller, the oldest link first.
func (l *Linking) Chats(c *httpd.Caller) []session.Link {
	if l.links == nil {
		return nil
	}
	var all []session.Link
	of := l.links.LinksOf(c.Person.String())
	for i := range of {
		if of[i].Direct || c.Owner {
			all = append(all, of[i])
		}
	}
	return all
}
