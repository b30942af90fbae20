package main

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	_ "modernc.org/sqlite" // registers the driver
)

// fts5 is SQLite with its full-text index.
type fts5 struct {
	db      *sql.DB
	find    *sql.Stmt
	trigram bool
}

// openFTS5 makes an index in dir.
func openFTS5(dir, tokenize string) (*fts5, error) {
	db, err := sql.Open("sqlite", filepath.Join(dir, "fts5.db"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	e := &fts5{db: db, trigram: tokenize == "trigram"}
	_, err = db.Exec("PRAGMA journal_mode=WAL; CREATE VIRTUAL TABLE docs USING fts5(id UNINDEXED, chat, title, text, tokenize='" + tokenize + "')")
	if err != nil {
		return nil, err
	}
	e.find, err = db.Prepare("SELECT id FROM docs WHERE docs MATCH ? ORDER BY bm25(docs, 0, 0, 1, 1) LIMIT ?")
	return e, err
}

func (e *fts5) add(docs []document) error {
	tx, err := e.db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	put, err := tx.Prepare("INSERT INTO docs (id, chat, title, text) VALUES (?, ?, ?, ?)")
	if err != nil {
		return err
	}
	for _, d := range docs {
		if _, err := put.Exec(d.ID, d.Chat, "", d.Text); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (e *fts5) search(chat, query string, k int) ([]string, error) {
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
	match := "text : (" + strings.Join(terms, " OR ") + ")"
	if chat != "" {
		match = fmt.Sprintf(`chat : "%s" AND %s`, chat, match)
	}
	rows, err := e.find.Query(match, k)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		found = append(found, id)
	}
	return found, rows.Err()
}

func (e *fts5) close() error { return e.db.Close() }
