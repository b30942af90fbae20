package agent

import (
	"context"
	"maps"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// Limits bound what is used in a day; 0 is no limit.
type Limits struct {
	// Turns are those that asked the model; Tokens are read and written ones together.
	Turns, Tokens int
	// Money is in millionths, as in [session.Usage].
	Money int64
}

// Budget is what a chat may use in a day: all together, and for each purpose.
type Budget struct {
	All Limits
	For map[session.Purpose]Limits
}

// till holds what turns have used that are running. They are held together against
// the limits of the chat that pays, its background agents' turns too, so that each makes
// one request too many at most, however many run at once. What the engine counts in the
// conversation of an agent it counts in that chat by itself.
type till struct {
	mu   sync.Mutex
	open map[channels.Address]map[*run]bool // by the chat that pays
}

// bill is what one turn used.
type bill struct {
	session.Spent

	// ends is when its day does.
	ends time.Time
}

// purpose is for what a turn uses its chat's budget.
func (r *run) purpose() session.Purpose {
	switch it := &r.info.Items[0]; {
	case r.task != nil, it.Kind == session.ItemTask, it.Kind == session.ItemSpawn:
		return session.ForBackground
	case it.Kind == session.ItemSchedule:
		return session.ForJobs
	default:
		return session.ForPeople
	}
}

// recorded is what earlier attempts at a turn used.
func recorded(steps []session.Step) session.Usage {
	var u session.Usage
	for i := range steps {
		if a := steps[i].Answer; steps[i].Kind == session.StepAnswer && a != nil && a.Usage != (providers.Usage{}) {
			addAnswer(&u, a.Usage)
		}
	}
	return u
}

// addAnswer counts one answer of the model.
func addAnswer(u *session.Usage, answer providers.Usage) {
	u.Turns = 1
	u.Input += answer.PromptTokens
	u.Output += answer.CompletionTokens
	u.Money += answer.Money
}

func addUsage(sum *session.Usage, u session.Usage) {
	sum.Turns += u.Turns
	sum.Input += u.Input
	sum.Output += u.Output
	sum.Money += u.Money
}

// openBill begins to count for the turn; a second call does nothing. A turn counts
// on the day on which it began.
func (r *run) openBill() {
	if r.bill != nil {
		return
	}
	zone := r.location()
	b := &bill{Spent: session.Spent{
		Day: r.wall.In(zone).Format(time.DateOnly), Purpose: r.purpose(), Usage: recorded(r.info.Steps),
	}}
	b.ends = endOfDay(b.Day, zone)
	t := &r.a.till
	t.mu.Lock()
	defer t.mu.Unlock()
	r.bill = b
	if t.open == nil {
		t.open = map[channels.Address]map[*run]bool{}
	}
	if t.open[r.home] == nil {
		t.open[r.home] = map[*run]bool{}
	}
	t.open[r.home][r] = true
}

// closeBill takes the turn out of the till: what it used is about to be stored, or lost.
func (r *run) closeBill() {
	t := &r.a.till
	t.mu.Lock()
	defer t.mu.Unlock()
	if open := t.open[r.home]; open != nil {
		delete(open, r)
		if len(open) == 0 {
			delete(t.open, r.home)
		}
	}
}

// spent is what the turn used, for its commit; nil where it asked no model.
func (r *run) spent() *session.Spent {
	if r.free() || r.bill == nil && recorded(r.info.Steps) == (session.Usage{}) {
		return nil
	}
	r.openBill()
	r.closeBill()
	if r.bill.Usage == (session.Usage{}) {
		return nil
	}
	return &r.bill.Spent
}

// used is what the turn used so far.
func (r *run) used() session.Usage {
	t := &r.a.till
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.bill == nil {
		return session.Usage{}
	}
	return r.bill.Usage
}

// withRunning adds to what is stored of a chat's day what its running turns use.
func (t *till) withRunning(chat channels.Address, day string, stored map[session.Purpose]session.Usage) map[session.Purpose]session.Usage {
	all := maps.Clone(stored)
	if all == nil {
		all = map[session.Purpose]session.Usage{}
	}
	for r := range t.open[chat] {
		if r.bill.Day == day {
			u := all[r.bill.Purpose]
			addUsage(&u, r.bill.Usage)
			all[r.bill.Purpose] = u
		}
	}
	return all
}

// together is the sum over all purposes.
func together(by map[session.Purpose]session.Usage) session.Usage {
	var sum session.Usage
	for _, u := range by {
		addUsage(&sum, u)
	}
	return sum
}

// Today is the day on which a turn of a chat would count now, as YYYY-MM-DD, given
// the chat's key and where it is.
func (a *Agent) Today(ctx context.Context, chat string, address channels.Address) string {
	return a.o.Now().In(a.locationOf(ctx, chat, address)).Format(time.DateOnly)
}

// budget is what the turn's chat may use.
func (r *run) budget() Budget {
	if r.a.o.Budget == nil {
		return Budget{}
	}
	return r.a.o.Budget(r.home)
}

// afford is asked before each request to the model. The error, a *limitError, says
// that there is nothing left to pay it from. Only a turn with a limit reads what the
// day has cost so far.
func (r *run) afford(ctx context.Context) error {
	r.openBill()
	budget := r.budget()
	var stored map[session.Purpose]session.Usage
	limited := budget.All != (Limits{}) || budget.For[r.bill.Purpose] != (Limits{})
	if limited {
		var err error
		if stored, err = r.a.o.Engine.Spending(ctx, r.info.Chat, r.bill.Day); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.log().Error().Err(err).Msg("what this chat used today cannot be read; it is taken for nothing")
		}
	}
	t := &r.a.till
	t.mu.Lock()
	defer t.mu.Unlock()
	if limited {
		by := t.withRunning(r.home, r.bill.Day, stored)
		first := r.bill.Usage.Turns == 0
		l := budget.For[r.bill.Purpose].reached(by[r.bill.Purpose], first)
		if l != nil {
			l.purpose = r.bill.Purpose
		} else {
			l = budget.All.reached(together(by), first)
		}
		if l != nil {
			l.ends, l.in, l.currency = r.bill.ends, r.bill.ends.Sub(r.a.o.Now()), r.a.o.Currency
			return l
		}
	}
	r.bill.Usage.Turns = 1
	return nil
}

// reached says whether one more request of a turn would be above a limit; first
// says that the turn would begin with it.
func (l Limits) reached(used session.Usage, first bool) *limitError {
	switch tokens := used.Input + used.Output; {
	case l.Turns > 0 && first && used.Turns >= l.Turns:
		return &limitError{what: "turns", used: int64(used.Turns), limit: int64(l.Turns)}
	case l.Tokens > 0 && tokens >= l.Tokens:
		return &limitError{what: "tokens", used: int64(tokens), limit: int64(l.Tokens)}
	case l.Money > 0 && used.Money >= l.Money:
		return &limitError{what: "money", used: used.Money, limit: l.Money}
	default:
		return nil
	}
}

// endOfDay is when the next day begins.
func endOfDay(day string, zone *time.Location) time.Time {
	t, err := time.ParseInLocation(time.DateOnly, day, zone)
	if err != nil { // it was formatted the same way
		return time.Time{}
	}
	return time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, zone)
}

// free says that no model is asked: /tool calls exactly one tool.
func (r *run) free() bool {
	it := &r.info.Items[0]
	return r.a.o.Direct != nil && it.Inbound != nil && isToolCommand(it.Inbound.Text)
}

// purse is the model as a turn may ask it: as long as its chat's budget lasts.
type purse struct{ r *run }

// Chat implements [providers.LLMProvider].
func (p purse) Chat(ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition, model string, options map[string]any) (*providers.LLMResponse, error) {
	return p.ask(ctx, func() (*providers.LLMResponse, error) {
		return p.r.a.o.Provider.Chat(ctx, messages, tools, model, options)
	})
}

// ChatStream implements [providers.StreamingProvider].
func (p purse) ChatStream(ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition, model string, options map[string]any, emit func(providers.StreamEvent)) (*providers.LLMResponse, error) {
	return p.ask(ctx, func() (*providers.LLMResponse, error) {
		return providers.Stream(ctx, p.r.a.o.Provider, messages, tools, model, options, emit)
	})
}

func (p purse) ask(ctx context.Context, request func() (*providers.LLMResponse, error)) (*providers.LLMResponse, error) {
	if err := p.r.afford(ctx); err != nil {
		return nil, err
	}
	resp, err := request()
	if err == nil && resp != nil {
		t := &p.r.a.till
		t.mu.Lock()
		defer t.mu.Unlock()
		addAnswer(&p.r.bill.Usage, resp.Usage)
	}
	return resp, err
}

// Purposes are all there are, in the order in which people read of them.
func Purposes() []session.Purpose {
	return []session.Purpose{session.ForPeople, session.ForJobs, session.ForBackground}
}
