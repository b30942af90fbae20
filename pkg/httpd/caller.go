package httpd

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/pkg/policy"
)

// Caller is the holder of a credential: everything that a route may know of its rights. A
// client's own words about itself add no rights.
type Caller struct {
	// Person is the acting person: chats belong to it.
	Person policy.Person
	// Name is how other people read the caller; "" is its person.
	Name string
	// Level is the most that a turn of this caller may use.
	Level policy.Level
	// Owner says that a session is that of an owner.
	Owner bool
	// Models are the names of models that it may choose; nil are those of its chats.
	Models []string
	// Rights are given beside the level; a new credential starts without them.
	Rights []Right
	// Credential names the token or the session in logs and in scopes; it is no secret.
	Credential string
	// Expires is the end of the credential; with the zero time it has no end.
	Expires time.Time
}

// Right is something that a token may be given beside its level.
type Right string

// The rights of a token.
const (
	// RightApprove answers approvals, except those of a turn that the same token began.
	RightApprove Right = "approve"
	// RightCallTools calls tools without a model.
	RightCallTools Right = "call_tools"
	// RightTelemetry reads the telemetry of the tools, which is that of all chats.
	RightTelemetry Right = "telemetry"
)

// Rights lists every right.
func Rights() []Right { return []Right{RightApprove, RightCallTools, RightTelemetry} }

// May says whether the caller has a right.
func (c *Caller) May(r Right) bool { return slices.Contains(c.Rights, r) }

// ErrNoCredential says that a credential is unknown, revoked or over.
var ErrNoCredential = errors.New("the credential is not valid")

// ErrRevoked is the cause with which the context of a request ends when its credential does.
var ErrRevoked = errors.New("the credential was revoked")

// Keyring knows the credentials. Both methods are called for each request, from many
// goroutines, and answer by the store as it is now. The context that they return, which may
// be the background's, ends once the credential is revoked. An error other than
// [ErrNoCredential] is a fault of ours.
type Keyring interface {
	// Token finds the holder of a bearer token.
	Token(ctx context.Context, secret string) (c *Caller, valid context.Context, err error)
	// Session finds the person who logged in with a page.
	Session(ctx context.Context, secret string) (c *Caller, valid context.Context, err error)
}

// callerKey finds the caller in the context of a request.
type callerKey struct{}

// WithCaller is a context with the caller of a request, for a server that knows its callers by
// other means than a credential.
func WithCaller(ctx context.Context, c *Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom is the caller of a request, on routes of [AccessPage] and [AccessProgram]; nil on
// others.
func CallerFrom(ctx context.Context) *Caller {
	c, _ := ctx.Value(callerKey{}).(*Caller)
	return c
}
