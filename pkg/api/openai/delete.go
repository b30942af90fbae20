package openai

import (
	"context"
	"errors"
	"net/http"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// storedAs finds the turn of a response of the person by the id of the response.
func storedAs(ctx context.Context, a *API, c *httpd.Caller, id string) (p *place, fact session.TurnFact, f *httpd.Refusal) {
	chat, message := chatOf(id)
	if chat == "" {
		return nil, fact, notFound(textPrevious)
	}
	p = &place{caller: c, sender: channels.Sender{ID: c.Person.String()}, id: message}
	p.at = channels.Address{Channel: a.o.Channel, Chat: p.sender.ID + "." + chat}
	fact, err := a.turnOf(ctx, p)
	if errors.Is(err, session.ErrNotFound) {
		return nil, fact, notFound(textPrevious)
	}
	if err != nil {
		return nil, fact, a.fault(err)
	}
	return p, fact, nil
}

// deleteResponse deletes a response of the person that is not in progress.
func deleteResponse(a *API, w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
	id := r.PathValue("id")
	_, fact, f := storedAs(r.Context(), a, c, id)
	if f != nil {
		return f
	}
	if !fact.Ended {
		return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: textInProgress}
	}
	switch err := a.o.Store.ForgetTurn(r.Context(), fact.Chat, fact.Turn); {
	case errors.Is(err, session.ErrNotFound): // another request was first
		return notFound(textPrevious)
	case err != nil:
		return a.fault(err)
	}
	return a.answer(w, object{"id": id, "object": "response.deleted", "deleted": true})
}
