package tools

import (
	"cmp"
	"slices"

	"parley/pkg/providers"
	"parley/pkg/tools/internal/counts"
)

// Stats are the calls of one tool since the registry was made. A tool named "" stands for
// all names without a tool.
type Stats = counts.Stats

// count records how a call ended.
func count(c *counts.Counters, out *outcome) {
	fail := failureOf(out.result)
	switch {
	case out.memory:
		c.Memory.Add(1)
	case !out.begun:
		c.Refuse(fail)
	default:
		c.Ran(out.took)
		c.Fail(fail)
	}
}

// failureOf is the type of a failure; "" for a result without one.
func failureOf(res *ToolResult) ErrorType {
	if !res.IsError {
		return ""
	}
	return typed(res.Err, ErrExecutionFailed, "").Type
}

// offered counts the tools of a request to a model.
func (c *catalog) offered(model string, defs []providers.ToolDefinition) {
	for i := range defs {
		c.countersOf(defs[i].Function.Name, model).Offered.Add(1)
	}
}

// Denied counts that a person did not allow a call that a model wrote.
func (r *ToolRegistry) Denied(name, model string) { r.catalog().countersOf(name, model).Denied.Add(1) }

// Stats tells of the tools of this view that were called or picked, in name
// order; calls of names without a tool stand first, under "".
func (r *ToolRegistry) Stats() []Stats {
	var all []Stats
	r.eachCounted(func(name string, t *counts.Tool) {
		if s := t.Sum(name); s.Used() {
			all = append(all, s)
		}
	})
	return all
}

// StatsByModel tells of the tools of this view that were offered to a model, called or
// picked, for each model; "" is for calls that no model made.
func (r *ToolRegistry) StatsByModel() []Stats {
	var all []Stats
	r.eachCounted(func(name string, t *counts.Tool) {
		t.Each(func(model string, c *counts.Counters) { all = append(all, c.Stats(name, model)) })
	})
	slices.SortFunc(all, func(a, b Stats) int { return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Model, b.Model)) })
	return all
}

// eachCounted goes over the tools of this view in name order, after the names without a tool.
func (r *ToolRegistry) eachCounted(f func(name string, t *counts.Tool)) {
	f("", &r.catalog().unknown)
	for _, e := range r.calls.view.listed() {
		f(e.name, e.counts)
	}
}
