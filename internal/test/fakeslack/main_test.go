package fakeslack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"parley/internal/test/fakeslack"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reply is an answer of the Web API.
type reply struct {
	Status     int    `json:"-"`
	RetryAfter string `json:"-"`
	OK         bool   `json:"ok"`
	Error      string `json:"error"`
	TS         string `json:"ts"`
	URL        string `json:"url"`
	Channel    any    `json:"channel"`
	UploadURL  string `json:"upload_url"`
	FileID     string `json:"file_id"`
	Message    struct {
		Text string `json:"text"`
	} `json:"message"`
	Metadata struct {
		Messages []string `json:"messages"`
		Warnings []string `json:"warnings"`
	} `json:"response_metadata"`
}

// world is a workspace, its app's side, and a person.
type world struct {
	t       *testing.T
	srv     *fakeslack.Server
	http    *http.Client
	ann     *fakeslack.User
	dm, hub *fakeslack.Chat
}

func newWorld(t *testing.T, opts ...fakeslack.Options) *world {
	t.Helper()
	srv := fakeslack.New(t, opts...)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	ann := srv.User("ann")
	return &world{
		t: t, srv: srv, http: &http.Client{Transport: transport}, ann: ann,
		dm: srv.DM(ann), hub: srv.Channel("hub", ann, srv.User("bob")),
	}
}

func (w *world) post(ctx context.Context, target, kind, token string, data []byte) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(data))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Content-Type", kind)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := w.http.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, err
	}
	r := reply{Status: resp.StatusCode, RetryAfter: resp.Header.Get("Retry-After")}
	err = json.Unmarshal(b, &r)
	return r, err
}

// try calls a method with form values and the bot's token.
func (w *world) try(ctx context.Context, method string, params map[string]string) (reply, error) {
	form := url.Values{}
	for name, value := range params {
		form.Set(name, value)
	}
	token := w.srv.BotToken()
	if method == "apps.connections.open" {
		token = w.srv.AppToken()
	}
	return w.post(ctx, w.srv.URL()+method, "application/x-www-form-urlencoded", token, []byte(form.Encode()))
}

// call is try for requests that must be answered.
func (w *world) call(method string, params map[string]string) reply {
	w.t.Helper()
	r, err := w.try(w.t.Context(), method, params)
	if err != nil {
		w.t.Fatalf("%s: %v", method, err)
	}
	return r
}

// say is chat.postMessage of a text.
func (w *world) say(c *fakeslack.Chat, text string) reply {
	w.t.Helper()
	params := map[string]string{"channel": c.ID(), "text": text, "unfurl_links": "false", "unfurl_media": "false"}
	if c.Thread() != "" {
		params["thread_ts"] = c.Thread()
	}
	return w.call("chat.postMessage", params)
}

// wire is a frame that comes through a socket.
type wire struct {
	Type           string          `json:"type"`
	Reason         string          `json:"reason"`
	NumConnections int             `json:"num_connections"`
	ID             string          `json:"envelope_id"`
	Attempt        int             `json:"retry_attempt"`
	RetryReason    string          `json:"retry_reason"`
	Payload        json.RawMessage `json:"payload"`
	raw            []byte
}

// link is the app's end of a socket.
type link struct {
	t    *testing.T
	conn *websocket.Conn
}

func (w *world) dial() (*websocket.Conn, error) {
	r := w.call("apps.connections.open", nil)
	if !r.OK {
		w.t.Fatalf("apps.connections.open: %s", r.Error)
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(w.t.Context(), r.URL, nil)
	if resp != nil {
		_ = resp.Body.Close()
	}
	return conn, err
}

// connect opens a socket that was greeted.
func (w *world) connect() *link {
	w.t.Helper()
	conn, err := w.dial()
	if err != nil {
		w.t.Fatal(err)
	}
	l := &link{t: w.t, conn: conn}
	w.t.Cleanup(func() { _ = conn.Close() })
	if hello := l.next(); hello.Type != "hello" {
		w.t.Fatalf("no hello but %s", hello.raw)
	}
	return l
}

// next is the next frame.
func (l *link) next() wire {
	l.t.Helper()
	f, err := l.read()
	if err != nil {
		l.t.Fatal(err)
	}
	return f
}

func (l *link) read() (wire, error) {
	_ = l.conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	_, b, err := l.conn.ReadMessage()
	f := wire{raw: b}
	if err == nil {
		_ = json.Unmarshal(b, &f) // a frame that is no JSON is looked at as it is
	}
	return f, err
}

func (l *link) ack(f wire) {
	l.t.Helper()
	if err := l.conn.WriteJSON(map[string]string{"envelope_id": f.ID}); err != nil {
		l.t.Fatal(err)
	}
}

// soon bounds the wait of a test.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}
