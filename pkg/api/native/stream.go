package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"parley/pkg/events"
	"parley/pkg/httpd"
	"parley/pkg/policy"
)

// beat is the time between two signs of life of a stream: proxies end silent ones.
const beat = 15 * time.Second

// follow streams the events of a chat.
func (a *API) follow(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = r.URL.Query().Get("after")
	}
	reader, err := a.o.Hub.Follow(p.at, after)
	lost := errors.Is(err, events.ErrReset)
	if err != nil && !lost {
		return a.fault(err)
	}
	feed := &feed{api: a, place: p, reader: reader, thoughts: p.caller.Level.Allows(policy.LevelWrite)}
	if !p.program {
		feed.watch = a.o.Hub.Watch(a.o.Names.Group(p.caller)) // before the page reads its list
	}
	err = httpd.Outlive(w, r, func(ctx context.Context, s *httpd.Stream) {
		defer feed.close()
		if feed.stream = s; !lost || feed.reset() == nil {
			feed.run(ctx)
		}
	})
	if err != nil {
		feed.close()
		return a.fault(err)
	}
	return nil
}

// feed is a stream under way.
type feed struct {
	api      *API
	place    *place
	stream   *httpd.Stream
	reader   *events.Reader
	watch    *events.Watch // of all chats of the person; nil for a program
	thoughts bool          // the person may see the model's reasoning
	buf      bytes.Buffer
}

func (f *feed) close() {
	f.leave()
	if f.watch != nil {
		f.watch.Close()
	}
}

// leave ends the reader.
func (f *feed) leave() {
	if f.reader != nil {
		f.reader.Close()
	}
	f.reader = nil
}

// run writes events until the request ends, or the client is gone.
func (f *feed) run(ctx context.Context) {
	if f.place.link != nil {
		var leave context.CancelFunc
		ctx, leave = context.WithCancel(ctx)
		defer leave()
		defer context.AfterFunc(f.place.link, leave)() //nolint:contextcheck // the link ends the stream too
	}
	var wake <-chan struct{}
	if f.watch != nil {
		wake = f.watch.Wake()
	}
	for {
		if f.others(ctx) != nil {
			return
		}
		wait, cancel := context.WithTimeout(ctx, beat)
		batch, err := f.reader.NextOr(wait, wake)
		cancel()
		switch {
		case len(batch) == 0 && ctx.Err() != nil: // what has happened is still told
			return
		case errors.Is(err, events.ErrReset):
			err = f.reset()
		case err != nil:
			err = f.stream.Write([]byte(":\n\n"))
		default:
			err = f.write(batch)
		}
		if err != nil {
			return
		}
	}
}

// reset tells the client to read the chat anew, and goes on from the running turn.
func (f *feed) reset() error {
	f.leave()
	mark := f.api.o.Hub.Mark(f.place.at)
	reader, err := f.api.o.Hub.Follow(f.place.at, mark)
	if err != nil {
		return err
	}
	f.reader = reader
	return f.stream.Write([]byte("id: " + mark + "\nevent: reset\ndata: {}\n\n"))
}

// write sends events at once.
func (f *feed) write(batch []events.Event) error {
	f.buf.Reset()
	for i := range batch {
		e := &batch[i]
		if _, thought := e.Data.(events.Reasoning); thought && !f.thoughts {
			continue
		}
		data, err := json.Marshal(e.Data)
		if err != nil {
			return err
		}
		f.buf.WriteString("id: " + e.ID + "\nevent: " + e.Name() + "\ndata: ")
		f.buf.Write(data)
		f.buf.WriteString("\n\n")
	}
	return f.flush()
}

// flush sends what is in the buffer.
func (f *feed) flush() error {
	if f.buf.Len() == 0 {
		return nil
	}
	err := f.stream.Write(f.buf.Bytes())
	if f.buf.Cap() > maxBuffer {
		f.buf = bytes.Buffer{}
	}
	return err
}

// maxBuffer is how much room a stream keeps for its next events: streams are idle mostly.
const maxBuffer = 16 << 10
