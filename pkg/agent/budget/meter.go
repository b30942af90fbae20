package budget

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// Store is where a meter reads the stored use.
type Store interface {
	// Spending is the use of committed turns of a chat on a day (YYYY-MM-DD). In the
	// chat that an agent works for it includes the use of the agent.
	Spending(ctx context.Context, chat, day string) (map[session.Purpose]session.Usage, error)
	// Shares and TurnUses tell it in detail.
	session.Uses
}

// Options are the parts that a [Meter] works with. Store is required.
type Options struct {
	Store Store
	// Budget is the limit of a chat in a day; nil is no limit. It is asked before each
	// request to the model.
	Budget func(a channels.Address) Budget
	// Currency is the word for the unit of the models' prices.
	Currency string
	// Now is the wall clock; nil: time.Now.
	Now func() time.Time
}

// Meter holds the use of the running turns. It holds them together against the limits
// of the chat that pays, the turns of the chat's background agents too, so that each
// makes one request too many at most, however many run at once.
type Meter struct {
	o Options

	mu   sync.Mutex
	open map[channels.Address]map[*TurnUsage]bool // by the chat that pays
}

// New returns a meter that knows of no turn.
func New(o Options) *Meter {
	if o.Budget == nil {
		o.Budget = func(channels.Address) Budget { return Budget{} }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Meter{o: o, open: map[channels.Address]map[*TurnUsage]bool{}}
}

// Turn is a meter's view of a turn.
type Turn struct {
	// Chat is the key of the turn's conversation, under which its use is stored.
	Chat string
	// Payer is the chat with the limits that count: the turn's own, or for a background
	// agent the one that it works for.
	Payer   channels.Address
	Purpose session.Purpose
	// Person is the platform's id of the person for whom the turn runs.
	Person func() string
	// Began is the time of the turn's beginning, Zone the time zone of its days.
	Began time.Time
	Zone  func() *time.Location
	// Steps are the records of earlier attempts at the turn.
	Steps []session.Step
	// Free says that the turn asks no model that costs anything, Late that this is an account
	// for requests after the turn's end: the turn itself was counted by another one.
	Free, Late bool
	Log        func() *zerolog.Logger
}

// Turn makes the account of one turn. The meter knows of it from its first request
// on, until [TurnUsage.Close].
func (m *Meter) Turn(t Turn) *TurnUsage { return &TurnUsage{m: m, turn: t} }

// add lets a turn count from now on.
func (m *Meter) add(u *TurnUsage, spent session.Spent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u.spent = spent
	payer := u.turn.Payer
	if m.open[payer] == nil {
		m.open[payer] = map[*TurnUsage]bool{}
	}
	m.open[payer][u] = true
}

// remove lets it count no more.
func (m *Meter) remove(u *TurnUsage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	payer := u.turn.Payer
	if open := m.open[payer]; open != nil {
		delete(open, u)
		if len(open) == 0 {
			delete(m.open, payer)
		}
	}
}

// withRunning adds the use of a chat's running turns to the stored use of its day. The
// lock is held.
func (m *Meter) withRunning(
	payer channels.Address, day string, stored map[session.Purpose]session.Usage,
) map[session.Purpose]session.Usage {
	all := maps.Clone(stored)
	if all == nil {
		all = map[session.Purpose]session.Usage{}
	}
	for u := range m.open[payer] {
		if u.spent.Day == day {
			sum := all[u.spent.Purpose]
			sum.Add(u.spent.Usage)
			all[u.spent.Purpose] = sum
		}
	}
	return all
}

// together is the sum over all purposes.
func together(by map[session.Purpose]session.Usage) session.Usage {
	var sum session.Usage
	for _, u := range by {
		sum.Add(u)
	}
	return sum
}

// endOfDay is when the next day begins.
func endOfDay(day string, zone *time.Location) time.Time {
	t, err := time.ParseInLocation(time.DateOnly, day, zone)
	if err != nil { // it was formatted the same way
		return time.Time{}
	}
	return time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, zone)
}

// Money writes millionths as an amount in the meter's currency.
func (m *Meter) Money(amount int64) string { return Money(amount, m.o.Currency) }
