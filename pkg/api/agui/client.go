package agui

import (
	"context"
	"net/http"

	"parley/pkg/api/native"
	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// message is the new message as the chat stores it; nil without one. Results of the client's
// tools make it a piece of conversation instead of a text.
func (n *news) message() *native.Request {
	q := &n.request
	b := n.brought
	b.Pictures = n.pictures
	if len(n.results) > 0 {
		for _, r := range n.results {
			b.Said = append(b.Said, channels.Said{Role: roleTool, CallID: r.id, Text: r.text})
		}
		if !n.wordless() {
			b.Said = append(b.Said, channels.Said{Role: roleUser, Text: n.text, Pictures: len(n.pictures)})
		}
	} else if q.Message = n.text; n.wordless() {
		return nil
	}
	q.Bring(b)
	return q
}

// wordless says that no message of the user is new.
func (n *news) wordless() bool { return n.text == "" && len(n.pictures) == 0 }

// matched leaves the results of calls that wait for the client, by the ids of the store.
// Others are those of our own tools, sent back, or are late.
func (r *run) matched(ctx context.Context, n *news) *httpd.Refusal {
	w, err := r.waiting(ctx)
	if err != nil {
		r.api.o.Log.Error().Err(err).Msg("a chat cannot be read for AG-UI")
		return &httpd.Refusal{Status: http.StatusInternalServerError, Code: "internal_error", Message: textFailed}
	}
	sent := n.results
	n.results = nil
	for _, one := range sent {
		if raw, ok := w.open[one.id]; ok {
			delete(w.open, one.id) // a result counts once
			n.results = append(n.results, result{raw, one.text})
		}
	}
	if len(n.results) > 0 || !n.wordless() || len(r.resumed) > 0 {
		return nil
	}
	for _, one := range sent {
		if text, ok := w.answered[one.id]; !ok || text != one.text {
			return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: textNoCall}
		}
	}
	r.gone = true // the same run again, whose events are gone
	return nil
}

// waiting are the newest calls of a chat by their ids on the wire.
type waiting struct {
	open     map[string]string // those that this client has to run, with the ids of the store
	answered map[string]string // the others, with their results
}

// waiting reads the calls of the newest answer with some.
func (r *run) waiting(ctx context.Context) (waiting, error) {
	w := waiting{map[string]string{}, map[string]string{}}
	results := map[string]string{}
	moved := false // the conversation went on behind the calls
	var calls []providers.ToolCall
	turn, round := "", 0
	err := r.chat.Back(ctx, func(e *session.Entry) bool {
		if calls != nil && e.Turn != turn {
			return false
		}
		moved = moved || e.Undone
		switch m := &e.Message; {
		case calls != nil: // the rounds before, of the same turn
			if m.Role == providers.RoleAssistant {
				round++
			}
		case m.Role == providers.RoleTool:
			results[m.ToolCallID] = m.Content
		case len(m.ToolCalls) > 0:
			calls, turn, round = m.ToolCalls, e.Turn, 1
		default:
			moved = true
		}
		return true
	})
	if err != nil || len(calls) == 0 {
		return w, err
	}
	mine, err := r.chat.Calls(ctx, turn)
	for i := range calls {
		id := callID(turn, round, calls[i].ID)
		if text, ok := results[calls[i].ID]; ok {
			w.answered[id] = text
		} else if mine && !moved {
			w.open[id] = calls[i].ID
		}
	}
	return w, err
}
