package native

import (
	"context"
	"net/http"

	"github.com/rs/zerolog"

	"parley/pkg/api/native/reading"
	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/shelf"
	"parley/pkg/tools"
)

// Store is the part of the engine that the API reads.
type Store interface {
	reading.Store
	Questions
	// ProgramOf and TurnOf are those of [session.Turns].
	ProgramOf(ctx context.Context, chat, turn string) (session.Program, error)
	TurnOf(ctx context.Context, item string) (session.TurnFact, error)
	// Waits is that of [session.Inbox].
	Waits(ctx context.Context, id string) (session.Item, error)
}

// Questions are those that people answer; the methods are those of [session.Approvals].
type Questions interface {
	Approval(ctx context.Context, id string) (session.Approval, error)
	Grants(ctx context.Context, chat string) ([]session.Grant, error)
}

// Linked finds the chats of other channels on the page of a caller.
type Linked interface {
	// ID says whether an id is one of theirs.
	ID(id string) bool
	// Chat finds one by its id, with a context that ends when the page shows it no more.
	Chat(c *httpd.Caller, id string) (at channels.Address, valid context.Context, ok bool)
	// Chats are all of them.
	Chats(c *httpd.Caller) []session.Link
}

// Options are the parts that an [API] works with; all are required.
type Options struct {
	// Channel is the name of the channel of the chats, and Names lead to them; nil are [PersonalNames].
	Channel string
	Names   Names
	Hub     *events.Hub
	Store   Store
	// Files are those of the chats.
	Files *shelf.Shelf
	// Linked are the chats of other channels that the page shows.
	Linked  Linked
	Reading Reading
	// Post stores a message. [ErrNotNow] and [ErrNotAllowed] are its errors for clients.
	Post func(ctx context.Context, m channels.Inbound) error
	// Tools are all tools; Offered narrows them for a chat.
	Tools   *tools.ToolRegistry
	Offered func(at channels.Address, tool string) bool
	// LevelOf is the level that a person has in a chat.
	LevelOf func(ctx context.Context, at channels.Address, sender channels.Sender) policy.Level
	// Command is the name of the command that a text is, and the words behind it.
	Command func(text string) (name, arg string)
	// Commands are all commands of the chats of a caller, as a client reads them.
	Commands func(c *httpd.Caller) any
	// Models are the names of the models that a chat may choose. ModelAt is the name of the one
	// that answers in a chat which has chosen one, or "".
	Models  func() []string
	ModelAt func(at channels.Address, chosen string) string
	// Press is the text of a press that answers a question with one of the choices.
	Press func(q *session.Approval, choice string) string
	// Rounds is the limit of rounds of a turn.
	Rounds int
	Redact func(string) string
	Log    zerolog.Logger
}

// API is the native HTTP API.
type API struct {
	o      Options
	reader *reading.Reader
}

// New returns the API.
func New(o Options) *API {
	if o.Names == nil {
		o.Names = PersonalNames{}
	}
	return &API{o, reading.New(reading.Options{
		Channel: o.Channel, Hub: o.Hub, Store: o.Store, Activity: o.Reading, Files: o.Files, Redact: o.Redact,
		IsStop: func(text string) bool {
			name, _ := o.Command(text)
			return name == commandStop
		},
	})}
}

// Routes are the routes below a prefix, for one kind of access.
func (a *API) Routes(prefix string, access httpd.Access) []httpd.Route {
	chat := prefix + "/chats/{chat}"
	program := access == httpd.AccessProgram
	in := func(serve inChat) http.Handler { return a.chat(serve, program) }
	with := func(serve func(*API, http.ResponseWriter, *http.Request, *place) *httpd.Refusal) http.Handler {
		return in(func(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal { return serve(a, w, r, p) })
	}
	read := func(serve inChat) http.Handler { return shown(a, serve, in(serve), program) }
	all := []httpd.Route{
		{Pattern: "GET " + chat, Handler: read(a.read)},
		{Pattern: "GET " + chat + "/events", Handler: read(a.follow), Streams: true},
		{Pattern: "GET " + chat + "/socket", Handler: in(socketOf(a)), Streams: true},
		{Pattern: "GET " + chat + "/answer", Handler: with(readAnswer)},
		{Pattern: "GET " + chat + "/conversations", Handler: with(listConversations)},
		{Pattern: "POST " + chat + "/messages", Handler: in(a.post)},
		{Pattern: "POST " + chat + "/files", Handler: in(filing{a}.upload), Upload: true, MaxBody: shelf.MaxUpload},
		{Pattern: "GET " + chat + "/files/{file}", Handler: in(filing{a}.download)},
		{Pattern: "DELETE " + chat + "/files/{file}", Handler: in(filing{a}.removeFile)},
		{Pattern: "POST " + chat + "/stop", Handler: in(a.stop)},
		{Pattern: "POST " + chat + "/approvals/{approval}", Handler: in(a.decide)},
		{Pattern: "GET " + prefix + "/chats", Handler: handler(func(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
			return a.listChats(w, r, c, !program)
		})},
		{Pattern: "GET " + prefix + "/tools", Handler: handler(a.listTools)},
		{Pattern: "GET " + prefix + "/commands", Handler: handler(func(w http.ResponseWriter, _ *http.Request, c *httpd.Caller) *httpd.Refusal {
			return a.answer(w, http.StatusOK, map[string]any{"commands": a.o.Commands(c)})
		})},
	}
	if program {
		call := func(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
			return callTool(a, w, r, c)
		}
		all = append(all, httpd.Route{Pattern: "POST " + prefix + "/tools/call", Handler: handler(call), Streams: true})
	} else {
		all = append(all, httpd.Route{Pattern: "POST " + chat + "/seen", Handler: in(a.seen)})
	}
	for i := range all {
		all[i].Access = access
	}
	return all
}

// place is a chat of the caller of a request.
type place struct {
	caller  *httpd.Caller
	program bool   // it came with a token, not from the page
	id      string // of a chat of the API's own channel
	at      channels.Address
	sender  channels.Sender
	// link ends once the page may no longer show this chat of another channel, which nobody may write
	// to here. A chat of the page has nil.
	link context.Context //nolint:containedctx // the link's life, not that of a request
}

// placeOf is the one function that finds a chat of a caller by its id. The ids of chats of other
// channels are none of the caller's own, so that no chat of a program hides behind one.
func (a *API) placeOf(c *httpd.Caller, id string) (place, bool) {
	p := place{caller: c, id: id, sender: a.o.Names.Sender(c)}
	p.at = channels.Address{Channel: a.o.Channel, Chat: a.o.Names.Chat(c, id)}
	return p, ValidID(id) && !a.o.Linked.ID(id)
}

// inChat serves a request about a chat of its caller.
type inChat func(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal

// handler is a route with a caller.
func handler(serve func(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := httpd.CallerFrom(r.Context())
		if c == nil {
			httpd.Refuse(w, *notFound())
			return
		}
		if f := serve(w, r, c); f != nil {
			httpd.Refuse(w, *f)
		}
	})
}

// chat is a route with the chat of its path.
func (a *API) chat(serve inChat, program bool) http.Handler {
	return handler(func(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
		p, ok := a.placeOf(c, r.PathValue("chat"))
		if !ok {
			return notFound()
		}
		p.program = program
		return serve(w, r, &p)
	})
}

// shown is a route of the page with a chat that it shows, its own or that of another channel.
func shown(a *API, serve inChat, own http.Handler, program bool) http.Handler { //nolint:revive // flag-parameter: as in Routes
	if program {
		return own
	}
	others := handler(func(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
		at, valid, ok := a.o.Linked.Chat(c, r.PathValue("chat"))
		if !ok {
			return notFound()
		}
		return serve(w, r, &place{caller: c, at: at, link: valid})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.o.Linked.ID(r.PathValue("chat")) {
			others.ServeHTTP(w, r)
			return
		}
		own.ServeHTTP(w, r)
	})
}
