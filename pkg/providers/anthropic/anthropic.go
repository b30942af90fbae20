package anthropic

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// DefaultBaseURL is Anthropic's own.
const DefaultBaseURL = "https://api.anthropic.com"

const (
	maxModelsKnown = 256
	// How often a server may pause the turn of one answer.
	maxPauses = 8
)

var errBaseURL = errors.New("base_url is not the URL of a server")

// Options describe one server. The zero value is Anthropic without a key.
type Options struct {
	// BaseURL is the address before /v1/messages; it may end with /v1. Empty means
	// [DefaultBaseURL]. For Vertex AI it ends with the project and the location:
	// https://us-east5-aiplatform.googleapis.com/v1/projects/P/locations/us-east5
	BaseURL string
	// Path is the form of a model's path as Vertex AI has it, with {model} for its name.
	// Empty means /v1/messages with the model in the body, and for a base URL with a
	// project /publishers/anthropic/models/{model}.
	Path string
	// Key is asked for each request's key. If it is nil or gives an empty key, the request
	// carries no key.
	Key func() string
	// Bearer sends the key as a bearer token instead of as X-Api-Key. The servers that
	// have the model in the path always get it so.
	Bearer bool
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
	server *exchange.Client
	client sdk.Client
	form   string // of a model's path; empty where the body names the model
	bad    error  // why no request can be made

	mu     sync.Mutex
	quirks map[string]quirks // by model

	tools exchange.Offers
}

// New makes a provider without connecting.
func New(o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	base, form := strings.TrimRight(o.BaseURL, "/"), formOf(o)
	if form == "" {
		base = strings.TrimSuffix(base, "/v1")
	}
	p := &Provider{
		opts: o, form: form,
		quirks: make(map[string]quirks),
		server: exchange.New(exchange.Options{
			BaseURL: o.BaseURL, Key: o.Key, Transport: o.Transport, ConnectTimeout: o.ConnectTimeout,
			IdleTimeout: o.IdleTimeout, TotalTimeout: o.TotalTimeout, MaxBody: o.MaxBody,
		}),
	}
	if u, err := url.Parse(base); err != nil || u.Host == "" {
		p.bad = errBaseURL
		return p
	}
	p.client = sdk.NewClient(option.WithoutEnvironmentDefaults(), option.WithBaseURL(base+"/"), option.WithMaxRetries(0))
	return p
}

// formOf is the form of a model's path below the base URL.
func formOf(o Options) string {
	const vertex = "publishers/anthropic/models/{model}"
	switch u, err := url.Parse(o.BaseURL); {
	case o.Path != "":
		return strings.Trim(o.Path, "/")
	case err == nil && strings.Contains(u.Path, "/projects/"):
		return vertex
	default:
		return ""
	}
}

// Close closes the connections that no request uses.
func (p *Provider) Close() { p.server.Close() }

// Chat asks for one answer as a whole. Beside the options of [providers.LLMProvider] it
// knows top_p (float64), reasoning_effort (string: none, minimal, low, medium, high, xhigh,
// max), stop ([]string) and response_format (json.RawMessage, the JSON Schema of the
// answer's text).
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
	// forgetful leaves earlier thinking out, because the server refused it.
	forgetful bool
	// said and limit are the setting of thinking and the longest answer of the last request.
	said  string
	limit int64
}

// ask asks until no refused parameter is left in the request and the turn is not paused.
func (p *Provider) ask(ctx context.Context, q *question) (*providers.LLMResponse, error) {
	if q.emit == nil {
		q.emit = func(providers.StreamEvent) {}
	}
	ctx, cancel := p.server.Bound(ctx)
	defer cancel()
	a := newAnswer(q.messages, p.markOf(q.model), q.emit)
	known, renewal := p.quirksOf(q.model), p.server.Renewal()
	for pauses := 0; ; {
		err := p.once(ctx, q, known, a)
		switch {
		case err == nil && a.paused() && pauses < maxPauses && a.size < p.server.MaxBody():
			pauses++
			a.goOn()
			continue
		case err == nil:
			resp, err := a.response()
			return resp, p.server.Failure(ctx, q.model, err)
		case ctx.Err() != nil:
			return nil, p.server.Failure(ctx, q.model, err)
		}
		learned := known.plainly(err).learn(err, q)
		if learned == known && !q.forget(err) && !renewal.Again(err) {
			return nil, p.server.Failure(ctx, q.model, err)
		}
		known = learned
		p.remember(q.model, known)
	}
}

// once sends one request and reads its answer into a.
func (p *Provider) once(ctx context.Context, q *question, known quirks, a *answer) error {
	if p.bad != nil {
		return p.bad
	}
	settings, body, err := p.request(q, known, a)
	if err != nil {
		return err
	}
	defer body.End()
	return p.server.Once(ctx, q.stream, func(ctx context.Context, x *exchange.Exchange) error {
		var resp *http.Response
		err := p.client.Post(ctx, p.path(q), settings, &resp, p.credentials(), option.WithHTTPClient(&doer{x: x, body: body}))
		if err != nil {
			return err
		}
		_ = resp.Body.Close() // it is empty: the exchange has the answer
		frames := x.Frames()
		if frames != nil {
			return x.Stream(frames.Next, func(frame []byte) (bool, error) {
				done, err := a.add(frame)
				if done {
					frames.End()
				}
				return a.stopped(), err
			})
		}
		var whole message
		if err := x.Decode("the answer", &whole); err != nil {
			return err
		}
		return a.addWhole(&whole)
	})
}

// path is the address of a question below the base URL.
func (p *Provider) path(q *question) string {
	if p.form == "" {
		return "v1/messages"
	}
	method := ":rawPredict"
	if q.stream {
		method = ":streamRawPredict"
	}
	return strings.ReplaceAll(p.form, "{model}", url.PathEscape(q.model)) + method
}

// credentials puts the key into a request.
func (p *Provider) credentials() option.RequestOption {
	key := p.server.Key()
	switch {
	case key == "":
		return option.WithHeaderDel("X-Api-Key")
	case p.opts.Bearer || p.form != "":
		return option.WithAuthToken(key)
	default:
		return option.WithAPIKey(key)
	}
}

// Models lists the models that the server offers. It also tells whether the server is there.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	ctx, cancel := p.server.Bound(ctx)
	defer cancel()
	if p.bad != nil {
		return nil, p.server.Failure(ctx, "", p.bad)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err := p.server.Once(ctx, false, func(ctx context.Context, x *exchange.Exchange) error {
		var resp *http.Response
		err := p.client.Get(ctx, "v1/models?limit=1000", nil, &resp, p.credentials(), option.WithHTTPClient(&doer{x: x}))
		if err != nil {
			return err
		}
		_ = resp.Body.Close() // it is empty: the exchange has the answer
		return x.Decode("the list of models", &list)
	})
	if err != nil {
		return nil, p.server.Failure(ctx, "", err)
	}
	names := make([]string, 0, len(list.Data))
	for i := range list.Data {
		if name := strings.TrimSpace(list.Data[i].ID); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

func (p *Provider) markOf(model string) exchange.Mark {
	return exchange.Mark{Server: p.server.Server(), Model: model}
}

func (p *Provider) quirksOf(model string) quirks {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.quirks[model]
}

func (p *Provider) remember(model string, k quirks) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.quirks) >= maxModelsKnown {
		clear(p.quirks)
	}
	p.quirks[model] = k
}
