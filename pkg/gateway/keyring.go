package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// keyring finds credentials in the store.
type keyring struct {
	tokens session.Tokens
	policy *policy.Policy
}

var _ httpd.Keyring = keyring{}

// The credentials of programs and of browsers are told apart by their names.
const (
	tokenCredential   = "token/"
	sessionCredential = "session/"
)

// Token implements [httpd.Keyring].
func (k keyring) Token(_ context.Context, secret string) (*httpd.Caller, context.Context, error) {
	hash, ok := httpd.TokenHash(secret)
	if !ok {
		return nil, nil, httpd.ErrNoCredential
	}
	t, who, valid, err := k.find(hash)
	if err == nil && t.Page {
		err = httpd.ErrNoCredential
	}
	if err != nil {
		return nil, nil, err
	}
	level, err := policy.ParseLevel(t.Level)
	if err != nil {
		return nil, nil, fmt.Errorf("token %s: %w", t.ID, err)
	}
	c := &httpd.Caller{Person: who, Level: level, Models: t.Models, Credential: tokenCredential + t.ID, Expires: t.Expires}
	for _, right := range t.Rights {
		c.Rights = append(c.Rights, httpd.Right(right))
	}
	return c, valid, nil
}

// holds is the level that a credential has now; false where it was revoked or is over. A
// message from the page stays its person's after the logout.
func (k keyring) holds(name string) (policy.Level, bool) {
	id, ok := strings.CutPrefix(name, tokenCredential)
	if !ok {
		return "", true
	}
	t, err := k.tokens.Token(id)
	if err != nil || !t.Expires.IsZero() && !time.Now().Before(t.Expires) {
		return "", false
	}
	return policy.Level(t.Level), true
}

// Session implements [httpd.Keyring]. The level is that of the person now: an owner may
// write, other people may read.
func (k keyring) Session(_ context.Context, secret string) (*httpd.Caller, context.Context, error) {
	hash, ok := httpd.SessionHash(secret)
	if !ok {
		return nil, nil, httpd.ErrNoCredential
	}
	t, who, valid, err := k.find(hash)
	if err == nil && !t.Page {
		err = httpd.ErrNoCredential
	}
	if err != nil {
		return nil, nil, err
	}
	c := &httpd.Caller{Person: who, Level: policy.LevelRead, Credential: sessionCredential + t.ID, Expires: t.Expires}
	if k.owner(who) {
		c.Level, c.Owner = policy.LevelWrite, true
	}
	return c, valid, nil
}

// owner says whether a person of the page is an owner.
func (k keyring) owner(who policy.Person) bool {
	_, owner := k.policy.Rights(policy.Event{
		Kind: policy.KindMessage, Address: channels.Address{Channel: who.Channel}, Sender: channels.Sender{ID: who.String()}, Direct: true,
	})
	return owner
}

// find finds a credential with its person.
func (k keyring) find(hash session.TokenHash) (t session.Token, who policy.Person, valid context.Context, err error) {
	t, valid, err = k.tokens.FindToken(hash)
	if errors.Is(err, session.ErrNotFound) {
		return t, who, nil, httpd.ErrNoCredential
	}
	if err != nil {
		return t, who, nil, err
	}
	if who, err = policy.ParsePerson(t.Person); err != nil {
		return t, who, nil, fmt.Errorf("token %s: %w", t.ID, err)
	}
	return t, who, valid, nil
}

// sessionTime is how long a browser stays logged in.
const sessionTime = 30 * 24 * time.Hour

// begin stores the session of a browser.
func (k keyring) begin(ctx context.Context, who policy.Person, note string) (secret string, expires time.Time, err error) {
	secret, hash := httpd.NewSession()
	now := time.Now().UTC().Truncate(time.Second)
	t := session.Token{
		ID: strings.ToLower(rand.Text()[:8]), Page: true, Person: who.String(), Note: note, Created: now, Expires: now.Add(sessionTime),
	}
	return secret, t.Expires, k.tokens.PutToken(ctx, hash, t)
}

// end ends the session of a browser.
func (k keyring) end(ctx context.Context, credential string) error {
	_, err := k.tokens.RevokeToken(ctx, strings.TrimPrefix(credential, sessionCredential))
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// me tells a client the rights of its credential.
func me(w http.ResponseWriter, r *http.Request) {
	c := httpd.CallerFrom(r.Context())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	// a program that is gone needs no answer
	_ = json.NewEncoder(w).Encode(struct {
		Person  string        `json:"person"`
		Level   policy.Level  `json:"level"`
		Owner   bool          `json:"owner,omitempty"`
		Models  []string      `json:"models"`
		Rights  []httpd.Right `json:"rights"`
		Expires time.Time     `json:"expires,omitzero"`
	}{c.Person.String(), c.Level, c.Owner, append([]string{}, c.Models...), append([]httpd.Right{}, c.Rights...), c.Expires})
}
