package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/pkg/agent/budget"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// Usage emits a [UsageRow] of each group of the use that is asked for.
func Usage() Operation { return Operation{Name: "usage", Handle: usage} }

// UsageAsk tells which use is asked for; an empty field leaves it open.
type UsageAsk struct {
	// From and To are days, YYYY-MM-DD, both included. Without them it is today, at each
	// chat's own place; without one of them it is open at that end.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Chat is a place, Person CHANNEL:[ACCOUNT/]ID.
	Chat    string `json:"chat,omitempty"`
	Person  string `json:"person,omitempty"`
	Model   string `json:"model,omitempty"`
	Purpose string `json:"purpose,omitempty"`
	// By are the columns in whose values the rows differ: some of [UsageColumns]; none is
	// chat, day and purpose.
	By []string `json:"by,omitempty"`
}

// UsageColumns are the words for [UsageAsk].By.
func UsageColumns() []string { return []string{"day", "chat", "person", "model", "purpose", "turn"} }

// UsageRow is one value of the answer to [Usage]: the use with these values in the columns
// that were asked for; the other columns are empty, except that a turn has its own.
type UsageRow struct {
	Day     string `json:"day,omitempty"`
	Chat    string `json:"chat,omitempty"`
	Person  string `json:"person,omitempty"`
	Model   string `json:"model,omitempty"`
	Purpose string `json:"purpose,omitempty"`
	// Turn ended at Ended, with Outcome.
	Turn    string          `json:"turn,omitempty"`
	Ended   time.Time       `json:"ended,omitzero"`
	Outcome session.Outcome `json:"outcome,omitempty"`
	session.Usage
	// Currency is the unit of Money, in millionths.
	Currency string `json:"currency"`
	// By are the columns of the row, in their order.
	By []string `json:"by"`
}

// Cells are the values of the row's columns.
func (r *UsageRow) Cells() []string {
	cells := make([]string, len(r.By))
	for i, column := range r.By {
		cells[i] = *r.column(column)
	}
	return cells
}

func (r *UsageRow) column(name string) *string {
	return map[string]*string{
		"day": &r.Day, "chat": &r.Chat, "person": &r.Person, "model": &r.Model, "purpose": &r.Purpose, "turn": &r.Turn,
	}[name]
}

// usageQuery is a [UsageAsk] that was checked, with the rows so far.
type usageQuery struct {
	UsageAsk

	g      *Gateway
	place  *policy.Place
	person *policy.Person
	byTurn bool
	// found says that a chat is at the place that was asked for.
	found bool
	rows  map[string]*UsageRow
}

func usage(ctx context.Context, g *Gateway, r *Request, emit Emit) error {
	q, err := g.usageQuery(r.Usage)
	if err != nil {
		return WithCode(CodeUsage, err)
	}
	err = eachSession(ctx, g, func(i session.Info) error {
		if !i.Current {
			return nil
		}
		if err := q.chat(ctx, i); err != nil || !q.byTurn && !slices.Contains(q.By, "chat") {
			return err
		}
		return q.emit(emit) // no other chat adds to these rows
	})
	if err == nil && q.place != nil && !q.found {
		err = fmt.Errorf(textNoConversation, q.Chat, Program())
	}
	return errors.Join(err, q.emit(emit))
}

// usageQuery checks what is asked.
func (g *Gateway) usageQuery(ask UsageAsk) (*usageQuery, error) {
	q := &usageQuery{UsageAsk: ask, g: g, rows: map[string]*UsageRow{}}
	if len(q.By) == 0 {
		q.By = []string{"chat", "day", "purpose"}
	}
	q.byTurn = slices.Contains(q.By, "turn")
	for _, day := range []string{q.From, q.To} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return nil, fmt.Errorf(textBadDay, day)
		}
	}
	if q.From != "" && q.To != "" && q.From > q.To {
		return nil, fmt.Errorf(textDaysReversed, q.From, q.To)
	}
	for i, column := range q.By {
		if !slices.Contains(UsageColumns(), column) || slices.Contains(q.By[:i], column) {
			return nil, fmt.Errorf(textBadColumn, column, strings.Join(UsageColumns(), ", "))
		}
	}
	if q.Purpose != "" && !slices.Contains(budget.Purposes(), session.Purpose(q.Purpose)) {
		return nil, fmt.Errorf(textBadPurpose, q.Purpose, budget.Purposes())
	}
	err := q.names(ask)
	return q, err
}

// names reads the place of the chat and the name of the person.
func (q *usageQuery) names(ask UsageAsk) error {
	if ask.Chat != "" {
		place, err := policy.ParsePlace(ask.Chat)
		if err != nil {
			return err
		}
		q.place = &place
	}
	if ask.Person != "" {
		person, err := policy.ParsePerson(ask.Person)
		if err != nil {
			return err
		}
		q.person = &person
	}
	return nil
}

// chat adds the use of a chat. That of its agents is a part of it; only their turns are
// their own.
func (q *usageQuery) chat(ctx context.Context, i session.Info) error {
	agent := i.Address.Channel == session.AgentChannel
	if agent && !q.byTurn {
		return nil
	}
	if agent {
		home, err := q.home(ctx, i.Address)
		if err != nil {
			return err
		}
		i.Address = home
	}
	if q.place != nil && !q.place.Matches(i.Address) {
		return nil
	}
	q.found = true
	from, to := q.days(ctx, i)
	if !q.byTurn {
		return q.g.Engine.Chats().Shares(ctx, i.Chat, from, to, func(s session.Share) { q.add(i.Address, &UsageRow{}, &s) })
	}
	return q.g.Engine.Chats().TurnUses(ctx, i.Chat, func(t session.TurnUse) bool {
		if t.Spent.Day < from || t.Spent.Day > to {
			return true
		}
		s := session.Share{Day: t.Spent.Day, Person: t.Spent.Person, Purpose: t.Spent.Purpose, Usage: t.Spent.Rest()}
		row := UsageRow{Turn: t.Turn, Ended: t.Ended, Outcome: t.Outcome}
		q.add(i.Address, &row, &s)
		for m := range t.Spent.Models {
			s.Model, s.Usage = t.Spent.Models[m].Model, t.Spent.Models[m].Usage
			q.add(i.Address, &row, &s)
		}
		return true
	})
}

// home is the address of the chat for which an agent works; the agent's own where its task
// is gone.
func (q *usageQuery) home(ctx context.Context, at channels.Address) (channels.Address, error) {
	for at.Channel == session.AgentChannel {
		t, err := q.g.Engine.Tasks().Task(ctx, at.Chat)
		if errors.Is(err, session.ErrNotFound) {
			return at, nil
		}
		if err != nil {
			return at, err
		}
		at = t.Address
	}
	return at, nil
}

// days are the first and the last day that are asked for in a chat.
func (q *usageQuery) days(ctx context.Context, i session.Info) (from, to string) {
	if q.From == "" && q.To == "" {
		today := q.g.Agent.Today(ctx, i.Chat, i.Address)
		return today, today
	}
	return q.From, cmp.Or(q.To, "9999-12-31")
}

// isOf says whether a share is of the person that is asked for, if one is.
func (q *usageQuery) isOf(at channels.Address, s *session.Share) bool {
	p := q.person
	return p == nil || s.Person == p.ID && at.Channel == p.Channel && (p.Account == "" || at.Account == p.Account)
}

// add adds a share to its row, if it is asked for.
func (q *usageQuery) add(at channels.Address, of *UsageRow, s *session.Share) {
	if !q.isOf(at, s) {
		return
	}
	byModel := q.Model != "" || slices.Contains(q.By, "model")
	if byModel {
		s.Usage.Turns = 0 // a turn may have asked several
	}
	if q.Model != "" && s.Model != q.Model || q.Purpose != "" && string(s.Purpose) != q.Purpose || s.Usage == (session.Usage{}) {
		return
	}
	all := *of
	all.Day, all.Chat, all.Model, all.Purpose = s.Day, policy.Place(at).String(), s.Model, string(s.Purpose)
	if s.Person != "" {
		all.Person = policy.Person{Channel: at.Channel, Account: at.Account, ID: s.Person}.String()
	}
	row := UsageRow{By: q.By, Currency: q.g.Models.Currency, Turn: all.Turn, Ended: all.Ended, Outcome: all.Outcome}
	columns := q.By
	if q.byTurn { // a turn has one of each
		columns = append([]string{"day", "chat", "person", "purpose"}, columns...)
	}
	for _, column := range columns {
		*row.column(column) = *all.column(column)
	}
	key := strings.Join(row.Cells(), "\x00")
	if q.rows[key] == nil {
		q.rows[key] = &row
	}
	q.rows[key].Add(s.Usage)
}

// emit emits the rows in the order of their columns, turns in that of their ends.
func (q *usageQuery) emit(emit Emit) error {
	rows := make([]*UsageRow, 0, len(q.rows))
	for _, row := range q.rows {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b *UsageRow) int {
		return cmp.Or(a.Ended.Compare(b.Ended), slices.Compare(a.Cells(), b.Cells()))
	})
	q.rows = map[string]*UsageRow{}
	for _, row := range rows {
		if err := emit(row); err != nil {
			return err
		}
	}
	return nil
}
