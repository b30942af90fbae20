package native

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/pkg/httpd"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
)

// The bounds of the list of chats.
const (
	listPage = 500 // sessions that are looked at in one step
	maxChats = 200
	maxTitle = 80
)

// listedChat is a row of the list.
type listedChat struct {
	Chat string `json:"chat"`
	// Title is the beginning of the first message.
	Title string    `json:"title"`
	Time  time.Time `json:"time"`
}

// listChats answers with the chats of a person, those with the newest messages first; ?q=
// leaves those whose name or title has a text.
func (a *API) listChats(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
	all, err := a.chatsOf(r.Context(), personOf(c)+".")
	if err != nil {
		return a.fault(err)
	}
	wanted, rows := strings.ToLower(r.URL.Query().Get("q")), []listedChat{}
	for i := range all {
		row := listedChat{Chat: all[i].Address.Chat[len(personOf(c))+1:], Time: all[i].Active}
		if row.Title, err = a.title(r.Context(), all[i].Session); err != nil {
			return a.fault(err)
		}
		if !strings.Contains(strings.ToLower(row.Chat+"\n"+row.Title), wanted) {
			continue
		}
		if rows = append(rows, row); len(rows) == maxChats {
			break
		}
	}
	return a.answer(w, http.StatusOK, map[string]any{"chats": rows})
}

// chatsOf are the present conversations of the chats whose names begin with a prefix.
func (a *API) chatsOf(ctx context.Context, prefix string) ([]session.Info, error) {
	var all []session.Info
	for after := ""; ; {
		page, err := a.o.Store.List(ctx, after, listPage)
		if err != nil {
			return nil, err
		}
		for i := range page {
			at := page[i].Address
			if rest, ours := strings.CutPrefix(at.Chat, prefix); page[i].Current && at.Channel == a.o.Channel && ours && validID(rest) {
				all = append(all, page[i])
			}
		}
		if len(page) < listPage {
			break
		}
		after = page[len(page)-1].Session
	}
	slices.SortFunc(all, func(x, y session.Info) int {
		return cmp.Or(y.Active.Compare(x.Active), cmp.Compare(x.Session, y.Session))
	})
	return all, nil
}

// errFound ends a reading.
var errFound = errors.New("found")

// title is the beginning of the first message of a person in a conversation.
func (a *API) title(ctx context.Context, id string) (string, error) {
	title := ""
	err := a.o.Store.All(ctx, id, func(e session.Entry) error {
		if e.Message.Role != providers.RoleUser || e.Summary {
			return nil
		}
		title = text.Clip(strings.Join(strings.Fields(a.o.Redact(e.Message.Content)), " "), maxTitle)
		return errFound
	})
	if errors.Is(err, errFound) || errors.Is(err, session.ErrNotFound) {
		err = nil
	}
	return title, err
}
