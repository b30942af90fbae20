package reading

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/pkg/channels"
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
	// So many new messages of a chat are counted.
	maxUnread = 100
)

// ListedChat is a row of the list.
type ListedChat struct {
	Chat string `json:"chat"`
	// Title is the beginning of the first message.
	Title string    `json:"title"`
	Time  time.Time `json:"time"`
}

// PageChat is a row as the page reads it; for a program it has no more than a [ListedChat].
type PageChat struct {
	ListedChat

	// Channel is that of a chat of another channel, which the page shows and does not write to.
	Channel string `json:"channel,omitempty"`
	// Unread are the messages that the person has not seen, Asks the open questions.
	Unread int `json:"unread,omitempty"`
	Asks   int `json:"asks,omitempty"`
}

// Viewer is the person for whom chats are listed.
type Viewer struct {
	// Own begins the addresses of the person's own chats.
	Own channels.Address
	// ID is the id of the person's own chat with a name, "" for any other chat.
	ID func(chat string) string
	// ForPage says that the page asks: it also has chats that ask a question in one request, and
	// those of other channels, which are Linked.
	ForPage bool
	Linked  func() []session.Link
}

// Chats are the chats of a person, those with the newest messages first. A search leaves those
// whose name or title has that text.
func (r *Reader) Chats(ctx context.Context, v Viewer, search string) ([]PageChat, error) {
	l := listing{Reader: r, Viewer: v}
	search, looked := strings.ToLower(search), maxChats
	if search != "" {
		looked = maxSearched
	}
	all, err := l.chats(ctx, looked)
	if err != nil {
		return nil, err
	}
	rows := []PageChat{}
	for i := range all {
		row, err := l.row(ctx, &all[i])
		if err != nil {
			return nil, err
		}
		if !strings.Contains(strings.ToLower(row.Chat+"\n"+row.Title), search) {
			continue
		}
		if rows = append(rows, row); len(rows) == maxChats {
			break
		}
	}
	return rows, nil
}

// Rows are those of some addresses for the page; a chat that the list does not have has none.
func (r *Reader) Rows(ctx context.Context, v Viewer, of []channels.Address) ([]PageChat, error) {
	l := listing{Reader: r, Viewer: v}
	if err := l.asking(ctx); err != nil {
		return nil, err
	}
	var rows []PageChat
	for _, at := range of {
		info, err := r.o.Store.Lookup(ctx, at)
		if errors.Is(err, session.ErrNotFound) || err == nil && !l.has(&info) {
			continue
		}
		if err != nil {
			return nil, err
		}
		row, err := l.row(ctx, &info)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// listing is the list of a person's chats, for the page or for a program.
type listing struct {
	*Reader
	Viewer

	// asks are the numbers of open questions of the chats that asked, on the page.
	asks map[channels.Address]int
}

// row is a chat in the list. The page is also told what is new there.
func (l *listing) row(ctx context.Context, info *session.Info) (row PageChat, err error) {
	row.ListedChat = ListedChat{Chat: l.id(info.Address), Time: info.Active}
	if info.Address.Channel != l.o.Channel {
		row.Channel = info.Address.Channel
	}
	if row.Title, err = l.title(ctx, info.Session); err != nil || !l.ForPage || row.Channel != "" {
		return row, err
	}
	if row.Title == "" { // its first turn is not over
		waits, err := l.Queued(ctx, info.Address)
		if err != nil {
			return row, err
		}
		if len(waits) > 0 {
			var files []string
			for i := range waits[0].Files {
				files = append(files, waits[0].Files[i].Name)
			}
			row.Title = l.titleOf(waits[0].Text, files)
		}
	}
	row.Asks = l.asks[info.Address]
	row.Unread, err = l.o.Activity.Unread(ctx, info.Chat, maxUnread)
	return row, err
}

// id is the id under which the list has the chat at an address; "" where it does not.
func (l *listing) id(at channels.Address) string {
	if at.Channel == l.o.Channel {
		return l.ID(at.Chat)
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
	if !l.ForPage {
		return nil
	}
	return l.Linked()
}

// chats are the present conversations of the person's chats, up to most of them. A chat of one
// request is in the list of the page while it asks.
func (l *listing) chats(ctx context.Context, most int) ([]session.Info, error) {
	all, err := l.o.Activity.Newest(ctx, l.Own, most)
	if err == nil && l.ForPage {
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
		info, err := l.o.Store.Lookup(ctx, at)
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
	open, err := l.o.Store.ApprovalList(ctx, "")
	l.asks = map[channels.Address]int{}
	for i := range open {
		n := 0
		if IsOpen(&open[i]) {
			n = 1
		}
		l.asks[open[i].Address] += n
	}
	return err
}

// titleFrom is how many of the first entries of a conversation are looked at for its title.
const titleFrom = 8

// title is the beginning of the first message of a person in a conversation.
func (r *Reader) title(ctx context.Context, id string) (title string, err error) {
	err = r.o.Store.Back(ctx, id, titleFrom+1, func(e session.Entry) bool {
		if e.Message.Role == providers.RoleUser && !e.Summary {
			said, files := e.Message.Content, []providers.File(nil)
			if o := e.Message.Original; o != nil {
				said, files = o.Text, o.Files
			}
			title = r.titleOf(said, names(files))
		}
		return true
	})
	if errors.Is(err, session.ErrNotFound) {
		err = nil
	}
	return title, err
}

// titleOf is the title that a message gives: its words, or the names of its files where it has none.
func (r *Reader) titleOf(said string, files []string) string {
	if strings.TrimSpace(said) == "" {
		said = strings.Join(files, ", ")
	}
	return text.Clip(strings.Join(strings.Fields(r.o.Redact(said)), " "), maxTitle)
}

func names(files []providers.File) []string {
	all := make([]string, len(files))
	for i := range files {
		all[i] = files[i].Name
	}
	return all
}
