package gemini

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// DefaultBaseURL is the Gemini API's.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"

const maxModelsKnown = 256

// Options describe one server. The zero value is the Gemini API without a key.
type Options struct {
	// BaseURL is the address before the path of a model; empty means [DefaultBaseURL]. For
	// Vertex AI it ends with the project and the location:
	// https://europe-west1-aiplatform.googleapis.com/v1/projects/P/locations/europe-west1
	BaseURL string
	// Path is the form of a model's path, with {model} for its name. Empty means
	// /models/{model}, and /publishers/google/models/{model} for a base URL of Vertex AI.
	// A model's name with a folder, such as endpoints/7, is its own path.
	Path string
	// Key is asked for each request's key. If it is nil or gives an empty key, the request
	// carries no key.
	Key func() string
	// Bearer sends the key as a bearer token, as Vertex AI wants it.
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
	client *exchange.Client
	form   form
	bearer bool
	images bool

	mu     sync.Mutex
	quirks map[string]quirks // by model

	tools exchange.Offers
}

// New makes a provider without connecting.
func New(o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	return &Provider{
		client: exchange.New(exchange.Options{
			BaseURL: o.BaseURL, Key: o.Key, Transport: o.Transport,
			ConnectTimeout: o.ConnectTimeout, IdleTimeout: o.IdleTimeout, TotalTimeout: o.TotalTimeout, MaxBody: o.MaxBody,
		}),
		form: formOf(o), bearer: o.Bearer, images: o.Images,
		quirks: make(map[string]quirks),
	}
}

// form is the form of a model's path, with {model} for its name.
type form string

func formOf(o Options) form {
	const api, vertex = "/models/{model}", "/publishers/google/models/{model}"
	switch u, err := url.Parse(o.BaseURL); {
	case o.Path != "":
		return form("/" + strings.Trim(o.Path, "/"))
	case err == nil && (strings.Contains(u.Path, "/projects/") || strings.HasSuffix(u.Hostname(), "aiplatform.googleapis.com")):
		return vertex
	default:
		return api
	}
}

// sendsIDs says whether calls without an id of the server get one of ours. Vertex AI gives
// no ids, and its endpoint did not know the field for long.
func (f form) sendsIDs() bool { return !strings.Contains(string(f), "publishers/") }

// path is the path of a method of a model.
func (f form) path(model, method string) string {
	model = strings.TrimPrefix(model, "models/")
	path := "/" + model
	if !strings.Contains(model, "/") {
		path = strings.ReplaceAll(string(f), "{model}", model)
	}
	return (&url.URL{Path: path}).EscapedPath() + ":" + method
}

// Close closes the connections that no request uses.
func (p *Provider) Close() { p.client.Close() }

// Chat asks for one answer as a whole. Beside the options of [providers.LLMProvider]
// it knows top_p (float64), reasoning_effort (string), stop ([]string), seed (int) and
// response_format, which is the JSON Schema of the answer (json.RawMessage). With an
// effort other than "none", the answer holds the model's summary of its thoughts.
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

// ask asks until no refused field is left in the request.
func (p *Provider) ask(ctx context.Context, q *question) (*providers.LLMResponse, error) {
	if q.emit == nil {
		q.emit = func(providers.StreamEvent) {}
	}
	ctx, cancel := p.client.Bound(ctx)
	defer cancel()
	known, renewal := p.quirksOf(q.model), p.client.Renewal()
	for {
		resp, err := p.once(ctx, q, known)
		if err == nil {
			return resp, nil
		}
		learned := known.learn(err, q)
		if ctx.Err() != nil || learned == known && !renewal.Again(err) {
			return nil, p.client.Failure(ctx, q.model, err)
		}
		known = learned
		p.remember(q.model, known)
	}
}

// once sends one request and reads its answer.
func (p *Provider) once(ctx context.Context, q *question, known quirks) (resp *providers.LLMResponse, err error) {
	body, err := p.request(q, known)
	if err != nil {
		return nil, err
	}
	defer body.End()
	method := "generateContent"
	if q.stream {
		method = "streamGenerateContent?alt=sse"
	}
	a := answer{mark: p.markOf(q.model), question: q}
	err = p.client.Once(ctx, q.stream, func(ctx context.Context, x *exchange.Exchange) error {
		req, err := p.newRequest(ctx, http.MethodPost, p.form.path(q.model, method))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		body.Attach(req)
		if err := x.Send(req); err != nil {
			return err
		}
		if frames := x.Frames(); frames != nil {
			return x.Stream(frames.Next, a.decodeFrame)
		}
		var whole answers
		if err := x.Decode("the answer", &whole); err != nil {
			return err
		}
		for i := range whole {
			a.add(&whole[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return a.response()
}

func (p *Provider) newRequest(ctx context.Context, method, path string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, p.client.URL(path), nil)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	switch key := p.client.Key(); {
	case key == "":
	case p.bearer:
		req.Header.Set("Authorization", "Bearer "+key)
	default:
		req.Header.Set("X-Goog-Api-Key", key)
	}
	return req, nil
}

// markOf is the mark of data that only one model of this server sees again.
func (p *Provider) markOf(model string) exchange.Mark {
	return exchange.Mark{Server: p.client.Server(), Model: model}
}

// maxPages bounds the list of models.
const maxPages = 20

// Models lists the models that the server offers. It also tells whether the server is
// there. Vertex AI has no such list below a project.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	ctx, cancel := p.client.Bound(ctx)
	defer cancel()
	var names []string
	for page, token := 0, ""; page == 0 || token != "" && page < maxPages; page++ {
		var list struct {
			Models []struct {
				Name string `json:"name"`
			} `json:"models"`
			Next string `json:"nextPageToken"`
		}
		err := p.client.Once(ctx, false, func(ctx context.Context, x *exchange.Exchange) error {
			req, err := p.newRequest(ctx, http.MethodGet, "/models?pageSize=1000&pageToken="+url.QueryEscape(token))
			if err != nil {
				return err
			}
			if err := x.Send(req); err != nil {
				return err
			}
			return x.Decode("the list of models", &list)
		})
		if err != nil {
			return nil, p.client.Failure(ctx, "", err)
		}
		for _, m := range list.Models {
			if name := strings.TrimPrefix(strings.TrimSpace(m.Name), "models/"); name != "" {
				names = append(names, name)
			}
		}
		token = list.Next
	}
	return names, nil
}
