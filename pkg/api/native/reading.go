package native

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"parley/pkg/api/native/reading"
	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// Reading is what the store knows of the reading of chats; the methods are those of
// [session.Reading].
type Reading interface {
	reading.Activity
	MarkRead(ctx context.Context, chat, to string) (bool, error)
}

// viewer is a caller for whom chats are listed, on the page or for a program.
func (a *API) viewer(c *httpd.Caller, page bool) reading.Viewer {
	return reading.Viewer{
		Own: channels.Address{Channel: a.o.Channel, Chat: a.o.Names.Chat(c, "")},
		ID: func(chat string) string {
			if id, ours := a.o.Names.ID(c, chat); ours && ValidID(id) {
				return id
			}
			return ""
		},
		ForPage: page, Linked: func() []session.Link { return a.o.Linked.Chats(c) },
	}
}

// listChats answers with the chats of a person; ?q= leaves those whose name or title has a text.
func (a *API) listChats(w http.ResponseWriter, r *http.Request, c *httpd.Caller, page bool) *httpd.Refusal {
	rows, err := a.reader.Chats(r.Context(), a.viewer(c, page), r.URL.Query().Get("q"))
	if err != nil {
		return a.fault(err)
	}
	return a.answer(w, http.StatusOK, map[string]any{"chats": rows})
}

// listConversations answers with the conversations of a chat.
func listConversations(a *API, w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	all, err := a.reader.Conversations(r.Context(), p.at)
	if err != nil {
		return a.fault(err)
	}
	return a.answer(w, http.StatusOK, map[string]any{"conversations": all})
}

// readAnswer answers with the last answer of the model, for a client that copies it.
func readAnswer(a *API, w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	last, err := a.reader.LastAnswer(r.Context(), p.at)
	if err != nil {
		return a.fault(err)
	}
	return a.answer(w, http.StatusOK, last)
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
	rows, err := f.api.reader.Rows(ctx, f.api.viewer(f.place.caller, true), changed)
	if err != nil {
		return err
	}
	f.buf.Reset()
	for i := range rows {
		data, err := json.Marshal(rows[i])
		if err != nil {
			return err
		}
		f.buf.WriteString("event: chat_changed\ndata: ") // without an id: the one of the chat stays
		f.buf.Write(data)
		f.buf.WriteString("\n\n")
	}
	return f.flush()
}
