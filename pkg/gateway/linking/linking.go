package linking

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
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

// Options are the parts that a [Linking] works with.
type Options struct {
	// Channel is that of the page itself, whose chats need no link.
	Channel string
	// Links are those of the store; nil for a gateway without a page.
	Links session.Links
	// Allowed says whether a person may still speak in a chat. It is asked whenever a link is used.
	Allowed func(at channels.Address, by channels.Sender, direct bool) bool
	// Note tells the audit log of a link that was made or ended, and by which way.
	Note func(l *session.Link, outcome Outcome, by string)
	Log  zerolog.Logger
}

// Outcome is what has happened to a link.
type Outcome string

// The outcomes.
const (
	Shown Outcome = "shown"
	Ended Outcome = "ended"
)

// Linking has the codes, and answers by the links of the store. [New] makes it. It is safe for
// many goroutines.
type Linking struct {
	o       Options
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

// New is without codes.
func New(o Options) *Linking { return &Linking{o: o} }

// Link answers /link.
func (l *Linking) Link(_ context.Context, t *turn.Turn, _ string) (turn.Reply, error) {
	var said string
	switch at := t.Origin.Address; {
	case l.o.Links == nil:
		said = textNoPage
	case at.Channel == l.o.Channel:
		said = textOnPage
	default:
		said = fmt.Sprintf(textCode, l.offer(at, t.Principal.Sender, t.Principal.Direct), t.Typed("unlink"))
	}
	return answered(said), nil
}

// Unlink answers /unlink.
func (l *Linking) Unlink(ctx context.Context, t *turn.Turn, _ string) (turn.Reply, error) {
	at := t.Origin.Address
	if l.o.Links == nil {
		return answered(textNoPage), nil
	}
	l.drop(func(c *code) bool { return c.at == at })
	ended, err := l.o.Links.EndLinks(ctx, func(link *session.Link) bool { return link.Address == at })
	if err != nil {
		return turn.Reply{}, err
	}
	if len(ended) == 0 {
		return answered(fmt.Sprintf(textNotThere, t.Typed("link"))), nil
	}
	l.note(ended, Ended, "/unlink of "+t.Principal.Sender.ID)
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

func (l *Linking) note(all []session.Link, outcome Outcome, by string) {
	for i := range all {
		l.o.Note(&all[i], outcome, by)
	}
}

// take returns the chat of a code, which is over from then on, unless it is that of a group and
// its holder is no owner. The code of a person who may no longer speak in the chat is wrong.
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
	return found, ok && l.o.Allowed(found.at, found.by, found.direct)
}

// put stores the link of a code for the caller of a request. Where the caller's credential ended
// meanwhile, all links of the person have ended, and this one does too.
func (l *Linking) put(ctx context.Context, c *code, who policy.Person) (string, error) {
	link := session.Link{
		ID: idHead + strings.ToLower(rand.Text()[:idLen]), Address: c.at, Person: who.String(), By: c.by, Direct: c.direct,
		Created: time.Now().UTC().Truncate(time.Second),
	}
	before, _, replaces := l.o.Links.LinkAt(c.at)
	err := l.o.Links.PutLink(ctx, link)
	if ctx.Err() != nil {
		_, undone := l.o.Links.EndLinks(context.WithoutCancel(ctx), func(other *session.Link) bool { return other.ID == link.ID })
		return "", errors.Join(context.Cause(ctx), undone)
	}
	if err != nil {
		return "", err
	}
	if replaces {
		l.o.Note(&before, Ended, "the code of another page")
	}
	l.o.Note(&link, Shown, "a code that "+link.By.ID+" asked for")
	return link.ID, nil
}

// The ids of linked chats on the page: those of a person's own chats there do not have this form.
const (
	idHead = channels.LinkedID
	idLen  = 16
)

// ID says whether a chat of the page is one of another channel, by its id.
func (*Linking) ID(id string) bool {
	return strings.HasPrefix(id, idHead) && len(id) == len(idHead)+idLen
}

// Person is the one on whose page a chat of another channel is, or "".
func (l *Linking) Person(at channels.Address) string {
	if l.o.Links == nil {
		return ""
	}
	if link, _, ok := l.o.Links.LinkAt(at); ok && l.allowed(&link) {
		return link.Person
	}
	return ""
}

// allowed says whether the person who asked for the code of a link may still speak in its chat.
func (l *Linking) allowed(link *session.Link) bool {
	return l.o.Allowed(link.Address, link.By, link.Direct)
}

// Chat finds a chat by its id on the page of a caller, with a context that ends with its link.
func (l *Linking) Chat(c *httpd.Caller, id string) (channels.Address, context.Context, bool) {
	if l.o.Links == nil {
		return channels.Address{}, nil, false
	}
	all := l.Chats(c)
	for i := range all {
		if all[i].ID == id {
			link, valid, ok := l.o.Links.LinkAt(all[i].Address)
			return link.Address, valid, ok && link.ID == id
		}
	}
	return channels.Address{}, nil, false
}

// Chats are the chats of other channels on the page of a caller, the oldest link first.
func (l *Linking) Chats(c *httpd.Caller) []session.Link {
	if l.o.Links == nil {
		return nil
	}
	var all []session.Link
	of := l.o.Links.LinksOf(c.Person.String())
	for i := range of {
		if (of[i].Direct || c.Owner) && l.allowed(&of[i]) {
			all = append(all, of[i])
		}
	}
	return all
}
