package native

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"parley/pkg/api/native/reading"
	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/visible"
)

// history is a page of a chat: the newest messages, or those before one.
type history struct {
	Chat     string            `json:"chat"`
	Messages []reading.Message `json:"messages"`
	// Before fetches the page before, where there may be one.
	Before uint64 `json:"before,omitempty"`
	// Approvals are the open questions, After is the id from which events go on.
	Approvals []question `json:"approvals"`
	After     string     `json:"after"`
}

// pageHistory is a page of a chat as the page in the browser reads it.
type pageHistory struct {
	history
	// Queued are the messages of the person whose turns are not over.
	Queued []reading.Queued `json:"queued,omitempty"`
	// Unseen are the ids of messages that the person has not seen.
	Unseen []string `json:"unseen,omitempty"`
}

// question is an open question about a call.
type question struct {
	ID        string    `json:"id"`
	CallID    string    `json:"tool_call_id"`
	Name      string    `json:"name"`
	Text      string    `json:"text"`
	Choices   []string  `json:"choices"`
	ExpiresAt time.Time `json:"expires_at"`
	// Message is the id of the message that asks.
	Message string `json:"message,omitempty"`
}

// read answers with a page of the chat. A chat without words is an empty one.
func (a *API) read(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	var before uint64
	if s := r.URL.Query().Get("before"); s != "" {
		var err error
		if before, err = strconv.ParseUint(s, 10, 64); err != nil {
			return bad("before", err.Error())
		}
	}
	h := pageHistory{history: history{
		Chat: r.PathValue("chat"), Messages: []reading.Message{}, Approvals: []question{}, After: a.o.Hub.Mark(p.at),
	}}
	info, err := a.o.Store.Lookup(r.Context(), p.at)
	if errors.Is(err, session.ErrNotFound) {
		return a.answer(w, http.StatusOK, h)
	}
	if err != nil {
		return a.fault(err)
	}
	part, err := a.reader.Page(r.Context(), p.at, info.Session, before)
	if err != nil {
		return a.fault(err)
	}
	h.Messages, h.Before = append(h.Messages, part.Messages...), part.Before
	if !p.program { // behind the messages: a turn that ends in between has its events
		if err := h.wait(r.Context(), a, p, &part, before); err != nil {
			return a.fault(err)
		}
	}
	open, err := a.o.Store.ApprovalList(r.Context(), info.Chat)
	if err != nil {
		return a.fault(err)
	}
	for i := range open {
		if q := &open[i]; reading.IsOpen(q) && p.link == nil {
			h.Approvals = append(h.Approvals, questionOn(a, q))
		}
	}
	return a.answer(w, http.StatusOK, h)
}

// wait adds what the person has not seen, and on the newest page what waits for its turn.
func (h *pageHistory) wait(ctx context.Context, a *API, p *place, part *reading.Page, before uint64) (err error) {
	if p.link == nil {
		h.Unseen = part.Unseen
	}
	if before == 0 {
		h.Queued, err = a.reader.Queued(ctx, p.at)
	}
	return err
}

// questionOn is a question on the wire.
func questionOn(a *API, q *session.Approval) question {
	return question{
		ID: q.ID, CallID: q.Call.ID, Name: q.Call.Tool, Text: visible.Text(a.o.Redact(q.Text)), Choices: Choices(q), ExpiresAt: q.Expires,
		Message: q.Question,
	}
}

// offered are the names of the tools that a turn of the person may use in a chat.
func (a *API) offered(ctx context.Context, p *place) []string {
	level := policy.Lowest(p.caller.Level, a.o.LevelOf(ctx, p.at, p.sender))
	return a.o.Tools.Filter(func(name string, an tools.Annotations) bool {
		return level.Allows(policy.Level(an.Level)) && a.o.Offered(p.at, name)
	}).List()
}

type listedTool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"`
}

// listTools answers with the tools that a new chat of the person has.
func (a *API) listTools(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
	p, _ := a.placeOf(c, "new")
	names := a.offered(r.Context(), &p)
	all := []listedTool{}
	for _, d := range a.o.Tools.ToProviderDefs() {
		if slices.Contains(names, d.Function.Name) {
			all = append(all, listedTool{d.Function.Name, d.Function.Description, d.Function.Parameters})
		}
	}
	return a.answer(w, http.StatusOK, map[string]any{"tools": all})
}

// Choices are the answers that a question takes.
func Choices(q *session.Approval) []string {
	if q.Grantable {
		return []string{allowOnce, allowHere, deny}
	}
	return []string{allowOnce, deny}
}

// The answers to a question.
const (
	allowOnce = "allow_once"
	allowHere = "allow_here"
	deny      = "deny"
)

// ChoiceOf is the word for an answer to a question.
func ChoiceOf(allow, here bool) string {
	switch {
	case allow && here:
		return allowHere
	case allow:
		return allowOnce
	default:
		return deny
	}
}

// decide answers a question as its person. Whether the answer counts is decided by the turn that
// reads it.
func (a *API) decide(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	var d struct {
		Decision string `json:"decision"`
	}
	if f := httpd.Decode(r, &d); f != nil {
		return f
	}
	q, f := questionOf(r.Context(), a, p, r.PathValue("approval"))
	if f != nil {
		return f
	}
	if f := mayDecide(p, q, d.Decision); f != nil {
		return f
	}
	if q.State != session.ApprovalOpen {
		return a.decidedAgain(w, r, q, d.Decision)
	}
	if f := press(r.Context(), a, p, q, d.Decision); f != nil {
		return f
	}
	message := session.InboundItemID(p.at, pressID(p, q, d.Decision))
	return a.accepted(w, map[string]string{"id": q.ID, "decision": d.Decision, "message": message})
}

// decidedAgain answers a decision that came before: 200 for the same one, for a client that sends
// it again, and 409 for any other.
func (a *API) decidedAgain(w http.ResponseWriter, r *http.Request, q *session.Approval, decision string) *httpd.Refusal {
	was, err := a.decisionOf(r.Context(), q)
	if err != nil {
		return a.fault(err)
	}
	if was != decision {
		return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: textDecided}
	}
	return a.answer(w, http.StatusOK, map[string]string{"id": q.ID, "decision": was})
}

// decisionOf is the answer that a question has got, or "". A grant has the id of its question,
// also where it was taken back meanwhile: then it counts as none.
func (a *API) decisionOf(ctx context.Context, q *session.Approval) (string, error) {
	switch q.State {
	case session.ApprovalDenied:
		return deny, nil
	case session.ApprovalAllowed:
		grants, err := a.o.Store.Grants(ctx, q.Chat)
		return ChoiceOf(true, slices.ContainsFunc(grants, func(g session.Grant) bool { return g.Approval == q.ID })), err
	default:
		return "", nil
	}
}

// questionOf is the question with an id, in the chat of a place.
func questionOf(ctx context.Context, a *API, p *place, id string) (*session.Approval, *httpd.Refusal) {
	q, err := a.o.Store.Approval(ctx, id)
	switch {
	case errors.Is(err, session.ErrNotFound), err == nil && q.Address != p.at:
		return nil, notFound()
	case err != nil:
		return nil, a.fault(err)
	}
	return &q, nil
}

// mayDecide refuses answers that a caller may not give. A program may take back a call of a turn
// that it started itself.
func mayDecide(p *place, q *session.Approval, decision string) *httpd.Refusal {
	started := ""
	if q.Wish != nil {
		started = q.Wish.Credential
	}
	own := started == p.caller.Credential
	switch {
	case p.program && own && decision == deny:
	case p.program && !p.caller.May(httpd.RightApprove):
		return forbidden(textNoApprove)
	case p.program && (started == "" || own):
		return forbidden(textOwnQuestion)
	case !slices.Contains(Choices(q), decision):
		return bad("decision", textDecision)
	}
	return nil
}

// press stores the answer to a question: the same answer again is the same press.
func press(ctx context.Context, a *API, p *place, q *session.Approval, decision string) *httpd.Refusal {
	press := p.inbound(channels.KindButton, pressID(p, q, decision), a.o.Press(q, decision), &channels.Wish{})
	press.MessageID = q.Question
	if err := a.o.Post(ctx, press); err != nil {
		return a.fault(err)
	}
	return nil
}

func pressID(p *place, q *session.Approval, decision string) string {
	return "press/" + keyOf(p.caller.Credential, p.at.Chat, q.ID, decision)
}
