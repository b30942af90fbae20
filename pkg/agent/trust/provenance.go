package trust

import (
	"slices"
	"strings"
	"sync"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// Provenance is where the words of a turn come from: whether content from outside has
// entered it, and which addresses a person named. It is safe for concurrent use; the
// zero value is that of a turn without words.
type Provenance struct {
	mu      sync.Mutex
	tainted bool
	follows bool
	people  map[string]bool // the senders of the turn's messages
	several bool            // it was asked for in a turn of several people
	// named are texts that name addresses, in lower case: messages of people, findings
	// of a search, and the order of an agent.
	named []string
	// chosen are the ids of calls that reach an address which the model chose.
	chosen map[string]bool
	// outside are the ids of calls that bring in content from outside.
	outside map[string]bool
	// composed are the deeds of calls that make other calls, by id, and as if such content
	// had entered before; it had not when they were decided on.
	composed map[string]policy.Deed
}

// Tainted says whether untrusted content has entered the turn.
func (p *Provenance) Tainted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tainted
}

// Taint says that it has.
func (p *Provenance) Taint() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tainted = true
}

// AddOrigin takes in words that the turn reads: follows says that they stand beside untrusted content of
// earlier turns, tainted that they are such content or were made of it.
func (p *Provenance) AddOrigin(follows, tainted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.follows = p.follows || follows
	p.tainted = p.tainted || tainted
}

// Follows says whether the turn reads untrusted content, its own or that of an earlier turn.
// A call that stores words for later turns counts both: there they have no source beside them.
func (p *Provenance) Follows() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tainted || p.follows
}

// SeveralPeople says whether the turn has messages of more than one person, or was asked for in a turn that had.
func (p *Provenance) SeveralPeople() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.several || len(p.people) > 1
}

// AskedBySeveral says of a turn that was asked for earlier whether that turn had messages of more than one person.
func (p *Provenance) AskedBySeveral(several bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.several = p.several || several
}

// Named says whether an address was named as it is.
func (p *Provenance) Named(address string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	address = bare(address)
	for _, text := range p.named {
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

// AddItems takes in the messages of items. A file or a forwarded message may hold
// anything and taints the turn, and so do words of others that a program brings along;
// the words that people write themselves name addresses. Of a message that its sender spoke,
// [Provenance.AddSpoken] decides.
func (p *Provenance) AddItems(items []session.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range items {
		in := items[i].Inbound
		if in == nil {
			continue
		}
		if p.people == nil {
			p.people = map[string]bool{}
		}
		p.people[in.Sender.ID] = true
		if in.Forwarded || len(in.Attachments) > 0 && !spoken(in) {
			p.tainted = true
			continue
		}
		p.tainted = p.tainted || in.Wish.Claimed()
		p.named = append(p.named, strings.ToLower(in.Text), strings.ToLower(in.Wish.UserWords()))
	}
}

// spoken says that the sender has spoken a message: it has recordings of the sender's own, and neither
// another file nor words of somebody else.
func spoken(in *channels.Inbound) bool {
	for i := range in.Attachments {
		if !in.Attachments[i].Voice {
			return false
		}
	}
	return len(in.Attachments) > 0 && !in.Forwarded
}

// AddSpoken takes in the words of a message that its sender spoke, with words for each of its
// recordings: they are as good as written ones. A recording without words may hold anything, and
// other messages are left to [Provenance.AddItems].
func (p *Provenance) AddSpoken(in *channels.Inbound, words []string) {
	if !spoken(in) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tainted = p.tainted || len(words) < len(in.Attachments)
	for _, said := range words {
		p.named = append(p.named, strings.ToLower(said))
	}
}

// Brings notes a call that brings in content from outside, apart from its tool's annotations.
func (p *Provenance) Brings(callID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.outside == nil {
		p.outside = map[string]bool{}
	}
	p.outside[callID] = true
}

// AddNamed takes in a text with addresses that count as named.
func (p *Provenance) AddNamed(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.named = append(p.named, strings.ToLower(text))
}

// BeginsComposed notes a call that is to make other calls, with the deed that was decided on.
func (p *Provenance) BeginsComposed(callID string, d policy.Deed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d.Tainted {
		return
	}
	if p.composed == nil {
		p.composed = map[string]policy.Deed{}
	}
	p.composed[callID] = withTaint(d)
}

func withTaint(d policy.Deed) policy.Deed {
	d.Tainted, d.Steps = true, slices.Clone(d.Steps)
	for i := range d.Steps {
		d.Steps[i] = withTaint(d.Steps[i])
	}
	return d
}

// TaintedSinceDecision says whether a call that makes other calls has brought content
// from outside since it was decided on.
func (p *Provenance) TaintedSinceDecision(callID string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, unknown := p.composed[callID]
	return unknown && p.outside[callID]
}

// Composed is the deed of such a call, as tainted.
func (p *Provenance) Composed(callID string) policy.Deed {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.composed[callID]
}

// FromOutside says whether a call's result is content from outside.
func (p *Provenance) FromOutside(callID string, a tools.Annotations) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return a.OpenWorld || p.outside[callID]
}

// ChoosesAddress notes a call that reaches an address which the model chose.
func (p *Provenance) ChoosesAddress(callID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chosen == nil {
		p.chosen = map[string]bool{}
	}
	p.chosen[callID] = true
}

// AddResult takes in the result of a call. The findings of a search are as untrusted as
// a page, but their addresses come from the search engine and count as named. Those in
// the output of a program, or of a tool of the operator's own, may be anybody's.
func (p *Provenance) AddResult(callID string, a tools.Annotations, text string) {
	if !p.FromOutside(callID, a) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tainted = true
	if a.Searches && !p.chosen[callID] && !p.outside[callID] {
		p.named = append(p.named, strings.ToLower(text))
	}
}
