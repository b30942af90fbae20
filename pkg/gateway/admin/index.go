package admin

import (
	"context"

	"parley/pkg/corpus"
)

// IndexReport tells of the corpora after a rebuild of their index.
type IndexReport struct {
	Corpora []corpus.State `json:"corpora"`
}

// RebuildIndex empties the index of the corpora and reads all of their files again. It emits an
// [IndexReport] when that is done.
func RebuildIndex() Operation {
	return Operation{
		Name: "index rebuild", Audited: true,
		Handle: func(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
			if err := g.Tools.Corpora.Rebuild(ctx); err != nil {
				return WithCode(CodeFailed, err)
			}
			return emit(IndexReport{Corpora: g.Tools.Corpora.States(g.Tools.Corpora.Names())})
		},
	}
}
