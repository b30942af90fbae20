package attach

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"parley/pkg/api/native"
	"parley/pkg/backoff"
	"parley/pkg/gateway/admin"
	"parley/pkg/httpd"
)

// The bounds of a request.
const (
	callTime   = 30 * time.Second
	uploadTime = 10 * time.Minute
	maxAnswer  = 16 << 20
	// How long a gateway that starts, or is gone for a moment, is asked again.
	patience   = 20 * time.Second
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second
)

// Client talks to one chat of the gateway that runs on a state folder.
type Client struct {
	stateDir, chat string
	http           *http.Client
	release        func()
	// patient means that a gateway that is gone is waited for as long as the context lasts.
	patient atomic.Bool
	// passing means that a console runs the gateway, which ends with that.
	passing atomic.Bool
}

// waited says whether a gateway has been gone for too long.
func (c *Client) waited(since time.Time) bool {
	return !c.patient.Load() && time.Since(since) > patience
}

// send makes a request, and notes how long the gateway lasts that answers it.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err == nil {
		c.passing.Store(resp.Header.Get(admin.HeaderLasts) == admin.LastsPassing)
	}
	return resp, err
}

// Dial finds the gateway. The error is [admin.ErrNotRunning] where none runs.
func Dial(ctx context.Context, stateDir, chat string) (*Client, error) {
	client, release, err := admin.Attached(ctx, stateDir)
	if err != nil {
		return nil, err
	}
	return &Client{stateDir: stateDir, chat: chat, http: client, release: release}, nil
}

// Await is [Dial] for a gateway that is starting.
func Await(ctx context.Context, stateDir, chat string) (*Client, error) {
	pauses := backoff.New(time.Millisecond, lastPause)
	for {
		c, err := Dial(ctx, stateDir, chat)
		if !errors.Is(err, admin.ErrNotRunning) || !backoff.Sleep(ctx, pauses.Next()) {
			return c, err
		}
	}
}

// Close ends the connections.
func (c *Client) Close() { c.release() }

// refusal is the error of a gateway that answered.
type refusal struct {
	status        int
	Code, Message string
}

func (r *refusal) Error() string { return r.Message }

// passes says that the same request may be taken later.
func (r *refusal) passes() bool {
	return r.status == http.StatusServiceUnavailable || r.status == http.StatusTooManyRequests
}

// path is a path below the chat.
func (c *Client) path(rest string) string {
	return "http://gateway" + admin.ConsolePath + "/chats/" + url.PathEscape(c.chat) + rest
}

// call makes a request, again where the gateway was out of reach or not ready. The key makes
// the second of two equal ones harmless.
func (c *Client) call(ctx context.Context, method, address, key string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.insist(ctx, func() error { return c.once(ctx, method, address, key, raw, into) })
}

// insist tries something until the gateway has answered, ctx ends, or the patience is over.
func (c *Client) insist(ctx context.Context, try func() error) error {
	begun := time.Now()
	return retry(ctx, func() bool { return c.waited(begun) }, try)
}

// retry tries something until it is answered, ctx ends, or it is too late.
func retry(ctx context.Context, late func() bool, try func() error) error {
	pauses := backoff.New(firstPause, lastPause)
	for {
		err := try()
		said, answered := errors.AsType[*refusal](err)
		if err == nil || answered && !said.passes() || late() || !backoff.Sleep(ctx, pauses.Next()) {
			return err
		}
	}
}

func (c *Client) once(ctx context.Context, method, address, key string, raw []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if method == http.MethodGet {
		raw = nil
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if raw != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return c.do(req, into)
}

// do makes a request and reads its answer.
func (c *Client) do(req *http.Request, into any) error {
	resp, err := c.send(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return refusedBy(resp.StatusCode, answer)
	}
	return json.Unmarshal(answer, into)
}

// refusedBy reads a refusal.
func refusedBy(status int, answer []byte) error {
	var body struct{ Error refusal }
	switch readable := json.Unmarshal(answer, &body) == nil && body.Error.Message != ""; {
	case readable:
	case status == http.StatusNotFound: // a gateway before the protocol of consoles
		body.Error.Message = textOldGateway
	default:
		body.Error.Message = fmt.Sprintf(textStatus, status)
	}
	body.Error.status = status
	return &body.Error
}

// said is the answer to a message.
type said struct {
	Message string `json:"message"`
}

// newMessage is a message on its way, alone as a turn of its own.
type newMessage struct {
	Message string   `json:"message"`
	Alone   bool     `json:"alone,omitempty"`
	Files   []string `json:"files,omitempty"`
}

// say stores a message, and returns its id.
func (c *Client) say(ctx context.Context, key string, m newMessage) (said, error) {
	var s said
	err := c.call(ctx, http.MethodPost, c.path("/messages"), key, m, &s)
	return s, err
}

// Sendable says why a file cannot be sent along. A pipe without a writer does not hold it up.
func Sendable(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) //nolint:gosec // the person names the file
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only looked at
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New(textNoFile)
	}
	return err
}

// upload stores a file for the next message, and returns its id. Where it is stored twice, because
// an answer was lost, the first copy belongs to no message, and the gateway removes it.
func (c *Client) upload(ctx context.Context, path string) (id string, err error) {
	ctx, cancel := context.WithTimeout(ctx, uploadTime)
	defer cancel()
	err = c.insist(ctx, func() error {
		id, err = c.uploadOnce(ctx, path)
		if unread, ok := errors.AsType[*fs.PathError](err); ok {
			return &refusal{Message: unread.Error()} // another attempt reads no more
		}
		return err
	})
	return id, err
}

func (c *Client) uploadOnce(ctx context.Context, path string) (id string, err error) {
	f, err := os.Open(path) //nolint:gosec // the person names the file
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	address := c.path("/files") + "?name=" + url.QueryEscape(filepath.Base(path))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, f)
	if err != nil {
		return "", err
	}
	req.ContentLength = info.Size()
	req.Header.Set(httpd.UploadHeader, "1")
	var kept struct {
		ID string `json:"id"`
	}
	err = c.do(req, &kept)
	return kept.ID, err
}

// ValidChat says whether a text can name a chat of consoles.
func ValidChat(name string) bool { return native.ValidID(name) }

// decide answers a question.
func (c *Client) decide(ctx context.Context, id, decision string) error {
	body := map[string]string{"decision": decision}
	return c.call(ctx, http.MethodPost, c.path("/approvals/"+url.PathEscape(id)), "", body, &struct{}{})
}

// quiet returns when nothing is under way in the chat; an event with this text then follows all
// that came of it. That may take long: the follower of the chat ends ctx where the gateway is gone.
func (c *Client) quiet(ctx context.Context, text string) error {
	return retry(ctx, func() bool { return false }, func() error {
		address := c.path("/quiet") + "?text=" + url.QueryEscape(text)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, http.NoBody)
		if err != nil {
			return err
		}
		return c.do(req, &struct{}{})
	})
}

// seen says that the person has seen all messages up to one.
func (c *Client) seen(ctx context.Context, to string) error {
	return c.call(ctx, http.MethodPost, c.path("/seen"), "", map[string]string{"to": to}, &struct{}{})
}

// page is the end of the chat.
type page struct {
	Messages []message `json:"messages"`
	// Before is the place of the oldest of them, where there are older ones.
	Before    uint64     `json:"before"`
	Approvals []question `json:"approvals"`
	After     string     `json:"after"`
	Unseen    []string   `json:"unseen"`
	Queued    []struct {
		Message string `json:"message"`
	} `json:"queued"`
}

// message is one of the chat.
type message struct {
	ID        string            `json:"id"`
	Turn      string            `json:"turn"`
	Role      string            `json:"role"`
	Text      string            `json:"text"`
	Time      time.Time         `json:"time"`
	File      string            `json:"file"`
	ToolCalls []json.RawMessage `json:"tool_calls"`
	// Origin is that of an [events.Message], and Undone says that the person took it out.
	Origin string `json:"origin"`
	Undone bool   `json:"undone"`
}

// question is one that is open.
type question struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Text    string   `json:"text"`
	Choices []string `json:"choices"`
	// ExpiresAt is when it is too late.
	ExpiresAt time.Time `json:"expires_at"`
	Message   string    `json:"message"`
}

func (c *Client) read(ctx context.Context) (page, error) {
	var p page
	err := c.call(ctx, http.MethodGet, c.path(""), "", nil, &p)
	return p, err
}

// Command is a command that a message may be.
type Command struct {
	Name  string `json:"name"`
	Usage string `json:"usage"`
	Does  string `json:"does"`
	Args  []struct {
		Kind   string   `json:"kind"`
		Values []string `json:"values"`
	} `json:"args"`
}

// Commands are those of the chat.
func (c *Client) Commands(ctx context.Context) ([]Command, error) {
	var list struct {
		Commands []Command `json:"commands"`
	}
	err := c.call(ctx, http.MethodGet, "http://gateway"+admin.ConsolePath+"/commands", "", nil, &list)
	return list.Commands, err
}
