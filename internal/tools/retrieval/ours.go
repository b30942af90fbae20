package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"parley/pkg/index"
	"parley/pkg/index/passage"
)

// ours is the index of Parley.
type ours struct {
	index *index.Index
}

func openOurs(dir string) (*ours, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ix, err := index.Open(filepath.Join(dir, "index"))
	return &ours{ix}, err
}

// everything is the scope of documents without a chat.
const everything = "all"

func (e *ours) add(ctx context.Context, docs []document) error {
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

func (e *ours) addItems(ctx context.Context, path string) error {
	return e.index.Update(ctx, func(b *index.Batch) error {
		return items(path, func(one item) error {
			return b.Put(everything, index.Document{ID: one.ID, Passages: one.Passages})
		})
	})
}

func (e *ours) search(ctx context.Context, chat, query string, k int) ([]string, error) {
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

func (e *ours) close() error { return e.index.Close() }
