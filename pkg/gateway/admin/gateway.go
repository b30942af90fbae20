package admin

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/audit"
	"parley/pkg/channels"
	"parley/pkg/corpus"
	"parley/pkg/gateway/files"
	"parley/pkg/gateway/forgetting"
	"parley/pkg/gateway/telemetry"
	"parley/pkg/history"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/session/local"
	"parley/pkg/tools"
)

// Gateway is the parts of a gateway that operations work on.
type Gateway struct {
	Version string
	Engine  session.Engine
	// Store is the file behind Engine.
	Store  *local.Engine
	Agent  *agent.Agent
	Tools  Tools
	Policy *policy.Policy
	// Approvals tell about which calls a person is asked.
	Approvals policy.Approvals
	Spaces    files.Spaces
	// Forgetting forgets chats.
	Forgetting *forgetting.Forgetting
	// Home is the chat of a request without one.
	Home channels.Address
	// Writer is a message of the person in a chat, as far as its address tells: it
	// decides on the rights of the chat. A group has no such person.
	Writer func(ctx context.Context, at channels.Address) (policy.Event, error)
	// Namer finds the channel of an address, if that can tell the names of people.
	Namer func(at channels.Address) (channels.Namer, bool)
	// Schedule puts the specification of a job in words.
	Schedule func(spec json.RawMessage) string
	// Web is the page; nil where no gateway runs with one.
	Web      *Web
	Consoles Consoles
	Models   Models
	// State tells how the gateway does now.
	State func() State
	// Redact takes secrets out of a text.
	Redact func(string) string
	// Note writes a row to the audit log without waiting for it.
	Note func(audit.Row)
	Log  zerolog.Logger
}

// Models are those of the configuration.
type Models struct {
	Names []string
	// Currency is that of their prices and of the budgets.
	Currency string
}

// Consoles are those that come over the socket.
type Consoles struct {
	// Handler serves their requests; nil where no gateway runs. [socket.PeerOf] tells it whose they are.
	Handler http.Handler
	// Group is the name of the group whose members may use the socket; "" is none.
	Group string
}

// Tools are those of a gateway.
type Tools struct {
	Registry *tools.ToolRegistry
	// Log has their calls, over restarts.
	Log *telemetry.Log
	// Corpora are the folders of documents that some of them search.
	Corpora *corpus.Library
	// Past has the words of the chats' pasts.
	Past *history.History
	// Offered says whether a chat has a tool.
	Offered func(at channels.Address, tool string) bool
}
