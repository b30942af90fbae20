package part

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"parley/pkg/index"
	"parley/pkg/index/passage"
)

// parley is the index of Parley.
type parley struct {
	index *index.Index
}

// OpenParley opens the index in dir, or makes it.
func OpenParley(dir string) (Engine, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ix, err := index.Open(filepath.Join(dir, "index"))
	return &parley{ix}, err
}

// everything is the scope of documents without a chat.
const everything = "all"

func (e *parley) Add(ctx context.Context, docs []Document) error {
	return e.index.Update(ctx, func(b *index.Batch) error {
		for _, d := range docs {
			scope, split := d.Chat, passage.Text
			if scope == "" {
				scope, split = everything, passage.Markdown
			}
			if err := b.Put(scope, index.Document{ID: d.ID, Passages: slices.Collect(split(d.Text))}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *parley) AddLarge(ctx context.Context, path string) error {
	return e.index.Update(ctx, func(b *index.Batch) error {
		return Items(path, func(one Item) error {
			return b.Put(everything, index.Document{ID: one.ID, Passages: one.Passages})
		})
	})
}

func (e *parley) Search(ctx context.Context, chat, query string, k int) ([]string, error) {
	if chat == "" {
		chat = everything
	}
	hits, err := e.index.Search(ctx, index.Query{Scopes: []string{chat}, Text: query, Limit: k})
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids, err
}

func (e *parley) Close() error { return e.index.Close() }
