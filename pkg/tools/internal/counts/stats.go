package counts

import (
	"slices"
	"sync/atomic"
	"time"
)

// Type says, in one word, why a call has no result.
type Type string

// types are all of them, in the order in which a call is checked; the last stands for any
// that is not known.
func types() [Kinds]Type {
	return [Kinds]Type{
		"not_found", "disabled", "invalid_arguments", "security_violation", "permission_denied",
		"approval_denied", "busy", "timeout", "interrupted", "execution_failed",
	}
}

func index(t Type) int {
	all := types()
	if i := slices.Index(all[:], t); i >= 0 {
		return i
	}
	return Kinds - 1
}

// Refuse counts a call that did not run; "" is no failure.
func (c *Counters) Refuse(t Type) {
	if t != "" {
		c.refused[index(t)].Add(1)
	}
}

// Fail counts a run that failed; "" is no failure.
func (c *Counters) Fail(t Type) {
	if t != "" {
		c.failed[index(t)].Add(1)
	}
}

// Stats are the numbers of one tool.
type Stats struct {
	// Tool is the name; "" stands for all names without a tool.
	Tool string `json:"tool"`
	// Model is the model that the numbers are about, where they are about one.
	Model string `json:"model,omitempty"`
	// Offered are the requests to a model that had the tool.
	Offered uint64 `json:"offered,omitempty"`
	// Picks are the calls that a model wrote.
	Picks uint64 `json:"picks"`
	// Denied are the calls that a person did not allow.
	Denied uint64 `json:"denied,omitempty"`
	// Runs are the calls that were run, Memo those answered from memory instead.
	Runs uint64 `json:"runs"`
	Memo uint64 `json:"memo,omitempty"`
	// Errors are runs that failed, background work included, Refused calls that did
	// not run, each by type.
	Errors  map[Type]uint64 `json:"errors,omitempty"`
	Refused map[Type]uint64 `json:"refused,omitempty"`
	// Total and Longest are the times of the runs, in nanoseconds as JSON.
	Total   time.Duration `json:"total"`
	Longest time.Duration `json:"longest"`
}

// String is the compact form: "3 calls, 1 refused, 2 failed (1 busy, 1 timeout), 12ms on average, 30ms at most".
func (s *Stats) String() string {
	return Summary{
		Runs: s.Runs, Memory: s.Memo, Total: s.Total, Longest: s.Longest,
		Refused: kindsOf(s.Refused), Failed: kindsOf(s.Errors),
	}.Line()
}

// Used says whether any call was counted.
func (s *Stats) Used() bool { return s.Picks+s.Runs+s.Memo > 0 || len(s.Refused) > 0 }

// kindsOf lists the types in the order in which a call is checked.
func kindsOf(by map[Type]uint64) []Kind {
	var kinds []Kind
	for _, t := range types() {
		kinds = append(kinds, Kind{Name: string(t), Count: by[t]})
	}
	return kinds
}

// Stats are the numbers now.
func (c *Counters) Stats(tool, model string) Stats {
	s := Stats{
		Tool: tool, Model: model, Offered: c.Offered.Load(), Picks: c.Picks.Load(), Denied: c.Denied.Load(),
		Runs: c.Runs.Load(), Memo: c.Memory.Load(), Errors: map[Type]uint64{}, Refused: map[Type]uint64{},
	}
	addTypes(s.Errors, &c.failed)
	addTypes(s.Refused, &c.refused)
	s.Total, s.Longest = c.Times()
	return s
}

func addTypes(by map[Type]uint64, numbers *[Kinds]atomic.Uint64) {
	for i, t := range types() {
		if n := numbers[i].Load(); n > 0 {
			by[t] += n
		}
	}
}

// Sum are the numbers with all models.
func (t *Tool) Sum(tool string) Stats {
	sum := Stats{Tool: tool, Errors: map[Type]uint64{}, Refused: map[Type]uint64{}}
	t.Each(func(model string, c *Counters) {
		s := c.Stats(tool, model)
		sum.Offered, sum.Picks, sum.Denied = sum.Offered+s.Offered, sum.Picks+s.Picks, sum.Denied+s.Denied
		sum.Runs, sum.Memo, sum.Total = sum.Runs+s.Runs, sum.Memo+s.Memo, sum.Total+s.Total
		sum.Longest = max(sum.Longest, s.Longest)
		addTypes(sum.Errors, &c.failed)
		addTypes(sum.Refused, &c.refused)
	})
	return sum
}
