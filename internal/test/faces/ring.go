package faces

import (
	"context"

	"parley/pkg/httpd"
	"parley/pkg/policy"
)

// Ring knows callers by their tokens.
type Ring map[string]httpd.Caller

// Token implements [httpd.Keyring].
func (r Ring) Token(ctx context.Context, secret string) (*httpd.Caller, context.Context, error) {
	c, ok := r[secret]
	if !ok {
		return nil, nil, httpd.ErrNoCredential
	}
	return &c, context.WithoutCancel(ctx), nil
}

// Session implements [httpd.Keyring]: the names of browsers begin with "page:".
func (r Ring) Session(ctx context.Context, secret string) (*httpd.Caller, context.Context, error) {
	return r.Token(ctx, "page:"+secret)
}

// Of is a caller on the web.
func Of(person string, level policy.Level, credential string, rights ...httpd.Right) httpd.Caller {
	return httpd.Caller{Person: policy.Person{Channel: "web", ID: person}, Level: level, Credential: credential, Rights: rights}
}

// People are the tokens of Ada, who writes, of programs of hers, of which two may approve and
// one of these has the credential of the first, and of Bob, who reads.
func People() Ring {
	return Ring{
		"ada":      Of("ada", policy.LevelWrite, "t1"),
		"approver": Of("ada", policy.LevelWrite, "t2", httpd.Rights()...),
		"bob":      Of("bob", policy.LevelRead, "t3", httpd.Rights()...),
		"helper":   Of("ada", policy.LevelWrite, "t4"),
		"self":     Of("ada", policy.LevelWrite, "t1", httpd.Rights()...),
	}
}
