package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Stats are the calls of one tool since the registry was made.
type Stats struct {
	// Tool is the name; "" stands for all names that no tool has.
	Tool string `json:"tool"`
	// Picks are the calls that a model wrote.
	Picks uint64 `json:"picks"`
	// Runs are the calls that were run, Memo those answered from memory instead.
	Runs uint64 `json:"runs"`
	Memo uint64 `json:"memo,omitempty"`
	// Errors are runs that failed, background work included, Refused calls that did
	// not run, each by type.
	Errors  map[ErrorType]uint64 `json:"errors,omitempty"`
	Refused map[ErrorType]uint64 `json:"refused,omitempty"`
	// Total and Longest are the times of the runs, in nanoseconds as JSON.
	Total   time.Duration `json:"total"`
	Longest time.Duration `json:"longest"`
}

// String is the compact form: "3 calls, 1 refused, 2 failed (1 busy, 1 timeout), 12ms on average, 30ms at most".
func (s *Stats) String() string {
	parts := []string{fmt.Sprintf("%d calls", s.Runs)}
	if s.Runs == 1 {
		parts[0] = "1 call"
	}
	if s.Memo > 0 {
		parts = append(parts, fmt.Sprintf("%d from memory", s.Memo))
	}
	for _, part := range []struct {
		what string
		by   map[ErrorType]uint64
	}{{"refused", s.Refused}, {"failed", s.Errors}} {
		if n := sum(part.by); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", n, part.what, byType(part.by)))
		}
	}
	if s.Runs > 0 {
		average := s.Total / time.Duration(s.Runs) //nolint:gosec // no gateway makes 2^63 calls
		parts = append(parts, short(average)+" on average, "+short(s.Longest)+" at most")
	}
	return strings.Join(parts, ", ")
}

// short rounds a time to what a person reads.
func short(d time.Duration) string {
	const digits = 100
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / digits).String()
		}
	}
	return d.String()
}

func sum(by map[ErrorType]uint64) (n uint64) {
	for _, v := range by {
		n += v
	}
	return n
}

// byType lists the types in the order in which a call is checked.
func byType(by map[ErrorType]uint64) string {
	var words []string
	for _, t := range errorTypes() {
		if by[t] > 0 {
			words = append(words, fmt.Sprintf("%d %s", by[t], t))
		}
	}
	return strings.Join(words, ", ")
}

// numTypes is how many types of errors there are.
const numTypes = 10

// errorTypes are all types; the last stands for any that is not known.
func errorTypes() [numTypes]ErrorType {
	return [numTypes]ErrorType{
		ErrNotFound, ErrDisabled, ErrInvalidArguments, ErrSecurityViolation, ErrPermissionDenied,
		ErrApprovalDenied, ErrBusy, ErrTimeout, ErrInterrupted, ErrExecutionFailed,
	}
}

func typeIndex(t ErrorType) int {
	types := errorTypes()
	if i := slices.Index(types[:], t); i >= 0 {
		return i
	}
	return numTypes - 1
}

// counters are the numbers of one name. A tool that is registered anew keeps them.
type counters struct {
	picks, runs, memo   atomic.Uint64
	total, longest      atomic.Int64
	failed, refusedWith [numTypes]atomic.Uint64
}

// count notes how a call ended.
func (c *counters) count(out *outcome) {
	fail := failureOf(out.result)
	switch {
	case out.memory:
		c.memo.Add(1)
		return
	case !out.begun:
		if fail != "" {
			c.refusedWith[typeIndex(fail)].Add(1)
		}
		return
	}
	c.runs.Add(1)
	if fail != "" {
		c.failed[typeIndex(fail)].Add(1)
	}
	took := int64(out.took)
	c.total.Add(took)
	for {
		longest := c.longest.Load()
		if took <= longest || c.longest.CompareAndSwap(longest, took) {
			return
		}
	}
}

// failureOf is the type of a failure; "" for a result that is none.
func failureOf(res *ToolResult) ErrorType {
	if !res.IsError {
		return ""
	}
	return typed(res.Err, ErrExecutionFailed, "").Type
}

func (c *counters) stats(name string) Stats {
	s := Stats{
		Tool: name, Picks: c.picks.Load(), Runs: c.runs.Load(), Memo: c.memo.Load(),
		Total: time.Duration(c.total.Load()), Longest: time.Duration(c.longest.Load()),
		Errors: map[ErrorType]uint64{}, Refused: map[ErrorType]uint64{},
	}
	for i, t := range errorTypes() {
		if n := c.failed[i].Load(); n > 0 {
			s.Errors[t] = n
		}
		if n := c.refusedWith[i].Load(); n > 0 {
			s.Refused[t] = n
		}
	}
	return s
}

// used says whether there is anything to tell.
func (s *Stats) used() bool {
	return s.Picks+s.Runs+s.Memo+sum(s.Refused) > 0
}

// Stats tells of the tools of this view that were called or picked, in name
// order; calls of names that no tool has stand first, under "".
func (r *ToolRegistry) Stats() []Stats {
	var all []Stats
	if s := r.catalog().unknown.stats(""); s.used() {
		all = append(all, s)
	}
	for _, e := range r.calls.view.listed() {
		if s := e.counts.stats(e.name); s.used() {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Stats) int { return cmp.Compare(a.Tool, b.Tool) })
	return all
}
