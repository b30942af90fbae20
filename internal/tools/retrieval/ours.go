package main

import (
	"context"
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
	ix, err := index.Open(filepath.Join(dir, "index"))
	return &ours{ix}, err
}

// everything is the scope of documents without a chat.
const everything = "all"

func (e *ours) add(docs []document) error {
	return e.index.Update(context.Background(), func(b *index.Batch) error {
		for _, d := range docs {
			scope, split := d.Chat, passage.Text
			if scope == "" {
				scope, split = everything, passage.Markdown
			}
			err := b.Put(scope, index.Document{ID: d.ID, Passages: slices.Collect(split(d.Text))})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *ours) search(chat, query string, k int) ([]string, error) {
	if chat == "" {
		chat = everything
	}
	hits, err := e.index.Search(context.Background(), index.Query{Scopes: []string{chat}, Text: query, Limit: k})
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids, err
}

func (e *ours) close() error { return e.index.Close() }
