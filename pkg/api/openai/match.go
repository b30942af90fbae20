package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// match gives the results of the client's calls in a lasting chat the ids of the store: the
// stored call counts, and not the one that the client sends back. A result counts once, and by
// the token that the call was told to.
func (a *API) match(ctx context.Context, p *place, w *channels.Wish, param string) *httpd.Refusal {
	var results []*channels.Said
	for i := range w.Said {
		if w.Said[i].Role == roleTool {
			results = append(results, &w.Said[i])
		}
	}
	if len(results) == 0 {
		return nil
	}
	if p.keyed {
		if _, err := a.turnOf(ctx, p); !errors.Is(err, session.ErrNotFound) {
			return nil // the request comes again, and its results are stored
		}
	}
	open, err := a.open(ctx, p)
	if err != nil {
		return a.fault(err)
	}
	for _, r := range results {
		id, ok := open[r.CallID]
		if !ok {
			return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: fmt.Sprintf(textLate, r.CallID), Param: param}
		}
		delete(open, r.CallID)
		r.CallID = id
	}
	return nil
}

// open are the calls that wait for the program of a place in its chat: their ids on the wire,
// with those of the store.
func (a *API) open(ctx context.Context, p *place) (map[string]string, error) {
	none := map[string]string{}
	info, err := a.o.Store.Lookup(ctx, p.at)
	if errors.Is(err, session.ErrNotFound) {
		return none, nil
	}
	if err != nil {
		return nil, err
	}
	var last session.Entry
	answered := map[string]bool{}
	if err := a.o.Store.Back(ctx, info.Session, 0, func(e session.Entry) bool {
		switch {
		case e.Summary:
			return true
		case e.Message.Role == providers.RoleTool:
			answered[e.Message.ToolCallID] = true
			return true
		}
		last = e
		return false
	}); err != nil {
		return nil, err
	}
	if last.Undone { // the conversation went on without it
		return none, nil
	}
	program, err := a.o.Store.ProgramOf(ctx, info.Chat, last.Turn)
	if errors.Is(err, session.ErrNotFound) || err == nil && (!program.Calls || program.Credential != p.caller.Credential) {
		return none, nil
	}
	open := map[string]string{}
	for i := range last.Message.ToolCalls {
		if id := last.Message.ToolCalls[i].ID; !answered[id] {
			open[callID(last.Turn, len(open))] = id
		}
	}
	return open, err
}
