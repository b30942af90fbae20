package approval

import (
	"fmt"
	"strings"

	"parley/pkg/agent/named"
	"parley/pkg/agent/trust"
	"parley/pkg/channels"
	"parley/pkg/session"
)

// The data of a button begins with pressMark and the id of its question, and ends with one
// of the answers.
const (
	pressMark = "approval/"
	allowOnce = "once"
	allowHere = "here"
	denyCall  = "deny"
)

// Decision is the answer of a person, or of the operator, to a question.
type Decision struct {
	// Approval is the id of the question.
	Approval string
	// Operator: it was given on the command line.
	Operator bool

	answer string // allowOnce, allowHere or denyCall
}

// ParseDecision reads an item as a decision; false for any other item.
func ParseDecision(it *session.Item) (Decision, bool) {
	if given := it.Decision; given != nil {
		d := Decision{Approval: given.Approval, Operator: true, answer: denyCall}
		switch {
		case given.Allow && given.Here:
			d.answer = allowHere
		case given.Allow:
			d.answer = allowOnce
		}
		return d, true
	}
	if it.Inbound == nil || it.Inbound.Kind != channels.KindButton {
		return Decision{}, false
	}
	rest, pressed := strings.CutPrefix(it.Inbound.Text, pressMark)
	id, answer, whole := strings.Cut(rest, "/")
	known := answer == allowOnce || answer == allowHere || answer == denyCall
	return Decision{Approval: id, answer: answer}, pressed && whole && known
}

// PressOf is the text of a press that answers a question: once or here, or else no.
func PressOf(id string, allow, here bool) string {
	switch {
	case allow && here:
		return pressMark + id + "/" + allowHere
	case allow:
		return pressMark + id + "/" + allowOnce
	default:
		return pressMark + id + "/" + denyCall
	}
}

// QuestionOf is the id of the question that a button belongs to; false for any other one.
func QuestionOf(b channels.Button) (string, bool) {
	rest, ours := strings.CutPrefix(b.Data, pressMark)
	id, _, whole := strings.Cut(rest, "/")
	return id, ours && whole
}

// refusal says why a decision by a person does not count, "" where it does.
func (d Decision) refusal(a *session.Approval, by *trust.Principal) string {
	switch {
	case a.State != session.ApprovalOpen:
		return fmt.Sprintf(textApprovalDecided, a.ID, a.State)
	case !d.Operator && !by.Owner && by.Sender.ID != a.Principal.Sender.ID:
		return fmt.Sprintf(textNotYourApproval, named.Person(a.Principal.Sender), a.ID)
	case d.answer == allowHere && !a.Grantable:
		return fmt.Sprintf(textOnlyOnce, a.Call.Tool)
	default:
		return ""
	}
}

// buttons are those below a question.
func buttons(a *session.Approval) []channels.Button {
	data := func(answer string) string { return pressMark + a.ID + "/" + answer }
	if a.Call.Tool == forgetCommand {
		return []channels.Button{{Label: textForgetYes, Data: data(allowOnce)}, {Label: textForgetNo, Data: data(denyCall)}}
	}
	all := []channels.Button{{Label: textAllowOnce, Data: data(allowOnce)}}
	if a.Grantable {
		all = append(all, channels.Button{Label: textAllowHere, Data: data(allowHere)})
	}
	return append(all, channels.Button{Label: textDeny, Data: data(denyCall)})
}
