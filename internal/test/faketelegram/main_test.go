package faketelegram_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/test/faketelegram"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reply is an answer of the Bot API.
type reply struct {
	Status      int             `json:"-"`
	OK          bool            `json:"ok"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Result      json.RawMessage `json:"result"`
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MigrateTo  int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// client is the bot's side.
type client struct {
	t    *testing.T
	http *http.Client
	base string
}

func newClient(t *testing.T, b *faketelegram.Server, token string) *client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{t: t, http: &http.Client{Transport: transport}, base: b.URL() + "/bot" + token + "/"}
}

// try posts form values and returns the reply.
func (c *client) try(ctx context.Context, method string, params map[string]string) (reply, error) {
	form := url.Values{}
	for name, value := range params {
		form.Set(name, value)
	}
	return c.post(ctx, method, "application/x-www-form-urlencoded", []byte(form.Encode()))
}

func (c *client) post(ctx context.Context, method, kind string, data []byte) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+method, bytes.NewReader(data))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Content-Type", kind)
	resp, err := c.http.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, err
	}
	r := reply{Status: resp.StatusCode}
	err = json.Unmarshal(b, &r)
	return r, err
}

// call is try for requests that must be answered.
func (c *client) call(method string, params map[string]string) reply {
	c.t.Helper()
	r, err := c.try(c.t.Context(), method, params)
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return r
}

// upload posts params and one file.
func (c *client) upload(method string, params map[string]string, field, name string, data []byte) reply {
	c.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile(field, name)
	if err == nil {
		_, err = part.Write(data)
	}
	for key, value := range params {
		err = errors.Join(err, w.WriteField(key, value))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		c.t.Fatal(err)
	}
	r, err := c.post(c.t.Context(), method, w.FormDataContentType(), b.Bytes())
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// update has the fields of an update that the tests look at.
type update struct {
	ID      int64 `json:"update_id"`
	Message struct {
		ID   int64  `json:"message_id"`
		Text string `json:"text"`
	} `json:"message"`
}

func (c *client) poll(params map[string]string) []update {
	c.t.Helper()
	r := c.call("getUpdates", params)
	if !r.OK {
		c.t.Fatalf("getUpdates: %s", r.Description)
	}
	return decode[[]update](c.t, r.Result)
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

// soon bounds the wait of a test.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}
