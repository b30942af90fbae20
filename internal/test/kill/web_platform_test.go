package kill_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/test/fakehttp"
	"parley/internal/test/rig"
)

// onWeb are the programs of a person, one for each chat: each posts its messages in order,
// again until it has an answer, and reads its chat along, from the store where the stream
// says so. A message counts once by its id, as on a page.
type onWeb struct {
	fakehttp.Changes

	ctx            context.Context // that of its world
	base           string
	token, allower string
	posts          map[string]chan *ask

	mu         sync.Mutex
	all        []message
	ids        map[string]bool // by chat and id
	asked      map[string]*query
	notes      map[string][]string
	streams    int // open now
	opened     int // ever, and messages that were taken
	violations []string
}

// newWebWorld is a world with the HTTP API.
func newWebWorld(t *testing.T) *world {
	t.Helper()
	w := emptyWorld(t)
	addr, err := fakehttp.FreeAddr(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	p := &onWeb{
		ctx: w.ctx, base: "http://" + addr + "/api/chats/", posts: map[string]chan *ask{}, ids: map[string]bool{},
		asked: map[string]*query{}, notes: map[string][]string{},
	}
	w.platform = p
	w.connect(rig.Config{HTTP: addr, ChatHeader: "X-Chat"})
	p.token, p.allower = w.makesToken("--level", "write"), w.makesToken("--level", "write", "--right", "approve")
	ctx, stop := context.WithCancel(w.ctx)
	var programs sync.WaitGroup
	t.Cleanup(func() {
		stop()
		programs.Wait()
		http.DefaultClient.CloseIdleConnections()
		for _, v := range p.violations {
			t.Error(v)
		}
	})
	for i := range maxChats {
		chat := chatName(i)
		line := make(chan *ask, 1000)
		p.posts[chat] = line
		programs.Go(func() { p.write(ctx, chat, line) })
		programs.Go(func() { p.follow(ctx, chat) })
	}
	return w
}

// makesToken makes a token of the person.
func (w *world) makesToken(words ...string) string {
	w.t.Helper()
	out, err := w.gw.Command(w.ctx, nil, append([]string{"token", "create", "--json", "web:ada"}, words...)...).Output()
	var made struct{ Token string }
	if err == nil {
		err = json.Unmarshal(out, &made)
	}
	if err != nil {
		w.t.Fatalf("a token: %v", err)
	}
	return made.Token
}

// pause is how long a program waits before it tries again.
const pause = 10 * time.Millisecond

// ask makes a request; the answer is nil where there was none.
func (p *onWeb) ask(ctx context.Context, token, method, path, body, key string) *http.Response {
	req, err := http.NewRequestWithContext(ctx, method, p.base+path, strings.NewReader(body))
	if err != nil {
		return nil
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil
	}
	return resp
}

// insist tries something again until it is done, or the world ends.
func (p *onWeb) insist(ctx context.Context, try func() bool) {
	for ctx.Err() == nil && !try() {
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// status is the status of a POST whose answer has no other use, 0 without one.
func (p *onWeb) status(ctx context.Context, token, path, body, key string) int {
	resp := p.ask(ctx, token, http.MethodPost, path, body, key)
	if resp == nil {
		return 0
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

// write posts the asks of a chat.
func (p *onWeb) write(ctx context.Context, chat string, line <-chan *ask) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-line:
			body, err := json.Marshal(map[string]string{"message": a.text})
			p.insist(ctx, func() bool {
				code := p.status(ctx, p.token, chat+"/messages", string(body), a.nonce)
				if err != nil || code >= 400 && code != http.StatusServiceUnavailable {
					p.violates("%s: posting: %d %v", chat, code, err)
					return true
				}
				return code == http.StatusAccepted
			})
			p.note(func() { p.opened++ })
		}
	}
}

func (p *onWeb) note(change func()) {
	p.mu.Lock()
	change()
	p.mu.Unlock()
	p.Wake()
}

func (p *onWeb) violates(format string, args ...any) {
	p.note(func() { p.violations = append(p.violations, fmt.Sprintf(format, args...)) })
}

// follow reads a chat along.
func (p *onWeb) follow(ctx context.Context, chat string) {
	after := ""
	p.insist(ctx, func() bool {
		if after == "" {
			var ok bool
			if _, after, ok = p.read(ctx, chat); !ok {
				return false
			}
		}
		after = p.stream(ctx, chat, after)
		return false
	})
}

// read reads a chat from the store, and returns the ids of its messages.
func (p *onWeb) read(ctx context.Context, chat string) (ids map[string]bool, after string, ok bool) {
	resp := p.ask(ctx, p.token, http.MethodGet, chat, "", "")
	if resp == nil {
		return nil, "", false
	}
	defer func() { _ = resp.Body.Close() }()
	var h struct {
		Messages  []struct{ ID, Role, Text string }
		Approvals []struct{ ID, Text string }
		After     string
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(resp.Body).Decode(&h) != nil {
		return nil, "", false
	}
	ids = map[string]bool{}
	for _, m := range h.Messages {
		if m.ID != "" {
			ids[m.ID] = true
			p.shows(chat, m.ID, m.Text)
		}
	}
	for _, q := range h.Approvals {
		p.asks(chat, q.ID, q.Text)
	}
	return ids, h.After, true
}

// shows notes a message, once.
func (p *onWeb) shows(chat, id, text string) {
	p.note(func() {
		if key := chat + " " + id; !p.ids[key] {
			p.ids[key] = true
			p.all = append(p.all, message{chat, text})
		}
	})
}

// stream reads events behind an id until the stream breaks, and returns the id to go on from:
// "" where the chat is to be read anew.
func (p *onWeb) stream(ctx context.Context, chat, after string) string {
	resp := p.ask(ctx, p.token, http.MethodGet, chat+"/events?after="+url.QueryEscape(after), "", "")
	if resp == nil {
		return after
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return after
	}
	p.note(func() { p.streams, p.opened = p.streams+1, p.opened+1 })
	defer p.note(func() { p.streams-- })
	var id, name string
	var data []byte
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		field, value, _ := bytes.Cut(lines.Bytes(), []byte(": "))
		switch string(field) {
		case "id":
			id = string(value)
		case "event":
			name = string(value)
		case "data":
			data = bytes.Clone(value)
		case "": // a record without its end is none: the process died while it wrote
			if data == nil {
				continue
			}
			if after = id; name == "reset" {
				return ""
			}
			p.event(chat, name, data)
			data = nil
		}
	}
	return after
}

func (p *onWeb) event(chat, name string, data []byte) {
	var e struct{ ID, Text, Question string }
	if json.Unmarshal(data, &e) != nil {
		p.violates("%s: the event %s cannot be read: %s", chat, name, data)
	}
	switch name {
	case "message":
		p.shows(chat, e.ID, e.Text)
	case "confirmation_required":
		p.asks(chat, e.ID, e.Question)
	}
}

// asks notes a question. A decision is sent until it has an answer; one that was decided says
// so in the answer.
func (p *onWeb) asks(chat, id, text string) {
	decide := func(done func(code int) bool) {
		p.insist(p.ctx, func() bool {
			return done(p.status(p.ctx, p.allower, chat+"/approvals/"+id, `{"decision":"allow_once"}`, ""))
		})
	}
	q := &query{text: text}
	// A gateway that starts serves streams before it takes messages in, and says so. A press that is
	// cut off by a kill is not sent again here: it may have been stored.
	q.allow = func() { go decide(func(code int) bool { return code != http.StatusServiceUnavailable }) }
	q.again = func() {
		go decide(func(code int) bool {
			if code != http.StatusOK && code != http.StatusConflict {
				return false
			}
			p.note(func() { p.notes[chat] = append(p.notes[chat], "already decided") })
			return true
		})
	}
	p.note(func() { p.asked[chat] = cmp.Or(p.asked[chat], q) })
}

func (p *onWeb) post(asks []*ask) {
	for _, a := range asks {
		p.posts[a.chat] <- a
	}
}

func (p *onWeb) messages() []message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.all)
}

func (p *onWeb) until(ctx context.Context, cond func() bool) error { return p.Until(ctx, cond) }

func (p *onWeb) polls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened
}

func (p *onWeb) drained(ctx context.Context) error {
	return p.Until(ctx, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.streams == 0
	})
}

func (p *onWeb) query(chat string) *query {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[chat]
}

func (p *onWeb) texts(chat string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.Clone(p.notes[chat])
	for _, m := range p.all {
		if m.chat == chat {
			all = append(all, m.text)
		}
	}
	return all
}
