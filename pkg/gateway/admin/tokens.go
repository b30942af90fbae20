package admin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// CreateToken makes a token for a program. It emits one [TokenReport], the only one with the
// secret.
func CreateToken() Operation {
	return Operation{Name: "token create", Audited: true, Handle: createToken}
}

// ListTokens emits a [TokenReport] of each token.
func ListTokens() Operation { return Operation{Name: "token list", Handle: listTokens} }

// RevokeToken ends a token at once. It emits a [TokenReport] of it.
func RevokeToken() Operation {
	return Operation{Name: "token revoke", Audited: true, Handle: revokeToken}
}

// TokenRequest are the properties of a new token, as the operator writes them, or the id of
// one.
type TokenRequest struct {
	ID string `json:"id,omitempty"`
	// Person is CHANNEL:ID.
	Person string   `json:"person,omitempty"`
	Note   string   `json:"note,omitempty"`
	Level  string   `json:"level,omitempty"`
	Models []string `json:"models,omitempty"`
	Rights []string `json:"rights,omitempty"`
	// Expires is a time span such as 90d or 12h, or never.
	Expires string `json:"expires,omitempty"`
}

// TokenReport is one value of the answer to the operations on tokens.
type TokenReport struct {
	// State is valid, expired or revoked.
	State string `json:"state"`
	// Secret is shown once, when the token is made.
	Secret string `json:"token,omitempty"`

	session.Token
}

// webChannel is the channel of people who come by HTTP.
const webChannel = "web"

// The bounds of a token's texts.
const (
	maxTokenNote   = 100
	maxTokenSpan   = 10 * 365 * 24 * time.Hour
	maxTokenPerson = 64 // in bytes: the person is a part of the ids of its chats
)

func createToken(ctx context.Context, g *Gateway, r *Request, emit Emit) error {
	if r.Token == nil {
		return WithCode(CodeUsage, fmt.Errorf(textTokenPersonOf, ""))
	}
	token, err := newToken(r.Token, g.Models.Names, time.Now())
	if err != nil {
		return WithCode(CodeUsage, err)
	}
	r.Token.ID = token.ID // the audit log names it
	secret, hash := httpd.NewToken()
	if err := g.Store.Tokens().PutToken(ctx, hash, token); err != nil {
		return err
	}
	return emit(TokenReport{State: "valid", Secret: secret, Token: token})
}

// newToken holds the operator's words against the rules.
func newToken(r *TokenRequest, models []string, now time.Time) (session.Token, error) {
	t := session.Token{
		ID: strings.ToLower(rand.Text()[:8]), Note: r.Note, Level: r.Level, Models: r.Models, Rights: r.Rights,
		Created: now.UTC().Truncate(time.Second),
	}
	who, err := policy.ParsePerson(r.Person)
	if err != nil || who.Channel != webChannel || who.Account != "" {
		return t, fmt.Errorf(textTokenPersonOf, r.Person)
	}
	if len(who.ID) > maxTokenPerson || strings.ContainsFunc(who.ID, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return t, fmt.Errorf(textTokenPersonName, maxTokenPerson)
	}
	t.Person = who.String()
	if _, err := policy.ParseLevel(r.Level); err != nil {
		return t, err
	}
	for _, right := range r.Rights {
		if !slices.Contains(httpd.Rights(), httpd.Right(right)) {
			return t, fmt.Errorf(textTokenRight, right, rightWords())
		}
	}
	for _, m := range r.Models {
		if len(models) > 0 && !slices.Contains(models, m) {
			return t, fmt.Errorf(textTokenModel, m, strings.Join(models, ", "))
		}
	}
	if len([]rune(r.Note)) > maxTokenNote {
		return t, fmt.Errorf(textTokenNote, maxTokenNote)
	}
	span, err := tokenSpan(r.Expires)
	if span > 0 {
		t.Expires = t.Created.Add(span)
	}
	return t, err
}

// tokenSpan reads a time span in days, hours or minutes; never is 0.
func tokenSpan(text string) (time.Duration, error) {
	if text == "never" {
		return 0, nil
	}
	span, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		span = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || span <= 0 || span > maxTokenSpan {
		return 0, fmt.Errorf(textTokenExpires, text)
	}
	return span, nil
}

func listTokens(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
	all, err := g.Store.Tokens().TokenList(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		state := "valid"
		if e := all[i].Expires; !e.IsZero() && !time.Now().Before(e) {
			state = "expired"
		}
		if err := emit(TokenReport{State: state, Token: all[i]}); err != nil {
			return err
		}
	}
	return nil
}

func revokeToken(ctx context.Context, g *Gateway, r *Request, emit Emit) error {
	if r.Token == nil {
		return WithCode(CodeUsage, fmt.Errorf(textNoSuchToken, "", Program()))
	}
	ended, err := g.Store.Tokens().RevokeToken(ctx, r.Token.ID)
	if errors.Is(err, session.ErrNotFound) {
		return fmt.Errorf(textNoSuchToken, r.Token.ID, Program())
	}
	if err != nil {
		return err
	}
	return emit(TokenReport{State: "revoked", Token: ended})
}

// rightWords are the rights of a token, as a person writes them.
func rightWords() string {
	var words []string
	for _, right := range httpd.Rights() {
		words = append(words, string(right))
	}
	return strings.Join(words, ", ")
}
