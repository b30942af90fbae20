package openai

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// responsePrefix begins the id of a response, which has its chat behind the id of its
// message. The chat is one of the person that asks, whoever made the id up.
const responsePrefix = "resp_"

// responseID is the id of the response to the message of a place.
func (p *place) responseID() string {
	return responsePrefix + strings.ReplaceAll(p.id, "/", ".") + "_" + p.chat()
}

// chatOf is the chat of a response and the id of its message; "" for an id that is none.
func chatOf(id string) (chat, message string) {
	rest, ok := strings.CutPrefix(id, responsePrefix)
	message, chat, split := strings.Cut(rest, "_")
	name := strings.TrimPrefix(chat, channels.PassingID)
	if !ok || !split || message == "" || len(id) > maxResponseID || chatID(name) != name {
		return "", ""
	}
	return chat, strings.ReplaceAll(message, ".", "/")
}

// maxResponseID is longer than any id of a response.
const maxResponseID = 256

// goesOn moves a place to the chat of an earlier response, or of a conversation.
func (a *API) goesOn(r *http.Request, p *place, q *responseRequest) *httpd.Refusal {
	chat := chatID(string(q.Conversation))
	if q.Previous != "" {
		if chat, _ = chatOf(q.Previous); chat == "" {
			return noPrevious()
		}
	}
	p.at.Chat = p.sender.ID + "." + chat
	if q.Previous == "" {
		return nil
	}
	_, err := a.o.Store.Lookup(r.Context(), p.at)
	if errors.Is(err, session.ErrNotFound) {
		return noPrevious()
	}
	if err != nil {
		return a.fault(err)
	}
	return nil
}

func noPrevious() *httpd.Refusal {
	return &httpd.Refusal{
		Status: http.StatusNotFound, Code: "previous_response_not_found", Message: textPrevious, Param: "previous_response_id",
	}
}

// decide answers questions, and goes on with the turn of the last one.
func (a *API) decide(w http.ResponseWriter, r *http.Request, p *place, q *responseRequest, answers []responseItem) *httpd.Refusal {
	for i := range answers {
		one, err := a.o.Store.Approval(r.Context(), answers[i].Approval)
		person, _, _ := cutLast(one.Address.Chat)
		switch {
		case errors.Is(err, session.ErrNotFound), err == nil && (one.Address.Channel != a.o.Channel || person != p.sender.ID):
			return &httpd.Refusal{Status: http.StatusNotFound, Code: "not_found", Message: textNotFound, Param: "input"}
		case err != nil:
			return a.fault(err)
		case !p.caller.May(httpd.RightApprove):
			return forbidden(textNoApprove)
		case one.Wish == nil || one.Wish.Credential == "" || one.Wish.Credential == p.caller.Credential:
			return forbidden(textOwnQuestion)
		}
		p.at = one.Address
		p.id = fmt.Sprintf("press/%s/%s", one.ID, digest(p.caller.Credential, strconv.FormatBool(answers[i].Approve)))
		if _, err := a.turnOf(r.Context(), p); one.State != session.ApprovalOpen && err != nil { // not the same answer again
			return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: textDecided, Param: "input"}
		}
		press := p.inbound(p.id, a.o.Press(&one, answers[i].Approve), &channels.Wish{})
		press.Kind, press.MessageID = channels.KindButton, one.Question
		if i == len(answers)-1 {
			return a.run(w, r, p, press, newResponse(r.Context(), a, w, p, q.shown()))
		}
		if err := a.o.Post(r.Context(), press); err != nil {
			return a.fault(err)
		}
	}
	return nil
}

// cutLast cuts around the last dot.
func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

func forbidden(message string) *httpd.Refusal {
	return &httpd.Refusal{Status: http.StatusForbidden, Code: "token_scope_insufficient", Message: message, Param: "input"}
}

// oneResponse answers with a response of the person, as the store has it.
func (a *API) oneResponse(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
	if r.URL.Query().Get("stream") == "true" {
		return bad("stream", textNoStream)
	}
	p, fact, f := storedAs(r.Context(), a, c, r.PathValue("id"))
	if f != nil {
		return f
	}
	q := &responseRequest{Model: ownModel}
	if fact.Program != nil && fact.Program.Model != "" {
		q.Model = fact.Program.Model
	}
	out := newResponse(r.Context(), a, w, p, q)
	if !fact.Ended {
		return a.answer(w, out.whole("in_progress"))
	}
	past, err := a.past(r.Context(), &fact)
	if err == nil {
		err = past.tell(out)
	}
	if err != nil {
		return a.fault(err)
	}
	if at := past.began(); !at.IsZero() {
		out.created = at.Unix()
	}
	return out.show()
}
