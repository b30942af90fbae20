package admin

import (
	"context"
	"errors"

	"parley/pkg/corpus"
)

// IndexReport tells of the corpora after a rebuild of their index.
type IndexReport struct {
	Corpora []corpus.State `json:"corpora"`
}

// RebuildIndex empties both indexes, and reads all files of the corpora again. It emits an
// [IndexReport] when that is done. The past of a chat is indexed again by its next search.
func RebuildIndex() Operation {
	return Operation{
		Name: "index rebuild", Audited: true,
		Handle: func(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
			if err := errors.Join(g.Tools.Past.Rebuild(ctx), g.Tools.Corpora.Rebuild(ctx)); err != nil {
				return WithCode(CodeFailed, err)
			}
			return emit(IndexReport{Corpora: g.Tools.Corpora.States(g.Tools.Corpora.Names())})
		},
	}
}
