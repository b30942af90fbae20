package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"parley/internal/test/fakehttp"
	"parley/internal/test/rig"
	"parley/pkg/channels"
	"parley/pkg/channels/web"
)

// onWeb are programs of people as the platform: chat n is that of the person n. A
// question is handed over when its request is about to be written, and answered when the
// last event of its turn was read.
type onWeb struct {
	*wire

	ctx    context.Context //nolint:containedctx // the programs end with their stage
	end    context.CancelFunc
	stage  *stage
	base   string
	client *http.Client
	lines  lines // of those who ask for completions
	polled func()
	// v1 asks by chat completions instead of native messages, each in a chat of its own or,
	// where lasting, in the chat of its person.
	v1, lasting bool
	running     sync.WaitGroup

	mu     sync.Mutex
	tokens map[int]string
	open   map[int]bool         // the chats that are followed
	first  map[string]time.Time // when the first piece of an answer was read, by nonce
}

func connectNative(ctx context.Context, s *stage) (c rig.Config, env []string, err error) {
	return connectWeb(ctx, s, &onWeb{})
}

func connectV1(ctx context.Context, s *stage) (c rig.Config, env []string, err error) {
	return connectWeb(ctx, s, &onWeb{v1: true})
}

func connectLasting(ctx context.Context, s *stage) (c rig.Config, env []string, err error) {
	return connectWeb(ctx, s, &onWeb{v1: true, lasting: true})
}

// chatHeader names a lasting chat of /v1.
const chatHeader = "X-Chat"

func connectWeb(ctx context.Context, s *stage, p *onWeb) (c rig.Config, env []string, err error) {
	c.HTTP, err = fakehttp.FreeAddr(ctx)
	if err != nil {
		return c, nil, err
	}
	if p.lasting {
		c.ChatHeader = chatHeader
	}
	p.wire, p.stage, p.base, p.polled = newWire(), s, "http://"+c.HTTP, s.polled
	p.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: maxIdle, DisableCompression: true}}
	p.tokens, p.open, p.first = map[int]string{}, map[int]bool{}, map[string]time.Time{}
	p.ctx, p.end = context.WithCancel(ctx)
	s.platform, s.bot = p, channels.Address{Channel: web.Name}
	return c, nil, nil
}

// maxIdle is how many connections the programs keep.
const maxIdle = 4096

func (p *onWeb) close() {
	p.end()
	p.running.Wait()
	p.client.CloseIdleConnections()
}

// until asks the gateway whether it is ready: that is a poll here.
func (p *onWeb) until(ctx context.Context, cond func() bool) error {
	for {
		if status, err := p.get(ctx, "/readyz"); err == nil && status == http.StatusOK {
			p.polled()
		}
		if cond() {
			return nil
		}
		if err := pause(ctx, time.Millisecond); err != nil {
			return err
		}
	}
}

func (p *onWeb) get(ctx context.Context, path string) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func (p *onWeb) settled() error { return p.clean(nil) }

// disturb is not measured here: readers hold back no turn, whatever they do.
func (*onWeb) disturb() (over func() error) { return func() error { return errUndisturbed } }

// people makes the tokens of the first n people.
func (p *onWeb) people(ctx context.Context, n int) error {
	for i := range n {
		if _, err := p.token(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// token is that of a person, who gets one at first.
func (p *onWeb) token(ctx context.Context, person int) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if secret, made := p.tokens[person]; made {
		return secret, nil
	}
	cmd := p.stage.gw.Command(ctx, nil, "token", "create", "--json", fmt.Sprintf("web:p%d", person), "--level", "read")
	out, err := cmd.Output()
	var made struct{ Token string }
	if err == nil {
		err = json.Unmarshal(out, &made)
	}
	if err != nil {
		return "", fmt.Errorf("make a token: %w", err)
	}
	p.tokens[person] = made.Token
	return made.Token, nil
}

func (p *onWeb) ask(text string, chats ...int) []*ask {
	asks := make([]*ask, len(chats))
	for i, c := range chats {
		name := chatName(c)
		if p.v1 && !p.lasting {
			name += fmt.Sprint("/", i) // each request is a chat of its own
		}
		a, says := p.question(name, text)
		asks[i] = a
		p.running.Go(func() {
			if err := p.say(c, name, says, a.nonce); err != nil && p.ctx.Err() == nil {
				p.fails(a.nonce, err)
			}
		})
	}
	return asks
}

// say asks one question.
func (p *onWeb) say(person int, chat, text, nonce string) error {
	token, err := p.token(p.ctx, person)
	if err != nil {
		return err
	}
	if p.v1 {
		return p.complete(token, chat, text, nonce)
	}
	if err := p.follow(person, token, chat); err != nil {
		return err
	}
	resp, err := p.post(token, chat, text)
	if err != nil {
		return err
	}
	return drop(resp)
}

// drop reads the rest of an answer, so that its connection is used again.
func drop(resp *http.Response) error {
	_, err := io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

// errStatus says that a request was refused.
var errStatus = errors.New("the gateway refuses a request")

// request is a question's. The body is JSON.
func (p *onWeb) request(token, path string, body any) (*http.Request, error) {
	whole, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(p.ctx, http.MethodPost, p.base+path, bytes.NewReader(whole))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	if p.lasting {
		req.Header.Set(chatHeader, "main")
	}
	return req, nil
}

// post asks a question by a native message. It is handed over when its connection is there.
func (p *onWeb) post(token, chat, text string) (*http.Response, error) {
	req, err := p.request(token, "/api/chats/"+chat+"/messages", map[string]any{"message": text})
	if err != nil {
		return nil, err
	}
	got := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { p.handed(json.RawMessage(text)) }}
	return p.do(req.WithContext(httptrace.WithClientTrace(p.ctx, got)), http.StatusAccepted)
}

func (p *onWeb) do(req *http.Request, want int) (*http.Response, error) {
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	return resp, check(resp, want)
}

// check refuses an answer with another status, and ends it.
func check(resp *http.Response, want int) error {
	if resp.StatusCode == want {
		return nil
	}
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	return errors.Join(fmt.Errorf("%w: %s: %d %s", errStatus, resp.Request.URL.Path, resp.StatusCode, said), resp.Body.Close())
}

// stream opens the stream of a chat. It is open when stream returns.
func (p *onWeb) stream(token, chat string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(p.ctx, http.MethodGet, p.base+"/api/chats/"+chat+"/events", http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return p.do(req, http.StatusOK)
}

// follow reads the events of a chat until the programs end, if no other does.
func (p *onWeb) follow(person int, token, chat string) error {
	p.mu.Lock()
	followed := p.open[person]
	p.open[person] = true
	p.mu.Unlock()
	if followed {
		return nil
	}
	resp, err := p.stream(token, chat)
	if err != nil {
		return err
	}
	p.running.Go(func() {
		defer func() { _ = resp.Body.Close() }()
		p.read(chat, resp.Body)
	})
	return nil
}

// read reads the events of a chat.
func (p *onWeb) read(chat string, body io.Reader) {
	var name, nonce string
	for lines := bufio.NewScanner(body); lines.Scan(); {
		field, value, _ := bytes.Cut(lines.Bytes(), []byte(": "))
		switch {
		case string(field) == "event":
			name = string(value)
		case string(field) != "data":
		case name == "turn":
			if m := p.questions.FindSubmatch(value); m != nil {
				nonce = string(m[1])
			}
		case name == "token":
			p.begins(nonce, time.Now())
		case name == "done":
			p.sent(chat, string(value), time.Now())
		}
	}
}

// begins notes the first piece of an answer.
func (p *onWeb) begins(nonce string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first[nonce].IsZero() {
		p.first[nonce] = now
	}
}

// complete asks by a chat completion, and reads its stream. Its line is its own meanwhile.
func (p *onWeb) complete(token, chat, text, nonce string) error {
	req, err := p.request(token, "/v1/chat/completions", map[string]any{
		"model": "parley", "stream": true, "messages": []map[string]string{{"role": "user", "content": text}},
	})
	if err != nil {
		return err
	}
	l, err := p.lines.take(p.ctx, req.URL.Host)
	if err != nil {
		return err
	}
	p.handed(json.RawMessage(text))
	resp, err := l.ask(req)
	if err == nil {
		err = check(resp, http.StatusOK)
	}
	if err == nil {
		err = p.hear(resp, chat, nonce)
	}
	if err != nil {
		return errors.Join(err, l.conn.Close())
	}
	p.lines.give(l)
	return nil
}

// hear reads the stream of a chat completion.
func (p *onWeb) hear(resp *http.Response, chat, nonce string) error {
	var said strings.Builder
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, is := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !is {
			continue
		}
		if string(data) == "[DONE]" {
			p.sent(chat, said.String(), time.Now())
			return drop(resp)
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal(data, &chunk); err != nil {
			return errors.Join(err, resp.Body.Close())
		}
		if len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
			p.begins(nonce, time.Now())
			said.WriteString(chunk.Choices[0].Delta.Content)
		}
	}
	return errors.Join(io.ErrUnexpectedEOF, resp.Body.Close())
}
