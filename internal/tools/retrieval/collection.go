package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley/internal/tools/retrieval/part"
	"parley/pkg/index/passage"
)

// collection is material of one kind.
type collection struct {
	code, name string
	docs       []part.Document
}

// collections reads the material, and keeps what it read in dir for the next run.
func collections(ctx context.Context, dir string) ([]collection, error) {
	if err := material(ctx, dir); err != nil {
		return nil, err
	}
	var all []collection
	for _, l := range languages {
		docs, err := kept(filepath.Join(dir, l.code+".gob"), func() ([]part.Document, error) { return pages(ctx, dir, l.code) })
		if err != nil {
			return nil, err
		}
		all = append(all, collection{l.code, l.name, docs})
	}
	docs, err := kept(filepath.Join(dir, "changelogs.gob"), changelogs)
	return append(all, collection{chats, "changelogs", docs}), err
}

// chats is the code of the changelogs.
const chats = "chats"

func kept(path string, read func() ([]part.Document, error)) ([]part.Document, error) {
	f, err := os.Open(path)
	if err == nil {
		defer func() { _ = f.Close() }()
		var docs []part.Document
		return docs, gob.NewDecoder(f).Decode(&docs)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	docs, err := read()
	if err != nil {
		return nil, err
	}
	return docs, write(path, func(e *gob.Encoder) error { return e.Encode(docs) })
}

func write(path string, fill func(e *gob.Encoder) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(fill(gob.NewEncoder(f)), f.Close())
}

// many are the passages of the large collection.
const many = 100_000

// large writes documents with that many passages to a file: pages of all languages in turn, then
// entries of changelogs, and gives some of their queries.
func large(path string, all []collection) (queries []string, err error) {
	err = write(path, func(e *gob.Encoder) error {
		count := 0
		for i := 0; count < many; i++ {
			past := true
			for _, c := range all {
				if i >= len(c.docs) || count >= many {
					continue
				}
				past = false
				d := c.docs[i]
				split := passage.Markdown
				if c.code == chats {
					split = passage.Text
				}
				one := part.Item{ID: c.code + "/" + d.ID, Language: c.code, Passages: slices.Collect(split(d.Text))}
				one.Passages = one.Passages[:min(len(one.Passages), many-count)]
				count += len(one.Passages)
				if d.Query != "" && i%20 == 0 {
					queries = append(queries, d.Query)
				}
				if err := e.Encode(one); err != nil {
					return err
				}
			}
			if past {
				return fmt.Errorf("there are %d passages only", count)
			}
		}
		return nil
	})
	return queries, err
}
