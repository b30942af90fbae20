package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	_ "modernc.org/sqlite" // registers the driver

	"parley/internal/tools/retrieval/part"
)

// fts5 is SQLite with its full-text index.
type fts5 struct {
	db      *sql.DB
	find    *sql.Stmt
	trigram bool
}

// openFTS5 opens the index in dir, or makes it.
func openFTS5(dir, tokenize string) (*fts5, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "fts5.db")
	_, missing := os.Stat(path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	e := &fts5{db: db, trigram: tokenize == "trigram"}
	if errors.Is(missing, fs.ErrNotExist) {
		_, err = db.Exec("PRAGMA journal_mode=WAL; " +
			"CREATE VIRTUAL TABLE docs USING fts5(id UNINDEXED, chat, heading, text, tokenize='" + tokenize + "')")
		if err != nil {
			return nil, err
		}
	}
	e.find, err = db.Prepare("SELECT id, text FROM docs WHERE docs MATCH ? ORDER BY bm25(docs, 0, 0, 1, 1) LIMIT ?")
	return e, err
}

func (e *fts5) Add(ctx context.Context, docs []part.Document) error {
	return e.fill(ctx, func(put func(id, chat, heading, text string) error) error {
		for _, d := range docs {
			if err := put(d.ID, d.Chat, "", d.Text); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *fts5) AddLarge(ctx context.Context, path string) error {
	return e.fill(ctx, func(put func(id, chat, heading, text string) error) error {
		return part.Items(path, func(one part.Item) error {
			for _, p := range one.Passages {
				if err := put(one.ID, "", p.Heading, p.Text); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// fill adds rows in one transaction.
func (e *fts5) fill(ctx context.Context, rows func(put func(id, chat, heading, text string) error) error) error {
	tx, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	insert, err := tx.PrepareContext(ctx, "INSERT INTO docs (id, chat, heading, text) VALUES (?, ?, ?, ?)")
	if err != nil {
		return err
	}
	err = rows(func(id, chat, heading, text string) error {
		_, err := insert.ExecContext(ctx, id, chat, heading, text)
		return err
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}

// search asks for any of the words, or of the groups of three letters, in the order of BM25.
func (e *fts5) Search(ctx context.Context, chat, query string, k int) ([]string, error) {
	words := strings.FieldsFunc(query, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Mn, r)
	})
	var terms []string
	for _, w := range words {
		letters := []rune(w)
		if !e.trigram || len(letters) <= 3 {
			terms = append(terms, `"`+w+`"`)
			continue
		}
		for i := range len(letters) - 2 {
			terms = append(terms, `"`+string(letters[i:i+3])+`"`)
		}
	}
	if len(terms) == 0 {
		return nil, nil
	}
	match := "{heading text} : (" + strings.Join(terms, " OR ") + ")"
	if chat != "" {
		match = fmt.Sprintf(`chat : "%s" AND %s`, chat, match)
	}
	rows, err := e.find.QueryContext(ctx, match, k)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return nil, err
		}
		found = append(found, id)
	}
	return found, rows.Err()
}

func (e *fts5) Close() error { return errors.Join(e.find.Close(), e.db.Close()) }
