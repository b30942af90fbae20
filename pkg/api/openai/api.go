package openai

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/fair"
	"parley/pkg/httpd"
	"parley/pkg/session"
	"parley/pkg/shelf"
)

// Store is the part of the engine that the API reads.
type Store interface {
	Chats
	Questions
	Turns
}

// Chats are conversations; the methods are those of [session.Sessions].
type Chats interface {
	Lookup(ctx context.Context, a channels.Address) (session.Info, error)
	Back(ctx context.Context, sessionID string, before uint64, f func(session.Entry) bool) error
}

// Questions are those that were put: ApprovalList has the ones of a chat.
type Questions interface {
	Approval(ctx context.Context, id string) (session.Approval, error)
	ApprovalList(ctx context.Context, chat string) ([]session.Approval, error)
}

// Turns are those of the chats; Waits is that of [session.Inbox].
type Turns interface {
	session.Turns
	Waits(ctx context.Context, id string) (session.Item, error)
}

// Options are the parts that an [API] works with; all but ChatHeaders and NoQuestions are required.
type Options struct {
	// Channel is the name of the channel of the chats.
	Channel string
	Hub     *events.Hub
	Store   Store
	// Post stores a message. [ErrNotNow] and [ErrNotAllowed] are its errors for clients.
	Post func(ctx context.Context, m channels.Inbound) error
	// Press is the text of a press that answers a question.
	Press func(q *session.Approval, allow bool) string
	// Bodies bound the memory of large bodies.
	Bodies *httpd.Bodies
	// Bring stores the files of the message that becomes an item of a chat.
	Bring func(ctx context.Context, chat, item string, all []shelf.Upload) ([]channels.Attachment, error)
	// TakesIn says that the gateway is not about to end.
	TakesIn func() bool
	// Models are the names of all models that a chat may choose.
	Models func() []string
	// Formats says whether the model that answers in a chat, or the one of the name where that
	// is not "", holds its answers to a JSON Schema: object says that it takes any object.
	Formats func(at channels.Address, model string, object bool) bool
	// NoQuestions refuses the calls in chat completions that a person would have to allow.
	NoQuestions bool
	// ChatHeaders are the headers that name a lasting chat, in the order in which they count.
	ChatHeaders []string
	// Redact removes secrets from a text.
	Redact func(string) string
	Log    zerolog.Logger
}

// Errors of [Options.Post] that a client is told.
var (
	// ErrNotNow says that the gateway takes no messages in now.
	ErrNotNow = errors.New("openai: not now")
	// ErrNotAllowed says that the policy does not let the person in.
	ErrNotAllowed = errors.New("openai: not allowed")
)

// API is the OpenAI API.
type API struct {
	o Options
	// places are those of requests that begin a turn.
	places *fair.Places
	began  time.Time
}

// The pace of a burst. At most maxQuick turns that are over quickly run beside each other:
// more would cost memory and be no faster. A turn that is not over within quick gives its
// place to the next, so that no client waits for the model of another.
const (
	maxQuick = 32
	quick    = 50 * time.Millisecond
)

// New returns the API.
func New(o Options) *API {
	return &API{o: o, places: fair.New(maxQuick), began: time.Now()}
}

// Routes are the routes of the API.
func (a *API) Routes() []httpd.Route {
	remove := func(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
		return deleteResponse(a, w, r, c)
	}
	return []httpd.Route{
		{Pattern: "GET /v1/models", Access: httpd.AccessProgram, Handler: handler(a.listModels)},
		{Pattern: "GET /v1/models/{id...}", Access: httpd.AccessProgram, Handler: handler(a.oneModel)},
		{
			Pattern: "POST /v1/chat/completions", Access: httpd.AccessProgram, Handler: handler(a.chatCompletions),
			MaxBody: maxBody, Streams: true,
		},
		{
			Pattern: "POST /v1/responses", Access: httpd.AccessProgram, Handler: handler(a.responses),
			MaxBody: maxBody, Streams: true,
		},
		{Pattern: "GET /v1/responses/{id}", Access: httpd.AccessProgram, Handler: handler(a.oneResponse)},
		{Pattern: "DELETE /v1/responses/{id}", Access: httpd.AccessProgram, Handler: handler(remove)},
	}
}

// handler is a route with a caller.
func handler(serve func(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := httpd.CallerFrom(r.Context())
		if c == nil {
			httpd.Refuse(w, *notFound(textNotFound))
			return
		}
		if f := serve(w, r, c); f != nil {
			httpd.Refuse(w, *f)
		}
	})
}

// place is the chat of a request, and the id of its message there.
type place struct {
	caller *httpd.Caller
	at     channels.Address
	sender channels.Sender
	// id is the key of the message; keyed says that the client chose it, and comes again.
	id    string
	keyed bool
	// pictures are those of the message, and read is called once they are stored.
	pictures []shelf.Picture
	read     func()
}

// freshID begins the ids of the messages that do not come again.
const freshID = "post/"

// fresh says that no message has had the id before.
func (p *place) fresh() bool { return strings.HasPrefix(p.id, freshID) }

// placeOf finds the chat of a request: the lasting one that a header names, or one of its
// own. The name of a chat has the person in it, behind which no id reaches another's chat.
func (a *API) placeOf(r *http.Request, c *httpd.Caller) (*place, *httpd.Refusal) {
	p := &place{caller: c, sender: channels.Sender{ID: c.Person.String()}, id: freshID + rand.Text()}
	keys := r.Header.Values(keyHeader)
	if len(keys) > 0 {
		if len(keys) > 1 || keys[0] == "" || len(keys[0]) > maxKey {
			return nil, bad(keyHeader, textKey)
		}
		p.keyed = true
	}
	chat := a.lasting(r)
	if p.keyed {
		p.id = "key/" + digest(c.Credential, r.URL.Path, chat, keys[0])
	}
	if chat == "" {
		chat = channels.PassingID + digest(c.Credential, p.id)
	}
	p.at = channels.Address{Channel: a.o.Channel, Chat: p.sender.ID + "." + chat}
	return p, nil
}

// lasting is the id of the chat that a header names, or "".
func (a *API) lasting(r *http.Request) string {
	for _, name := range a.o.ChatHeaders {
		if value := r.Header.Get(name); value != "" {
			return chatID(value)
		}
	}
	return ""
}

// chatID is a client's name of a chat as an id; a name that is none is hashed.
func chatID(name string) string {
	ours := strings.HasPrefix(name, channels.PassingID) || strings.HasPrefix(name, channels.LinkedID)
	plain := len(name) <= maxChatID && !ours && strings.IndexFunc(name, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' && c != '-'
	}) < 0
	if plain {
		return name
	}
	return "chat-" + digest(name)
}

const (
	// The header keyHeader has the client's key of a request.
	keyHeader = "Idempotency-Key"
	maxKey    = 200
	maxChatID = 64
	// The first sumBytes of a hash tell keys and requests apart.
	sumBytes = 16
)

// digest is the same for the same texts alone.
func digest(texts ...string) string {
	sum := sha256.New()
	for _, s := range texts {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(s), s)
	}
	return hex.EncodeToString(sum.Sum(nil)[:sumBytes])
}

// inbound is a message of the person of a place.
func (p *place) inbound(id, text string, wish *channels.Wish) channels.Inbound {
	wish.Level, wish.Credential = string(p.caller.Level), p.caller.Credential
	return channels.Inbound{
		ID: id, Kind: channels.KindMessage, Address: p.at, Sender: p.sender, Text: text, Direct: true, MessageID: id,
		Time: time.Now(), Wish: wish,
	}
}

// chat is the id under which the native API has the chat.
func (p *place) chat() string { return p.at.Chat[strings.LastIndexByte(p.at.Chat, '.')+1:] }

// item is the stored id of the message.
func (p *place) item() string { return session.InboundItemID(p.at, p.id) }
