package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// keyring finds credentials in the store.
type keyring struct{ tokens session.Tokens }

var _ httpd.Keyring = keyring{}

// Token implements [httpd.Keyring].
func (k keyring) Token(_ context.Context, secret string) (*httpd.Caller, context.Context, error) {
	hash, ok := httpd.TokenHash(secret)
	if !ok {
		return nil, nil, httpd.ErrNoCredential
	}
	t, valid, err := k.tokens.FindToken(hash)
	if errors.Is(err, session.ErrNotFound) {
		return nil, nil, httpd.ErrNoCredential
	}
	if err != nil {
		return nil, nil, err
	}
	who, err := policy.ParsePerson(t.Person)
	if err != nil {
		return nil, nil, fmt.Errorf("token %s: %w", t.ID, err)
	}
	level, err := policy.ParseLevel(t.Level)
	if err != nil {
		return nil, nil, fmt.Errorf("token %s: %w", t.ID, err)
	}
	c := &httpd.Caller{Person: who, Level: level, Models: t.Models, Credential: tokenMark + t.ID, Expires: t.Expires}
	for _, right := range t.Rights {
		c.Rights = append(c.Rights, httpd.Right(right))
	}
	return c, valid, nil
}

// tokenMark begins the name of a token as a credential.
const tokenMark = "token/"

// holds is the level that a credential has now; false where it was revoked or is over. A
// message from the page stays its person's after the logout.
func (k keyring) holds(name string) (policy.Level, bool) {
	id, ok := strings.CutPrefix(name, tokenMark)
	if !ok {
		return "", true
	}
	t, err := k.tokens.Token(id)
	if err != nil || !t.Expires.IsZero() && !time.Now().Before(t.Expires) {
		return "", false
	}
	return policy.Level(t.Level), true
}

// Session implements [httpd.Keyring]: no page logs in yet.
func (keyring) Session(context.Context, string) (*httpd.Caller, context.Context, error) {
	return nil, nil, httpd.ErrNoCredential
}

// me tells a program the rights of its token.
func me(w http.ResponseWriter, r *http.Request) {
	c := httpd.CallerFrom(r.Context())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	// a program that is gone needs no answer
	_ = json.NewEncoder(w).Encode(struct {
		Person  string        `json:"person"`
		Level   policy.Level  `json:"level"`
		Models  []string      `json:"models"`
		Rights  []httpd.Right `json:"rights"`
		Expires time.Time     `json:"expires,omitzero"`
	}{c.Person.String(), c.Level, append([]string{}, c.Models...), append([]httpd.Right{}, c.Rights...), c.Expires})
}
