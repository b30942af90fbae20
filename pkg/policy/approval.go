package policy

import "fmt"

// AskRule says which calls a person is asked about.
type AskRule string

// The rules.
const (
	// AskDestructive asks for calls that overwrite, delete or execute. Once untrusted
	// content has entered the turn, it also asks for calls that write or reach a new
	// destination.
	AskDestructive AskRule = "destructive"
	// AskSideEffects: everything that may change something.
	AskSideEffects AskRule = "side_effects"
	// AskNever asks for no call. As the rule for all tools it excludes tools that destroy
	// or execute: a waiver has to name these.
	AskNever AskRule = "never"
)

// Approvals are the operator's rules for asking. The zero value asks by
// [AskDestructive].
type Approvals struct {
	Default AskRule
	// Tools are the rules of single tools, by name.
	Tools map[string]AskRule
}

// Deed describes the effects of a call that matter for asking.
type Deed struct {
	Tool string
	// Writes: it may change something beyond its own chat.
	Writes bool
	// Destructive: this call overwrites, deletes or executes. Destroys says the same
	// of the tool in general, Executes that it runs commands or code.
	Destructive, Destroys, Executes bool
	// NewDestination: it reaches an address that no person named.
	NewDestination bool
	// Always: it is asked for, whatever the operator has set.
	Always bool
	// Tainted: untrusted content has entered the turn: a web page, a file from
	// somebody else, forwarded text.
	Tainted bool
	// Steps are the calls of other tools that it makes.
	Steps []Deed
}

// Reason says why a person is asked before a call; the zero value does not ask.
type Reason struct {
	// Text is a clause, such as: it overwrites or deletes.
	Text string
	// Evident says that the reason is the call's own action, which a question names.
	Evident bool
}

// Asks says whether a person is asked.
func (r Reason) Asks() bool { return r.Text != "" }

// Asks gives the reason to ask a person before the deed. It is asked
// for where one of its steps would be, unless the operator has waived the whole of
// it by name.
func (a Approvals) Asks(d Deed) Reason {
	rule, named := a.Tools[d.Tool]
	if !named {
		rule = a.Default
	}
	waived := named && rule == AskNever
	if rule == AskNever && !named && (d.Destroys || d.Destructive || d.Executes) {
		rule = AskDestructive
	}
	why := d.asked(rule)
	if why.Asks() || waived {
		return why
	}
	for i := range d.Steps {
		if why := a.Asks(d.Steps[i]); why.Asks() {
			return Reason{Text: fmt.Sprintf(textReasonStep, d.Steps[i].Tool, why.Text)}
		}
	}
	return Reason{}
}

// asked says why a person is asked before the deed by one rule.
func (d Deed) asked(rule AskRule) Reason {
	switch {
	case d.Always:
		return Reason{Text: textReasonAlways}
	case rule == AskNever:
		return Reason{}
	case d.Executes:
		return Reason{Text: textReasonExecutes, Evident: true}
	case d.Destructive:
		return Reason{Text: textReasonDestroys, Evident: true}
	case d.Writes && rule == AskSideEffects:
		return Reason{Text: textReasonChanges, Evident: true}
	case d.Tainted:
		return d.askedAfterOutside()
	default:
		return Reason{}
	}
}

// askedAfterOutside says why a person is asked once untrusted content is in the turn.
func (d Deed) askedAfterOutside() Reason {
	switch {
	case d.Writes:
		return Reason{Text: textReasonChangesAfter}
	case d.NewDestination:
		return Reason{Text: textReasonReachesAfter}
	default:
		return Reason{}
	}
}

// Grantable says whether a person may allow further calls of the same tool in
// advance: not for calls that always ask, or that execute.
func (d Deed) Grantable() bool { return !d.Always && !d.Executes }

// Waived lists, for the log, the tools that destroy or execute without asking;
// destroys tells whether a tool does.
func (a Approvals) Waived(names []string, destroys func(tool string) bool) []string {
	var out []string
	for _, name := range names {
		if a.Tools[name] == AskNever && destroys(name) {
			out = append(out, name)
		}
	}
	return out
}
