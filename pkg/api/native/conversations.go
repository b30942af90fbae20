package native

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"parley/pkg/httpd"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// maxLeft is how many conversations a chat shows beside the present one.
const maxLeft = 50

// conversation is one that a chat has, or left behind.
type conversation struct {
	// ID is what /resume takes; the message is "/resume ID".
	ID string `json:"id"`
	// Title is the beginning of its first message.
	Title   string    `json:"title"`
	Entries uint64    `json:"entries"`
	Time    time.Time `json:"time"`
	Current bool      `json:"current"`
}

// listConversations answers with the present conversation of a chat, and with those that it left
// behind, the one that was active last first.
func listConversations(a *API, w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	all := []conversation{}
	info, err := a.o.Store.Lookup(r.Context(), p.at)
	var left []session.Info
	if err == nil {
		left, err = a.o.Store.Left(r.Context(), info.Chat, maxLeft)
		left = append([]session.Info{info}, left...)
	}
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return a.fault(err)
	}
	l := listing{api: a, caller: p.caller}
	for i := range left {
		one := &left[i]
		title, err := l.title(r.Context(), one.Session)
		if err != nil {
			return a.fault(err)
		}
		all = append(all, conversation{ID: one.Session, Title: title, Entries: one.Entries, Time: one.Active, Current: one.Current})
	}
	return a.answer(w, http.StatusOK, map[string]any{"conversations": all})
}

// lastAnswer is the last one of the model in a chat, as it wrote it; empty without one.
type lastAnswer struct {
	Text string `json:"text"`
	Turn string `json:"turn,omitempty"`
}

// readAnswer answers with it, for a client that copies it.
func readAnswer(a *API, w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	var found lastAnswer
	info, err := a.o.Store.Lookup(r.Context(), p.at)
	if err == nil {
		left := lookBack
		err = a.o.Store.Back(r.Context(), info.Session, 0, func(e session.Entry) bool {
			left--
			m := &e.Message
			speaks := m.Role == providers.RoleAssistant && len(m.ToolCalls) == 0 && !e.Undone && !e.Silent()
			if said := strings.TrimSpace(m.Content); speaks && said != "" {
				found = lastAnswer{Text: a.o.Redact(said), Turn: e.Turn}
			}
			return found.Text == "" && left > 0
		})
	}
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return a.fault(err)
	}
	return a.answer(w, http.StatusOK, found)
}
