package openai

import (
	"context"
	"net/http"
	"sync"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
	"parley/pkg/providers/kinds"
)

// DefaultBaseURL is OpenAI's own.
const DefaultBaseURL = "https://api.openai.com/v1"

const maxModelsKnown = 256

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
	// Kind names the row of [kinds] for this server or its models; empty means that the
	// base URL and the model's name tell. An unknown name counts as empty.
	Kind string
	// Images says that the model takes pictures. Without it they are replaced by a note.
	Images bool
}

// Provider is a [providers.StreamingProvider] for one server. It is safe for use
// by many goroutines at once, and shares its connections among them.
type Provider struct {
	client        *exchange.Client
	kind, baseURL string
	images        bool

	mu     sync.Mutex
	quirks map[string]quirks // by model

	tools   exchange.Offers
	prompts exchange.Texts
	forms   forms
}

// New makes a provider without connecting.
func New(o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	return &Provider{
		client: exchange.New(exchange.Options{
			BaseURL: o.BaseURL, Key: o.Key, Transport: o.Transport, MaxBody: o.MaxBody,
			ConnectTimeout: o.ConnectTimeout, IdleTimeout: o.IdleTimeout, TotalTimeout: o.TotalTimeout,
		}),
		kind: o.Kind, baseURL: o.BaseURL, images: o.Images,
		quirks: make(map[string]quirks),
	}
}

// Close closes the connections that no request uses.
func (p *Provider) Close() { p.client.Close() }

// Chat asks for one answer as a whole. Beside the options of [providers.LLMProvider]
// it knows top_p (float64), reasoning_effort (string), stop ([]string), seed (int) and
// response_format (json.RawMessage, the JSON Schema of the answer's text), response_strict
// (bool, of the schema), and grammar
// (string), which goes to the servers that take one.
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
	ctx, cancel := p.client.Bound(ctx)
	defer cancel()
	known, renewal := p.quirksOf(q.model), p.client.Renewal()
	for {
		s, body, err := p.request(q, known)
		if err != nil {
			return nil, p.client.Failure(ctx, q.model, err)
		}
		resp, err := p.heard(ctx, q, &s, body, known)
		if err == nil {
			return resp, nil
		}
		learned := known.learn(err, &s)
		if ctx.Err() != nil || learned == known && !renewal.Again(err) {
			return nil, p.client.Failure(ctx, q.model, err)
		}
		known = learned
		p.remember(q.model, known)
	}
}

// once sends one request and reads its answer.
func (p *Provider) once(
	ctx context.Context, q *question, s *settings, body *exchange.Body,
) (resp *providers.LLMResponse, err error) {
	defer body.End()
	f, err := p.form(ctx, s)
	if err != nil {
		return nil, err
	}
	body.Share(f.settings)
	a := newAssembly(q.messages, exchange.Mark{Server: p.client.Server(), Model: q.model}, q.emit)
	err = p.client.Once(ctx, q.stream, func(ctx context.Context, x *exchange.Exchange) error {
		asked := f.request.WithContext(ctx)
		body.Attach(asked)
		if err := x.Send(asked); err != nil {
			return err
		}
		if x.Frames() != nil {
			resp, err = readStream(x, a)
		} else {
			resp, err = decodeWhole(x, a)
		}
		return err
	})
	return resp, err
}

// Models lists the models that the server offers. It also tells whether the server is there.
func (p *Provider) Models(ctx context.Context) (names []string, err error) {
	ctx, cancel := p.client.Bound(ctx)
	defer cancel()
	req, err := p.written(ctx, p.client.Key(), func(ctx context.Context, c *sdk.Client) error {
		_, err := c.ListModels(ctx)
		return err
	})
	if err == nil {
		err = p.client.Once(ctx, false, func(ctx context.Context, x *exchange.Exchange) error {
			if err := x.Send(req.WithContext(ctx)); err != nil {
				return err
			}
			names, err = decodeModels(x)
			return err
		})
	}
	return names, p.client.Failure(ctx, "", err)
}

// quirksOf gives a model's manners: the remembered ones, or those of its row.
func (p *Provider) quirksOf(model string) quirks {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q, known := p.quirks[model]; known {
		return q
	}
	match, ok := kinds.Of(p.kind, p.baseURL, model)
	if !ok {
		match, _ = kinds.Of("", p.baseURL, model)
	}
	q := quirks{
		row: &match.Traits, completionTokens: match.Traits.MaxTokens == maxCompletionTokens, byTurns: match.Traits.ByTurns,
	}
	p.keep(model, q)
	return q
}

// maxCompletionTokens is the newer name of the limit of an answer.
const maxCompletionTokens = "max_completion_tokens"

func (p *Provider) remember(model string, q quirks) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(model, q)
}

// keep is remember with the lock held.
func (p *Provider) keep(model string, q quirks) {
	if len(p.quirks) >= maxModelsKnown {
		clear(p.quirks)
	}
	p.quirks[model] = q
}
