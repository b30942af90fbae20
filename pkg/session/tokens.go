package session

import (
	"context"
	"time"
)

// MaxTokens is how many tokens a store keeps.
const MaxTokens = 1000

// TokenHash is the SHA-256 of a token's secret. The store has no secrets.
type TokenHash [32]byte

// MaxSessions is how many browsers one person may be logged in with: one more ends the oldest.
const MaxSessions = 50

// Token is a credential of a program or of a browser, without its secret.
type Token struct {
	// ID names the token to people; it is no secret.
	ID string `json:"id"`
	// Page says that this is the session of a browser that has logged in. Its level is that
	// of its person.
	Page bool `json:"page,omitempty"`
	// Person is the one in whose name the program acts, as CHANNEL:ID.
	Person string `json:"person"`
	// Note is the operator's own word on it.
	Note string `json:"note,omitempty"`
	// Level is the most that a turn which the token starts may use.
	Level string `json:"level"`
	// Models are the models that it may choose; none are those of its chats.
	Models []string `json:"models,omitempty"`
	// Rights are given beside the level.
	Rights  []string  `json:"rights,omitempty"`
	Created time.Time `json:"created"`
	// Expires is the end of the token; the zero time is none.
	Expires time.Time `json:"expires,omitzero"`
}

// Credentials are the tokens, and what a page shows beside its person's own chats.
type Credentials interface {
	Tokens
	Links
}

// Tokens are the credentials of programs and of browsers.
type Tokens interface {
	// PutToken stores a token under the hash of its secret. [ErrTaken]: there is one with
	// this id or hash. [ErrFull]: there are [MaxTokens]. A session takes the place of all that
	// are over, and of the oldest ones of its person beyond [MaxSessions].
	PutToken(ctx context.Context, hash TokenHash, t Token) error
	// RevokeToken ends the token with this id, and returns it. When it returns, no token of
	// this id is found, and its context has ended. [ErrNotFound]: there is none.
	RevokeToken(ctx context.Context, id string) (Token, error)
	// FindToken returns the token of a secret, from memory, with a context that ends when
	// the token is revoked. One that is expired is returned as well: the caller looks at
	// its time. [ErrNotFound]: there is none.
	FindToken(hash TokenHash) (Token, context.Context, error)
	// Token returns the token with an id, from memory; the caller looks at its time, too.
	// [ErrNotFound]: there is none, or it was revoked.
	Token(id string) (Token, error)
	// TokenList returns all tokens, the oldest first.
	TokenList(ctx context.Context) ([]Token, error)
}
