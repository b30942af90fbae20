package tools

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"parley/pkg/tools/internal/counts"
)

// Stats are the calls of one tool since the registry was made.
type Stats struct {
	// Tool is the name; "" stands for all names without a tool.
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
	return counts.Summary{
		Runs: s.Runs, Memory: s.Memo, Total: s.Total, Longest: s.Longest,
		Refused: kindsOf(s.Refused), Failed: kindsOf(s.Errors),
	}.Line()
}

// kindsOf lists the types in the order in which a call is checked.
func kindsOf(by map[ErrorType]uint64) []counts.Kind {
	var kinds []counts.Kind
	for _, t := range errorTypes() {
		kinds = append(kinds, counts.Kind{Name: string(t), Count: by[t]})
	}
	return kinds
}

// errorTypes are all types; the last stands for any that is not known.
func errorTypes() [counts.Kinds]ErrorType {
	return [counts.Kinds]ErrorType{
		ErrNotFound, ErrDisabled, ErrInvalidArguments, ErrSecurityViolation, ErrPermissionDenied,
		ErrApprovalDenied, ErrBusy, ErrTimeout, ErrInterrupted, ErrExecutionFailed,
	}
}

func typeIndex(t ErrorType) int {
	types := errorTypes()
	if i := slices.Index(types[:], t); i >= 0 {
		return i
	}
	return counts.Kinds - 1
}

// count records how a call ended.
func count(c *counts.Counters, out *outcome) {
	fail := failureOf(out.result)
	switch {
	case out.memory:
		c.Memory.Add(1)
	case !out.begun:
		if fail != "" {
			c.Refused[typeIndex(fail)].Add(1)
		}
	default:
		c.Ran(out.took)
		if fail != "" {
			c.Failed[typeIndex(fail)].Add(1)
		}
	}
}

// failureOf is the type of a failure; "" for a result without one.
func failureOf(res *ToolResult) ErrorType {
	if !res.IsError {
		return ""
	}
	return typed(res.Err, ErrExecutionFailed, "").Type
}

func statsOf(name string, c *counts.Counters) Stats {
	s := Stats{
		Tool: name, Picks: c.Picks.Load(), Runs: c.Runs.Load(), Memo: c.Memory.Load(),
		Errors: byType(&c.Failed), Refused: byType(&c.Refused),
	}
	s.Total, s.Longest = c.Times()
	return s
}

func byType(numbers *[counts.Kinds]atomic.Uint64) map[ErrorType]uint64 {
	by := map[ErrorType]uint64{}
	for i, t := range errorTypes() {
		if n := numbers[i].Load(); n > 0 {
			by[t] = n
		}
	}
	return by
}

// used says whether any call was counted.
func (s *Stats) used() bool { return s.Picks+s.Runs+s.Memo > 0 || len(s.Refused) > 0 }

// Stats tells of the tools of this view that were called or picked, in name
// order; calls of names without a tool stand first, under "".
func (r *ToolRegistry) Stats() []Stats {
	var all []Stats
	if s := statsOf("", &r.catalog().unknown); s.used() {
		all = append(all, s)
	}
	for _, e := range r.calls.view.listed() {
		if s := statsOf(e.name, e.counts); s.used() {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Stats) int { return cmp.Compare(a.Tool, b.Tool) })
	return all
}
