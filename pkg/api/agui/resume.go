package agui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/pkg/api/native"
	"parley/pkg/httpd"
	"parley/pkg/session"
	"parley/pkg/visible"
)

// answer is what a resume says about one question.
type answer struct {
	question *session.Approval
	// choice is a word of [native.Choices].
	choice string
	// item is the stored id of the answer.
	item string
	// over says that the question is not open any more: it was answered, or is late.
	over bool
}

// answers reads the answers in the resume of a run, and stores none of them.
func (r *run) answers(ctx context.Context, resume []resumeEntry) ([]answer, *httpd.Refusal) {
	var all []answer
	for i := range resume {
		e := &resume[i]
		q, f := r.chat.Question(ctx, e.ID)
		if f != nil {
			return nil, f
		}
		if slices.ContainsFunc(all, func(a answer) bool { return a.question.ID == q.ID }) {
			continue
		}
		a := answer{
			question: q,
			over:     q.State != session.ApprovalOpen || !time.Now().Before(q.Expires),
		}
		if a.choice, f = e.choice(q); f != nil {
			return nil, f
		}
		a.item = r.chat.Decision(q, a.choice)
		if !a.over {
			if f := r.chat.MayDecide(q, a.choice); f != nil {
				return nil, f
			}
		}
		all = append(all, a)
	}
	return all, nil
}

// choice is the answer that an entry gives.
func (e *resumeEntry) choice(q *session.Approval) (string, *httpd.Refusal) {
	switch e.Status {
	case "cancelled":
		return native.ChoiceOf(false, false), nil
	case "resolved":
	default:
		return "", bad("resume", textStatus)
	}
	var p struct {
		Decision string          `json:"decision"`
		Approved *bool           `json:"approved"`
		Edited   json.RawMessage `json:"editedArgs"`
	}
	word := native.Choices(q)
	err := json.Unmarshal(e.Payload, &p)
	switch {
	case err == nil && len(p.Edited) > 0 && string(p.Edited) != "null":
		return "", bad("resume", textEdited)
	case err == nil && slices.Contains(word, p.Decision):
		return p.Decision, nil
	case err == nil && p.Decision == "" && p.Approved != nil:
		return native.ChoiceOf(*p.Approved, false), nil
	}
	return "", bad("resume", fmt.Sprintf(textPayload, word))
}

// uncovered refuses a run that leaves an open question without an answer.
func uncovered(open []session.Approval, answers []answer) *httpd.Refusal {
	var ids []string
	for i := range open {
		if !slices.ContainsFunc(answers, func(a answer) bool { return a.question.ID == open[i].ID }) {
			ids = append(ids, open[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return &httpd.Refusal{
		Status: http.StatusConflict, Code: "interrupt_open", Message: fmt.Sprintf(textInterrupted, strings.Join(ids, ", ")),
	}
}

// interrupts are questions on the wire.
func (r *run) interrupts(open []session.Approval) []interrupt {
	all := make([]interrupt, 0, len(open))
	for i := range open {
		q := &open[i]
		all = append(all, interrupt{
			ID: q.ID, Reason: reasonCall, Message: visible.Text(r.api.o.Redact(q.Text)), ExpiresAt: q.Expires,
			CallID: callID(q.Call.Turn, q.Call.Round, q.Call.ID),
			Schema: map[string]any{
				"type": "object", "required": []string{"decision"},
				"properties": map[string]any{"decision": map[string]any{"type": "string", "enum": native.Choices(q)}},
			},
		})
	}
	return all
}
