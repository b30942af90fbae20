package speech

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

const (
	// MaxSize is the most that a recording may have, in bytes: OpenAI's bound.
	MaxSize = 25 << 20
	// The most that is read of an answer.
	maxBody = 1 << 20
)

// Options describe one server.
type Options struct {
	// BaseURL is the address before /audio/transcriptions.
	BaseURL string
	// Key is asked for each request's key; it may be nil, or give an empty key.
	Key func() string
	// Transport replaces the connection pool that New makes.
	Transport http.RoundTripper
	// ConnectTimeout bounds connecting, IdleTimeout the silence within an answer, and
	// TotalTimeout the whole question; 0 means 10 s, 60 s and 300 s.
	ConnectTimeout, IdleTimeout, TotalTimeout time.Duration
}

// Provider asks one server. It is safe for use by many goroutines at once.
type Provider struct{ client *exchange.Client }

var _ providers.LLMProvider = (*Provider)(nil)

// New makes a provider without connecting.
func New(o Options) *Provider {
	return &Provider{client: exchange.New(exchange.Options{
		BaseURL: o.BaseURL, Key: o.Key, Transport: o.Transport, MaxBody: maxBody,
		ConnectTimeout: o.ConnectTimeout, IdleTimeout: o.IdleTimeout, TotalTimeout: o.TotalTimeout,
	})}
}

// Close closes the connections that no request uses.
func (p *Provider) Close() { p.client.Close() }

// Chat writes down the recording of the options; its words are the answer's content. A
// recording without words has an empty answer.
func (p *Provider) Chat(
	ctx context.Context, _ []providers.Message, _ []providers.ToolDefinition, model string, options map[string]any,
) (*providers.LLMResponse, error) {
	rec, _ := options[providers.OptionRecording].(*providers.Recording)
	ctx, cancel := p.client.Bound(ctx)
	defer cancel()
	if rec == nil {
		err := &providers.Error{Kind: providers.KindInvalid, Message: "this model writes down speech, and there is no recording"}
		return nil, p.client.Failure(ctx, model, err)
	}
	renewal := p.client.Renewal()
	for {
		resp, err := p.once(ctx, model, rec)
		if err == nil {
			return resp, nil
		}
		if ctx.Err() != nil || !renewal.Again(err) {
			return nil, p.client.Failure(ctx, model, err)
		}
	}
}

// transcript is an answer of a server. Servers tell the length of the sound in one of two
// places, or the tokens.
type transcript struct {
	Text     exchange.LooseText `json:"text"`
	Duration length             `json:"duration"`
	Usage    usage              `json:"usage"`
}

type usage struct {
	Seconds length         `json:"seconds"`
	Input   exchange.Count `json:"input_tokens"`
	Output  exchange.Count `json:"output_tokens"`
}

// UnmarshalJSON takes the numbers that there are; it has no error, because an answer counts more
// than its bill.
func (u *usage) UnmarshalJSON(b []byte) error {
	type plain usage
	_ = json.Unmarshal(b, (*plain)(u))
	return nil
}

// length is a length in seconds: anything that is no number above 0 is 0.
type length float64

// UnmarshalJSON takes a number, also as a text; it has no error.
func (l *length) UnmarshalJSON(b []byte) error {
	*l = 0
	if n, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64); err == nil && n > 0 && !math.IsInf(n, 0) { // NaN is not above 0
		*l = length(n)
	}
	return nil
}

// once sends one request and reads its answer.
func (p *Provider) once(ctx context.Context, model string, rec *providers.Recording) (*providers.LLMResponse, error) {
	var t transcript
	err := p.client.Once(ctx, false, func(ctx context.Context, x *exchange.Exchange) error {
		req, err := p.request(ctx, model, rec)
		if err != nil {
			return err
		}
		defer func() { _ = req.Body.Close() }() // a transport that fails early leaves it open
		if err := x.Send(req); err != nil {
			return err
		}
		if x.Frames() != nil {
			return &providers.Error{Kind: providers.KindInvalid, Message: "the server sent a stream where one answer was asked for"}
		}
		return x.Decode("the transcript", &t)
	})
	if err != nil {
		return nil, err
	}
	seconds := float64(max(t.Usage.Seconds, t.Duration))
	if seconds == 0 {
		seconds = float64(rec.Seconds)
	}
	const day = 24 * 60 * 60
	return &providers.LLMResponse{
		Content: strings.TrimSpace(strings.ToValidUTF8(string(t.Text), "\uFFFD")), FinishReason: providers.FinishStop, Model: model,
		Usage: providers.Usage{
			PromptTokens: int(t.Usage.Input), CompletionTokens: int(t.Usage.Output), Seconds: int(math.Ceil(min(seconds, day))),
		},
	}, nil
}

// request is a form with the recording as its last field.
func (p *Provider) request(ctx context.Context, model string, rec *providers.Recording) (*http.Request, error) {
	var frame strings.Builder
	form := multipart.NewWriter(&frame)
	fields := [][2]string{{"model", model}, {"response_format", "json"}}
	if rec.Language != "" {
		fields = append(fields, [2]string{"language", rec.Language})
	}
	for _, f := range fields {
		_ = form.WriteField(f[0], f[1]) // a builder has no error
	}
	_, _ = form.CreateFormFile("file", rec.Name)
	before := frame.Len()
	_ = form.Close()
	head, tail := frame.String()[:before], frame.String()[before:]

	file, size, err := rec.Open()
	if err != nil {
		err = fmt.Errorf("%w: %w", providers.ErrRecording, err)
		return nil, &providers.Error{Kind: providers.KindInvalid, Message: err.Error(), Err: err}
	}
	if size > MaxSize || size != rec.Size {
		_ = file.Close()
		return nil, &providers.Error{Kind: providers.KindTooLong, Message: "the recording is too large, or has changed"}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.client.URL("/audio/transcriptions"), &body{
		Reader: io.MultiReader(strings.NewReader(head), &whole{file, size}, strings.NewReader(tail)), file: file,
	})
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	req.ContentLength = int64(len(head)) + size + int64(len(tail))
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Accept", "application/json")
	if key := p.client.Key(); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return req, nil
}

// body is a request that ends with its file closed.
type body struct {
	io.Reader

	file io.Closer
}

// Close implements [io.Closer].
func (b *body) Close() error { return b.file.Close() }

// whole gives exactly left bytes of a file; one that has become shorter is an error.
type whole struct {
	r    io.Reader
	left int64
}

// Read implements [io.Reader].
func (w *whole) Read(p []byte) (int, error) {
	if w.left == 0 {
		return 0, io.EOF
	}
	n, err := w.r.Read(p[:min(int64(len(p)), w.left)])
	w.left -= int64(n)
	if err == io.EOF && w.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
