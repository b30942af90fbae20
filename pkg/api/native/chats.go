package native

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/pkg/channels"
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

// pageChat is a row as the page reads it.
type pageChat struct {
	listedChat
	// Channel is that of a chat of another channel, which the page shows and does not write to.
	Channel string `json:"channel,omitempty"`
	// Unread are the messages that the person has not seen, Asks the open questions.
	Unread int `json:"unread,omitempty"`
	Asks   int `json:"asks,omitempty"`
}

// listChats answers with the chats of a person, those with the newest messages first; ?q=
// leaves those whose name or title has a text.
func (a *API) listChats(w http.ResponseWriter, r *http.Request, c *httpd.Caller, page bool) *httpd.Refusal {
	l := listing{api: a, caller: c, page: page}
	all, err := l.chats(r.Context())
	if err != nil {
		return a.fault(err)
	}
	wanted, rows := strings.ToLower(r.URL.Query().Get("q")), []pageChat{}
	for i := range all {
		row, err := l.row(r.Context(), &all[i])
		if err != nil {
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

// listing is the list of a person's chats, for the page or for a program.
type listing struct {
	api    *API
	caller *httpd.Caller
	page   bool
}

// id is the id under which the list has the chat at an address; "" where it does not.
func (l *listing) id(at channels.Address) string {
	if at.Channel == l.api.o.Channel {
		if id, ours := l.api.o.Names.ID(l.caller, at.Chat); ours && ValidID(id) {
			return id
		}
		return ""
	}
	links := l.linked()
	for i := range links {
		if links[i].Address == at {
			return links[i].ID
		}
	}
	return ""
}

// linked are the chats of other channels in the list.
func (l *listing) linked() []session.Link {
	if !l.page {
		return nil
	}
	return l.api.o.Linked.Chats(l.caller)
}

// chats are the present conversations of the person's chats.
func (l *listing) chats(ctx context.Context) ([]session.Info, error) {
	var all []session.Info
	for after := ""; ; {
		page, err := l.api.o.Store.List(ctx, after, listPage)
		if err != nil {
			return nil, err
		}
		for i := range page {
			if page[i].Current && page[i].Address.Channel == l.api.o.Channel && l.id(page[i].Address) != "" {
				all = append(all, page[i])
			}
		}
		if len(page) < listPage {
			break
		}
		after = page[len(page)-1].Session
	}
	links := l.linked()
	for i := range links {
		info, err := l.api.o.Store.Lookup(ctx, links[i].Address)
		if errors.Is(err, session.ErrNotFound) {
			continue // it has no words yet
		}
		if err != nil {
			return nil, err
		}
		all = append(all, info)
	}
	slices.SortFunc(all, func(x, y session.Info) int {
		return cmp.Or(y.Active.Compare(x.Active), cmp.Compare(x.Session, y.Session))
	})
	return all, nil
}

// titleFrom is how many of the first entries of a conversation are looked at for its title.
const titleFrom = 8

// title is the beginning of the first message of a person in a conversation.
func (l *listing) title(ctx context.Context, id string) (title string, err error) {
	err = l.api.o.Store.Back(ctx, id, titleFrom+1, func(e session.Entry) bool {
		if e.Message.Role == providers.RoleUser && !e.Summary {
			said, files := e.Message.Content, []providers.File(nil)
			if o := e.Message.Original; o != nil {
				said, files = o.Text, o.Files
			}
			title = titleOf(l.api, said, names(files))
		}
		return true
	})
	if errors.Is(err, session.ErrNotFound) {
		err = nil
	}
	return title, err
}

// titleOf is the title that a message gives: its words, or the names of its files where it has none.
func titleOf(a *API, said string, files []string) string {
	if strings.TrimSpace(said) == "" {
		said = strings.Join(files, ", ")
	}
	return text.Clip(strings.Join(strings.Fields(a.o.Redact(said)), " "), maxTitle)
}

func names(files []providers.File) []string {
	all := make([]string, len(files))
	for i := range files {
		all[i] = files[i].Name
	}
	return all
}
