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
	maxChats = 200
	// Search looks at the titles of so many chats, those that were active last.
	maxSearched = 2000
	maxTitle    = 80
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
	wanted, looked := strings.ToLower(r.URL.Query().Get("q")), maxChats
	if wanted != "" {
		looked = maxSearched
	}
	all, err := l.chats(r.Context(), looked)
	if err != nil {
		return a.fault(err)
	}
	rows := []pageChat{}
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
	// asks are the numbers of open questions of the chats that asked, on the page.
	asks map[channels.Address]int
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

// has says whether the list may have a chat: one of one request has asked, and may still.
func (l *listing) has(info *session.Info) bool {
	_, asked := l.asks[info.Address]
	return l.id(info.Address) != "" && (asked || !info.Address.Passing())
}

// linked are the chats of other channels in the list.
func (l *listing) linked() []session.Link {
	if !l.page {
		return nil
	}
	return l.api.o.Linked.Chats(l.caller)
}

// chats are the present conversations of the person's chats, up to most of them. A chat of one
// request is in the list of the page while it asks.
func (l *listing) chats(ctx context.Context, most int) ([]session.Info, error) {
	of := channels.Address{Channel: l.api.o.Channel, Chat: l.api.o.Names.Chat(l.caller, "")}
	all, err := l.api.o.Reading.Newest(ctx, of, most)
	if err == nil && l.page {
		err = l.asking(ctx)
	}
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(i session.Info) bool { return l.id(i.Address) == "" })
	var others []channels.Address
	links := l.linked()
	for i := range links {
		others = append(others, links[i].Address)
	}
	for at, open := range l.asks {
		if at.Passing() && open > 0 && l.id(at) != "" {
			others = append(others, at)
		}
	}
	for _, at := range others {
		info, err := l.api.o.Store.Lookup(ctx, at)
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

// asking counts the open questions of the chats that asked.
func (l *listing) asking(ctx context.Context) error {
	open, err := l.api.o.Store.ApprovalList(ctx, "")
	l.asks = map[channels.Address]int{}
	for i := range open {
		n := 0
		if isOpen(&open[i]) {
			n = 1
		}
		l.asks[open[i].Address] += n
	}
	return err
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
