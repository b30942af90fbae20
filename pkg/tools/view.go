package tools

import (
	"fmt"

	"parley/pkg/providers"
	"parley/pkg/text"
)

// view is the part of a catalog that one chat is offered.
type view struct {
	catalog *catalog
	keep    func(name string, a Annotations) bool // nil: all of it
}

func (v *view) filter(keep func(name string, a Annotations) bool) view {
	outer := v.keep
	if outer == nil {
		return view{v.catalog, keep}
	}
	return view{v.catalog, func(name string, a Annotations) bool { return outer(name, a) && keep(name, a) }}
}

func (v *view) offers(e *entry) bool {
	return v.keep == nil || v.keep(e.name, v.catalog.annotated(e))
}

// find returns the registered tool of a name, or nil if it is missing or the view
// leaves it out.
func (v *view) find(name string) *entry {
	e := v.catalog.now.Load().byName[name]
	if e == nil || !v.offers(e) {
		return nil
	}
	return e
}

// listed are the registered tools in name order.
func (v *view) listed() []*entry {
	all := v.catalog.now.Load().sorted
	if v.keep == nil {
		return all
	}
	var out []*entry
	for _, e := range all {
		if v.offers(e) {
			out = append(out, e)
		}
	}
	return out
}

// usable are the enabled tools in name order.
func (v *view) usable() []*entry {
	s := v.catalog.now.Load()
	out := make([]*entry, 0, len(s.sorted))
	for _, e := range s.sorted {
		if v.offers(e) && s.whyNot(e) == nil {
			out = append(out, e)
		}
	}
	return out
}

// finder is the name of the usable tool that finds the others, or "".
func (v *view) finder() string {
	s := v.catalog.now.Load()
	for _, e := range s.sorted {
		if e.annotations.Finds && v.offers(e) && s.whyNot(e) == nil {
			return e.name
		}
	}
	return ""
}

func (v *view) unknownTool(name string) *Error {
	var offered []string
	for _, e := range v.usable() {
		if offered = append(offered, e.name); len(offered) == 50 {
			break
		}
	}
	return Fail(ErrNotFound, fmt.Sprintf("there is no tool %q", text.ClipBytes(name, 64)), map[string]any{"tools": offered})
}

// definitions are the usable tools as a provider takes them. Turns that are offered the
// same tools share the list: it must not be changed.
func (v *view) definitions() []providers.ToolDefinition {
	s := v.catalog.now.Load()
	return s.offered.Of(len(s.sorted), func(i int) *providers.ToolDefinition {
		if e := s.sorted[i]; v.offers(e) && s.whyNot(e) == nil {
			return &e.definition
		}
		return nil
	})
}
