package remember

import (
	"context"
	"strings"

	"parley/pkg/tools"
)

// Name is the name of the tool.
const Name = "remember"

// Book keeps the facts of the chat that a call belongs to.
type Book interface {
	// Remember stores a fact of the chat, or with here false in a direct chat of its person, in the place
	// of the one with the id instead, if that is not "".
	Remember(ctx context.Context, fact string, here bool, instead string) (id, whose string, err error)
	// Forget removes a fact. One that is not there is gone.
	Forget(ctx context.Context, id string) error
}

type arguments struct {
	Fact   string `json:"fact,omitempty" jsonschema:"one sentence, in 500 bytes"`
	Here   bool   `json:"here,omitempty" jsonschema:"only here"`
	Forget string `json:"forget,omitempty"`
}

type answer struct {
	ID  string `json:"id,omitempty"`
	Of  string `json:"of,omitempty"`
	Out string `json:"removed,omitempty"`
}

// The texts for the model.
const (
	textDescription = "Keep a fact for later turns, or forget one."
	textNeither     = "give fact, or forget, or both"
)

// New makes the tool.
func New(book Book) tools.Tool {
	return tools.New(Name, textDescription,
		tools.Annotations{Idempotent: true, Keeps: true, Level: tools.LevelChat},
		func(ctx context.Context, in arguments) (any, error) {
			in.Forget = strings.TrimSpace(in.Forget)
			var a answer
			var err error
			switch {
			case strings.TrimSpace(in.Fact) != "":
				a.ID, a.Of, err = book.Remember(ctx, in.Fact, in.Here, in.Forget)
			case in.Forget != "":
				err = book.Forget(ctx, in.Forget)
			default:
				return nil, tools.Fail(tools.ErrInvalidArguments, textNeither, nil)
			}
			if err != nil {
				return nil, err
			}
			a.Out = in.Forget
			return a, nil
		})
}
