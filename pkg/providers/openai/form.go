package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	sdk "github.com/sashabaranov/go-openai"
)

// form is a request as go-openai writes it, without its conversation: the address, the
// headers and the settings. Most requests of a server differ in the conversation alone, so
// one form serves many of them, at once too, and no part of it is written again.
type form struct {
	// request has neither a body nor a context.
	request *http.Request
	// settings are the fields of the request's text that follow the conversation.
	settings []byte
}

// formKey tells forms apart.
type formKey struct {
	settings

	key string
}

// forms keeps those that were asked for. It is safe for use by many goroutines at once.
type forms struct {
	mu    sync.Mutex
	known map[formKey]*form
}

// maxForms is how many forms are kept: models, their settings and forms of tool_choice.
const maxForms = 64

// form gives the form of a request, which go-openai writes where it is not known.
func (p *Provider) form(ctx context.Context, s *settings) (*form, error) {
	k := formKey{*s, p.client.Key()}
	if f := p.forms.of(k); f != nil {
		return f, nil
	}
	written, err := p.written(ctx, k.key, func(ctx context.Context, c *sdk.Client) error {
		if !s.stream {
			_, err := c.CreateChatCompletion(ctx, s.library())
			return err
		}
		stream, err := c.CreateChatCompletionStream(ctx, s.library())
		if err == nil {
			err = stream.Close()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	f, err := newForm(written)
	if err == nil && s.apart {
		err = f.add("tool_choice", s.choice.wire())
	}
	if err == nil && s.seldom == nil {
		p.forms.keep(k, f)
	}
	return f, err
}

func (f *forms) of(k formKey) *form {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[k]
}

func (f *forms) keep(k formKey, known *form) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= maxForms {
		f.known = make(map[formKey]*form)
	}
	f.known[k] = known
}

// noMessages is how go-openai writes a request without messages.
const noMessages = `"messages":null`

func newForm(written *http.Request) (*form, error) {
	raw, err := io.ReadAll(written.Body)
	if err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	head, tail, ok := bytes.Cut(raw, []byte(noMessages))
	if !ok || len(head) < 2 || head[len(head)-1] != ',' {
		return nil, fmt.Errorf("the request has no place for its messages: %.80s", raw)
	}
	bare := &http.Request{
		Method: written.Method, URL: written.URL, Host: written.Host, Header: written.Header,
		Proto: written.Proto, ProtoMajor: written.ProtoMajor, ProtoMinor: written.ProtoMinor,
	}
	settings := append([]byte{','}, head[1:len(head)-1]...) // between the brace and the comma
	return &form{request: bare, settings: append(settings, tail...)}, nil
}

// add puts a field before the settings.
func (f *form) add(name string, value any) error {
	field, err := json.Marshal(map[string]any{name: value})
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	field[0] = ','
	f.settings = append(field[:len(field)-1], f.settings...)
	return nil
}

// written has go-openai write a request, which is not sent.
func (p *Provider) written(
	ctx context.Context, key string, ask func(ctx context.Context, c *sdk.Client) error,
) (*http.Request, error) {
	var s scribe
	config := sdk.DefaultConfig(key)
	config.BaseURL = p.client.URL("")
	config.HTTPClient = &s
	if err := ask(ctx, sdk.NewClientWithConfig(config)); err != nil {
		return nil, err
	}
	return s.request, nil
}

// scribe is go-openai's HTTP client: it keeps the request. The library does not read
// answers, because it drops the status and headers of refusals, the body of a whole
// answer, and the end of a stream.
type scribe struct{ request *http.Request }

// Do keeps the request and answers with an empty object.
func (s *scribe) Do(req *http.Request) (*http.Response, error) {
	s.request = req
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: req,
	}, nil
}
