package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/pkg/channels/web"
	"parley/pkg/gateway/admin"
	"parley/pkg/httpd"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
)

// pageRoutes are the routes of the page beside those of the API: the person's chats, the
// models, and for owners what the operator's commands show.
type pageRoutes struct{ a *App }

func (p pageRoutes) all() []httpd.Route {
	return []httpd.Route{
		{Pattern: "GET /page/list", Access: httpd.AccessPage, Handler: http.HandlerFunc(p.list)},
		{Pattern: "GET /page/models", Access: httpd.AccessPage, Handler: http.HandlerFunc(p.models)},
		{Pattern: "GET /page/owner/{what}", Access: httpd.AccessPage, Handler: http.HandlerFunc(p.owner)},
	}
}

// listedChat is a chat in the list of its person.
type listedChat struct {
	ID    string    `json:"id"`
	Title string    `json:"title"`
	Time  time.Time `json:"time"`
}

// The bounds of the list of chats.
const (
	maxListed   = 200
	maxTitle    = 60
	sessionPage = 500
)

// list answers with the person's chats, the newest first. A title is the beginning of the first
// message.
func (p pageRoutes) list(w http.ResponseWriter, r *http.Request) {
	c := httpd.CallerFrom(r.Context())
	mine, err := p.sessionsOf(r.Context(), c.Person.String()+".")
	if err != nil {
		p.fault(w, err)
		return
	}
	slices.SortFunc(mine, func(a, b session.Info) int {
		return cmp.Or(b.Active.Compare(a.Active), cmp.Compare(a.Session, b.Session))
	})
	chats := []listedChat{}
	for i := range mine[:min(len(mine), maxListed)] {
		title, err := p.title(r.Context(), &mine[i])
		if err != nil {
			p.fault(w, err)
			return
		}
		_, id, _ := strings.Cut(mine[i].Address.Chat, ".")
		chats = append(chats, listedChat{ID: id, Title: title, Time: mine[i].Active})
	}
	p.answer(w, map[string]any{"chats": chats})
}

// sessionsOf are the current conversations of the web whose chats begin with a prefix.
func (p pageRoutes) sessionsOf(ctx context.Context, prefix string) (mine []session.Info, err error) {
	for after := ""; ; {
		some, err := p.a.store.Sessions().List(ctx, after, sessionPage)
		if err != nil {
			return nil, err
		}
		for i := range some {
			if at := &some[i].Address; some[i].Current && at.Channel == web.Name && strings.HasPrefix(at.Chat, prefix) {
				mine = append(mine, some[i])
			}
			after = some[i].Session
		}
		if len(some) < sessionPage {
			return mine, nil
		}
	}
}

// title is the beginning of the first message of a conversation.
func (p pageRoutes) title(ctx context.Context, info *session.Info) (title string, err error) {
	const first = 3 // the entries before this one
	err = p.a.store.Sessions().Back(ctx, info.Session, first, func(e session.Entry) bool {
		if e.Message.Role == providers.RoleUser && !e.Summary {
			title = text.Clip(strings.Join(strings.Fields(p.a.o.Redactor.Redact(e.Message.Content)), " "), maxTitle)
		}
		return true
	})
	return title, err
}

// models answers with the names of the models that a chat may choose.
func (p pageRoutes) models(w http.ResponseWriter, _ *http.Request) {
	names := []string{}
	for _, c := range p.a.models.Choices() {
		names = append(names, c.Name)
	}
	p.answer(w, map[string]any{"models": names})
}

// shownToOwners are the operator's operations that an owner reads on the page.
func shownToOwners() map[string]admin.Operation {
	return map[string]admin.Operation{
		"status": admin.Status(), "approvals": admin.ListApprovals(), "tools": admin.ListTools(), "jobs": admin.ListJobs(),
		"tasks": admin.ListTasks(), "pairs": admin.ListPairs(), "sessions": admin.ListSessions(),
	}
}

// owner answers an owner with the values of an operation. For other people there is none.
func (p pageRoutes) owner(w http.ResponseWriter, r *http.Request) {
	op, ok := shownToOwners()[r.PathValue("what")]
	if c := httpd.CallerFrom(r.Context()); !ok || !c.Owner {
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusNotFound, Code: "not_found", Message: textNotOnPage})
		return
	}
	values := []json.RawMessage{}
	err := p.a.Operations().Do(r.Context(), op.Name, &admin.Request{}, func(v any) error {
		if raw, ok := v.(json.RawMessage); ok {
			values = append(values, raw)
		}
		return nil
	})
	if err != nil {
		p.fault(w, err)
		return
	}
	p.answer(w, map[string]any{"values": values})
}

func (p pageRoutes) fault(w http.ResponseWriter, err error) {
	p.a.o.Log.Error().Err(err).Msg("a request of the page failed")
	httpd.Refuse(w, httpd.Refusal{Status: http.StatusInternalServerError, Code: "internal_error", Message: textPageFailed})
}

func (pageRoutes) answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v) // a browser that is gone needs no answer
}
