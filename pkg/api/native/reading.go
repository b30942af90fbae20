package native

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// Reading is what a list shows of chats beside their messages: which were active last, how many
// messages are new, and what waits for its turn. The methods are those of [session.Reading].
type Reading interface {
	MarkRead(ctx context.Context, chat, to string) (bool, error)
	Unread(ctx context.Context, chat string, limit int) (int, error)
	Queued(ctx context.Context, a channels.Address, limit int) ([]session.Item, error)
	Newest(ctx context.Context, of channels.Address, limit int) ([]session.Info, error)
	Shown(ctx context.Context, sessionID string, from uint64, f func(session.Shown) bool) error
}

// The bounds of what is counted, and of what waits.
const (
	maxUnread = 100
	maxQueued = 100
)

// queued is a message of the person whose turn is not over.
type queued struct {
	Message string    `json:"message"`
	Text    string    `json:"text"`
	Time    time.Time `json:"time"`
	// Files came with the message.
	Files []channels.KeptFile `json:"files,omitempty"`
}

// queuedIn are the messages of a chat that wait for their turns, with that of the running one.
func queuedIn(ctx context.Context, a *API, at channels.Address) ([]queued, error) {
	items, err := a.o.Reading.Queued(ctx, at, maxQueued)
	var all []queued
	for i := range items {
		in := items[i].Inbound
		if in == nil || in.Kind != channels.KindMessage {
			continue
		}
		if name, _ := a.o.Command(in.Text); name != commandStop { // a button of the page sends it
			all = append(all, queued{Message: items[i].ID, Text: a.o.Redact(in.Text), Time: items[i].Time, Files: filing{a}.found(at, in.Kept())})
		}
	}
	return all, err
}

// row is a chat in the list. The page is also told what is new there.
func (l *listing) row(ctx context.Context, info *session.Info) (row pageChat, err error) {
	row.listedChat = listedChat{Chat: l.id(info.Address), Time: info.Active}
	if info.Address.Channel != l.api.o.Channel {
		row.Channel = info.Address.Channel
	}
	if row.Title, err = l.title(ctx, info.Session); err != nil || !l.page || row.Channel != "" {
		return row, err
	}
	if row.Title == "" { // its first turn is not over
		waits, err := queuedIn(ctx, l.api, info.Address)
		if err != nil {
			return row, err
		}
		if len(waits) > 0 {
			var files []string
			for i := range waits[0].Files {
				files = append(files, waits[0].Files[i].Name)
			}
			row.Title = titleOf(l.api, waits[0].Text, files)
		}
	}
	row.Asks = l.asks[info.Address]
	row.Unread, err = l.api.o.Reading.Unread(ctx, info.Chat, maxUnread)
	return row, err
}

func isOpen(q *session.Approval) bool {
	return q.State == session.ApprovalOpen && time.Now().Before(q.Expires)
}

// seen notes that the person has seen the messages of a chat, up to one or all. The message may have
// been told before it was stored: it is waited for.
func (a *API) seen(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	var body struct {
		To string `json:"to"`
	}
	if f := httpd.Decode(r, &body); f != nil {
		return f
	}
	watch := a.o.Hub.Watch(a.o.Names.Group(p.caller)) // before the look
	defer watch.Close()
	ctx, cancel := context.WithTimeout(r.Context(), storeTime)
	defer cancel()
	for {
		err := a.mark(r.Context(), p, body.To)
		if err == nil {
			return a.answer(w, http.StatusOK, struct{}{})
		}
		if !errors.Is(err, session.ErrNotFound) {
			return a.fault(err)
		}
		if body.To == "" { // there is no chat yet
			return a.answer(w, http.StatusOK, struct{}{})
		}
		select {
		case <-watch.Wake():
			_, _ = watch.Take() // whichever chat it was, there is one more look
		case <-ctx.Done():
			return a.answer(w, http.StatusOK, struct{}{})
		}
	}
}

// storeTime is how long a message that was told is waited for: a busy machine stores it later.
const storeTime = 10 * time.Second

// mark moves the mark of what was seen in a chat.
func (a *API) mark(ctx context.Context, p *place, to string) error {
	info, err := a.o.Store.Lookup(ctx, p.at)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime) // what was seen stays so at a stop
	defer cancel()
	marked, err := a.o.Reading.MarkRead(ctx, info.Chat, to)
	if marked {
		a.o.Hub.Changed(p.at) // the other tabs
	}
	return err
}

// others tells the page of chats of its person in which something has happened.
func (f *feed) others(ctx context.Context) error {
	if f.watch == nil {
		return nil
	}
	changed, err := f.watch.Take()
	if err != nil || len(changed) == 0 {
		return err // the page comes back and reads the list
	}
	l := listing{api: f.api, caller: f.place.caller, page: true}
	if err := l.asking(ctx); err != nil {
		return err
	}
	f.buf.Reset()
	for _, at := range changed {
		info, err := f.api.o.Store.Lookup(ctx, at)
		if errors.Is(err, session.ErrNotFound) || err == nil && !l.has(&info) {
			continue
		}
		if err != nil {
			return err
		}
		row, err := l.row(ctx, &info)
		if err != nil {
			return err
		}
		data, err := json.Marshal(row)
		if err != nil {
			return err
		}
		f.buf.WriteString("event: chat_changed\ndata: ") // without an id: the one of the chat stays
		f.buf.Write(data)
		f.buf.WriteString("\n\n")
	}
	return f.flush()
}
