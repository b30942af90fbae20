package login

import (
	"context"
	"crypto/sha256"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/httpd"
	"parley/pkg/policy"
)

// The times and the bounds of a door.
const (
	// LinkTime is how long a link is good.
	LinkTime = 5 * time.Minute
	// So many links are good at a time; the oldest gives way.
	maxLinks = 16
)

// Operator is the person in whose name the operator's own browser acts.
func Operator() policy.Person { return policy.Person{Channel: "web", ID: "operator"} }

// ErrUnknown says that no browser waits with a code.
var ErrUnknown = errors.New("login: no browser waits with this code")

// Options are the parts that a [Door] works with; all are required.
type Options struct {
	// Begin stores a session of a person and returns the secret of its cookie. The note
	// tells the browser.
	Begin func(ctx context.Context, who policy.Person, note string) (secret string, expires time.Time, err error)
	// End ends the session of a credential.
	End func(ctx context.Context, credential string) error
	// CookieName is the name of the session's cookie for pages of an origin.
	CookieName func(origin string) string
	Log        zerolog.Logger
}

// Door lets browsers in. [New] makes it. It is safe for many goroutines.
type Door struct {
	o Options

	delayed httpd.Delayed

	// entering is held for reading while a browser gets its session.
	entering sync.RWMutex

	mu    sync.Mutex
	links map[[sha256.Size]byte]time.Time // the hash of a code, and its end
	asks  map[[sha256.Size]byte]*ask      // by the hash of a browser's cookie
}

// ask is a browser that waits to be let in.
type ask struct {
	Waiting

	letIn *policy.Person // nil until the operator has approved it
}

// Waiting is a browser that waits for the operator.
type Waiting struct {
	Code string
	// Who is claimed by the browser, and not yet confirmed by the operator.
	Who            policy.Person
	Asked, Expires time.Time
}

// New is a door without a browser at it.
func New(o Options) *Door {
	return &Door{o: o, links: map[[sha256.Size]byte]time.Time{}, asks: map[[sha256.Size]byte]*ask{}}
}

// Link returns the code of a new link for the operator's own browser.
func (d *Door) Link() (code string, expires time.Time) {
	code, hash := httpd.NewSession()
	expires = time.Now().Add(LinkTime)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	for len(d.links) >= maxLinks {
		var oldest [sha256.Size]byte
		first := time.Time{}
		for h, end := range d.links {
			if first.IsZero() || end.Before(first) {
				oldest, first = h, end
			}
		}
		delete(d.links, oldest)
	}
	d.links[hash] = expires
	return code, expires
}

// takeLink is the operator if a code is that of a link, which is over from then on, else nil.
func (d *Door) takeLink(code string) *policy.Person {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	hash, who := sha256.Sum256([]byte(code)), Operator()
	if _, ok := d.links[hash]; !ok {
		return nil
	}
	delete(d.links, hash)
	return &who
}

// sweep forgets what is over; the lock is held.
func (d *Door) sweep() {
	now := time.Now()
	for h, end := range d.links {
		if !now.Before(end) {
			delete(d.links, h)
		}
	}
	for h, a := range d.asks {
		if !now.Before(a.Expires) {
			delete(d.asks, h)
		}
	}
}

// name is the form of a person's name: a part of an address, told aloud.
var name = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// personNamed is the person whom a name on the page means.
func personNamed(said string) (policy.Person, string) {
	said = strings.ToLower(strings.TrimSpace(said))
	switch {
	case !name.MatchString(said):
		return policy.Person{}, textName
	case said == Operator().ID:
		return policy.Person{}, textReserved
	}
	return policy.Person{Channel: Operator().Channel, ID: said}, ""
}

// knock shows a browser a code: the one that it has, or a new one with the text of a new
// cookie. Ok is false while too many wait.
func (d *Door) knock(who policy.Person, cookie string) (w Waiting, fresh string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	if a, known := d.asks[sha256.Sum256([]byte(cookie))]; known && a.Who == who {
		return a.Waiting, "", true
	}
	delete(d.asks, sha256.Sum256([]byte(cookie)))
	now := time.Now()
	if len(d.asks) >= policy.MaxPairing && !d.yield(now) {
		return Waiting{}, "", false
	}
	fresh, hash := httpd.NewSession()
	a := &ask{Waiting: Waiting{Code: policy.NewPairingCode(), Who: who, Asked: now, Expires: now.Add(policy.PairingTime)}}
	d.asks[hash] = a
	return a.Waiting, fresh, true
}

// yield makes room for one more browser: the oldest goes that has had its time. The lock is
// held.
func (d *Door) yield(now time.Time) bool {
	var oldest *ask
	var at [sha256.Size]byte
	for h, a := range d.asks {
		if a.letIn == nil && (oldest == nil || a.Asked.Before(oldest.Asked)) {
			oldest, at = a, h
		}
	}
	if oldest == nil || now.Sub(oldest.Asked) < policy.PairingGrace {
		return false
	}
	delete(d.asks, at)
	return true
}

// Waiting are the browsers that wait, the oldest first.
func (d *Door) Waiting() []Waiting {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	var all []Waiting
	for _, a := range d.asks {
		if a.letIn == nil {
			all = append(all, a.Waiting)
		}
	}
	slices.SortFunc(all, func(a, b Waiting) int { return a.Asked.Compare(b.Asked) })
	return all
}

// Approve lets in the browser that shows a code as a person; the zero one is the person that
// it says it is. [ErrUnknown]: there is none.
func (d *Door) Approve(code string, as policy.Person) (policy.Person, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	for _, a := range d.asks {
		if a.Code != code || a.letIn != nil {
			continue
		}
		if as == (policy.Person{}) {
			as = a.Who
		}
		a.letIn = &as
		return as, nil
	}
	return policy.Person{}, ErrUnknown
}

// Revoke turns away the browsers that were let in as a person and have not come in yet; of the operator
// also the links. It says whether there was one. A browser that is coming in has its session when Revoke
// returns, so that the caller can end it.
func (d *Door) Revoke(who policy.Person) (ended bool) {
	d.entering.Lock()
	defer d.entering.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	for h, a := range d.asks {
		if a.letIn != nil && *a.letIn == who {
			delete(d.asks, h)
			ended = true
		}
	}
	if who == Operator() {
		ended = ended || len(d.links) > 0
		clear(d.links)
	}
	return ended
}

// enter takes in the browser of a cookie, once, if the operator has approved it. It says
// whether the browser still waits.
func (d *Door) enter(cookie string) (who *policy.Person, waits bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	hash := sha256.Sum256([]byte(cookie))
	a, known := d.asks[hash]
	if !known {
		return nil, false
	}
	if a.letIn != nil {
		delete(d.asks, hash)
	}
	return a.letIn, a.letIn == nil
}
