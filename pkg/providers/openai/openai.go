package openai

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"parley/pkg/providers"
)

// DefaultBaseURL is OpenAI's own.
const DefaultBaseURL = "https://api.openai.com/v1"

const (
	defaultConnect  = 10 * time.Second
	defaultIdle     = 60 * time.Second
	defaultTotal    = 300 * time.Second
	defaultMaxBody  = 8 << 20
	idleConnsOfHost = 512
	maxModelsKnown  = 256
)

// Options describe one server. The zero value is OpenAI without a key.
type Options struct {
	// BaseURL is the address before /chat/completions; empty means [DefaultBaseURL].
	BaseURL string
	// Key is asked for each request's key. Nil or an empty key sends no Authorization header.
	Key func() string
	// Transport replaces the connection pool that New makes.
	Transport http.RoundTripper
	// ConnectTimeout bounds dialing and the TLS handshake, each; 0 means 10 s.
	ConnectTimeout time.Duration
	// IdleTimeout bounds the silence of a server that answers; 0 means 60 s. In
	// a stream only a whole line breaks the silence.
	IdleTimeout time.Duration
	// TotalTimeout bounds a whole request; 0 means 300 s.
	TotalTimeout time.Duration
	// MaxBody is the most that is read of one answer, in bytes; 0 means 8 MiB.
	MaxBody int64
	// Images says that the model takes pictures. Without it they are replaced by a note.
	Images bool
}

// Provider is a [providers.StreamingProvider] for one server. It is safe for use
// by many goroutines at once, and shares its connections among them.
type Provider struct {
	opts   Options
	client *http.Client
	server string // the base URL without credentials, for errors

	mu     sync.Mutex
	quirks map[string]quirks // by model

	tools offers
}

// New makes a provider without connecting.
func New(o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = defaultConnect
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = defaultIdle
	}
	if o.TotalTimeout <= 0 {
		o.TotalTimeout = defaultTotal
	}
	if o.MaxBody <= 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.Transport == nil {
		o.Transport = newTransport(o.ConnectTimeout)
	}
	return &Provider{
		opts:   o,
		server: publicURL(o.BaseURL),
		quirks: make(map[string]quirks),
		client: &http.Client{
			Transport: o.Transport,
			// A conversation and its key go where the operator said, nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// newTransport keeps enough connections for hundreds of chats that ask at once.
func newTransport(connect time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialing(dialer.DialContext),
		TLSHandshakeTimeout: connect,
		ForceAttemptHTTP2:   true,
		// All chats share one connection of HTTP/2. Where it goes silent without an
		// end, which TCP may notice after a quarter of an hour, a ping finds it out.
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: 2 * connect, PingTimeout: connect},
		MaxIdleConns:          idleConnsOfHost,
		MaxIdleConnsPerHost:   idleConnsOfHost,
		IdleConnTimeout:       90 * time.Second,
		WriteBufferSize:       8 << 10, // a usual request leaves in one piece
		ExpectContinueTimeout: time.Second,
	}
}

// publicURL is raw without credentials and query.
func publicURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "(malformed base URL)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return strings.TrimRight(u.String(), "/")
}

// Close closes the connections that no request uses.
func (p *Provider) Close() { p.client.CloseIdleConnections() }

// Chat asks for one answer as a whole. Beside the options of [providers.LLMProvider]
// it knows top_p (float64), reasoning_effort (string), stop ([]string) and seed (int).
func (p *Provider) Chat(
	ctx context.Context, messages []providers.Message,
	tools []providers.ToolDefinition, model string, options map[string]any,
) (*providers.LLMResponse, error) {
	return p.ask(ctx, &question{messages: messages, tools: tools, model: model, options: options})
}

// ChatStream asks for one answer and emits it while it grows. The options are those of Chat.
func (p *Provider) ChatStream(
	ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition,
	model string, options map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	return p.ask(ctx, &question{messages: messages, tools: tools, model: model, options: options, stream: true, emit: emit})
}

// question is the request of one call of Chat or ChatStream.
type question struct {
	messages []providers.Message
	tools    []providers.ToolDefinition
	model    string
	options  map[string]any
	stream   bool
	emit     func(providers.StreamEvent)
}

// ask asks until no refused parameter is left in the request.
func (p *Provider) ask(ctx context.Context, q *question) (*providers.LLMResponse, error) {
	if q.emit == nil {
		q.emit = func(providers.StreamEvent) {}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.opts.TotalTimeout, errTotal)
	defer cancel()
	known := p.quirksOf(q.model)
	for {
		req, messages, err := p.request(q, known)
		if err != nil {
			return nil, p.failure(q.model, err)
		}
		resp, err := p.once(ctx, q, req, messages)
		if err == nil {
			return resp, nil
		}
		learned := known.learn(err, req)
		if learned == known || ctx.Err() != nil {
			return nil, p.conclude(ctx, q.model, err)
		}
		known = learned
		p.remember(q.model, known)
	}
}

// once sends one request and reads its answer.
func (p *Provider) once(
	ctx context.Context, q *question, req sdk.ChatCompletionRequest, messages *body,
) (resp *providers.LLMResponse, err error) {
	ctx, x := p.newExchange(ctx, messages)
	x.impatient = q.stream
	defer func() {
		x.stop()
		if cause := timedOut(ctx); cause != nil && err != nil {
			err = cause
		}
	}()
	client := p.sdkClient(x)
	a := newAssembly(q.messages, mark{server: p.server, model: q.model}, q.emit)
	var next func() ([]byte, error)
	if q.stream {
		stream, err := client.CreateChatCompletionStream(ctx, req)
		if err != nil {
			return nil, err
		}
		defer stream.Close()
		next = stream.RecvRaw
	} else if _, err := client.CreateChatCompletion(ctx, req); err != nil {
		return nil, err
	}
	switch {
	case x.sse == nil:
		return decodeWhole(x.body, a)
	case next == nil:
		next = x.sse.next
	}
	return readStream(next, a, x.hasten)
}

// sdkClient gives go-openai for one exchange; it holds no state of its own.
func (p *Provider) sdkClient(x *exchange) *sdk.Client {
	c := sdk.DefaultConfig(p.key())
	c.BaseURL = p.opts.BaseURL
	c.HTTPClient = x
	c.EmptyMessagesLimit = 1 << 31 // the filter lets no empty line through
	return sdk.NewClientWithConfig(c)
}

func (p *Provider) key() string {
	if p.opts.Key == nil {
		return ""
	}
	return strings.TrimSpace(p.opts.Key())
}

// Models lists the models that the server offers. It also tells whether the server is there.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.opts.TotalTimeout, errTotal)
	defer cancel()
	inner, x := p.newExchange(ctx, nil)
	defer x.stop()
	if _, err := p.sdkClient(x).ListModels(inner); err != nil {
		if cause := timedOut(inner); cause != nil {
			err = cause
		}
		return nil, p.conclude(ctx, "", err)
	}
	names, err := decodeModels(x.body)
	if err != nil {
		return nil, p.conclude(ctx, "", err)
	}
	return names, nil
}

// conclude gives the error that the caller sees: its own context's, or a [providers.Error].
func (p *Provider) conclude(ctx context.Context, model string, err error) error {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTotal) {
		return ctx.Err()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = cut("the connection was closed in the middle of the answer", nil)
	}
	return p.failure(model, err)
}

func (p *Provider) quirksOf(model string) quirks {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.quirks[model]
}

func (p *Provider) remember(model string, q quirks) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.quirks) >= maxModelsKnown {
		clear(p.quirks)
	}
	p.quirks[model] = q
}
