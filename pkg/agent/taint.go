package agent

import (
	"slices"
	"strings"
	"sync"

	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// taint is what a turn knows about where its words come from: whether content has
// entered it that nobody here wrote, and which addresses a person named.
type taint struct {
	mu      sync.Mutex
	tainted bool
	people  map[string]bool // whose messages the turn has
	// named are texts whose addresses are no news, in lower case: what people wrote,
	// and what a search has found.
	named []string
	// pages are the ids of calls that reach an address which the model chose.
	pages map[string]bool
	// outside are the ids of calls that bring in content from outside.
	outside map[string]bool
	// wholes are the deeds of calls that make other calls, by id, and as if such content
	// had entered before; it had not when they were decided on.
	wholes map[string]policy.Deed
}

// is says whether untrusted content has entered the turn.
func (t *taint) is() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tainted
}

// set says that it has.
func (t *taint) set() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tainted = true
}

// several says whether the turn has messages of more than one person.
func (t *taint) several() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.people) > 1
}

// knows says whether an address was named as it is.
func (t *taint) knows(address string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	address = bare(address)
	for _, text := range t.named {
		if names(text, address) {
			return true
		}
	}
	return false
}

// bare is an address as people write it: in lower case, without scheme and last slash.
func bare(address string) string {
	address = strings.ToLower(address)
	if _, rest, found := strings.Cut(address, "://"); found {
		address = rest
	}
	return strings.TrimSuffix(address, "/")
}

// names says whether a text, in lower case, has the address as a whole: not as a
// part of another name.
func names(text, address string) bool {
	for address != "" {
		i := strings.Index(text, address)
		if i < 0 {
			return false
		}
		before, after := text[:i], text[i+len(address):]
		if !endsName(before) && !goesOn(after) {
			return true
		}
		text = after
	}
	return false
}

// endsName says whether a text ends within a name or address.
func endsName(s string) bool { return s != "" && isNameByte(s[len(s)-1]) }

// goesOn says whether a name goes on with s; a full stop before a blank ends it.
func goesOn(s string) bool {
	s = strings.TrimPrefix(s, "/")
	s = strings.TrimPrefix(s, ".")
	return s != "" && isNameByte(s[0])
}

func isNameByte(c byte) bool {
	return c == '.' || c == '-' || c == '_' || c == '@' || c == '%' || c >= 0x80 ||
		'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}

// takes notes what comes in with items. A file may hold anything, and so may what
// somebody forwards; what people write themselves names addresses.
func (t *taint) takes(items []session.Item) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range items {
		in := items[i].Inbound
		if in == nil {
			continue
		}
		if t.people == nil {
			t.people = map[string]bool{}
		}
		t.people[in.Sender.ID] = true
		if in.Forwarded || len(in.Attachments) > 0 {
			t.tainted = true
			continue
		}
		t.named = append(t.named, strings.ToLower(in.Text))
	}
}

// brings notes a call that brings in content from outside, whatever its tool does else.
func (t *taint) brings(callID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.outside == nil {
		t.outside = map[string]bool{}
	}
	t.outside[callID] = true
}

// begins notes a call that is to make other calls.
func (t *taint) begins(callID string, d policy.Deed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.Tainted {
		return
	}
	if t.wholes == nil {
		t.wholes = map[string]policy.Deed{}
	}
	t.wholes[callID] = withTaint(d)
}

func withTaint(d policy.Deed) policy.Deed {
	d.Tainted, d.Steps = true, slices.Clone(d.Steps)
	for i := range d.Steps {
		d.Steps[i] = withTaint(d.Steps[i])
	}
	return d
}

// late says whether a call that makes other calls has brought content from outside that
// nobody knew of when it was decided on.
func (t *taint) late(callID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, unknown := t.wholes[callID]
	return unknown && t.outside[callID]
}

// whole is the deed of such a call.
func (t *taint) whole(callID string) policy.Deed {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wholes[callID]
}

// fromOutside says whether a call's result is content from outside.
func (t *taint) fromOutside(callID string, a tools.Annotations) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return a.OpenWorld || t.outside[callID]
}

// reaches notes a call that reaches an address which the model chose.
func (t *taint) reaches(callID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pages == nil {
		t.pages = map[string]bool{}
	}
	t.pages[callID] = true
}

// takesResult notes what comes in with a call's result. What a search finds is as
// untrusted as a page, but its addresses are the search engine's, not a page's.
func (t *taint) takesResult(callID string, a tools.Annotations, text string) {
	if !t.fromOutside(callID, a) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tainted = true
	if !t.pages[callID] && !t.outside[callID] {
		t.named = append(t.named, strings.ToLower(text))
	}
}
