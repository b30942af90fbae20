package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/cjk" // registers an analyser, as do the next
	_ "github.com/blevesearch/bleve/v2/analysis/lang/de"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/es"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/fr"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/ru"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"parley/internal/tools/retrieval/part"
)

// bleveIndex is bleve. A document has its text in a field for each analyzer.
type bleveIndex struct {
	index  bleve.Index
	fields []string
}

// field is that of an analyzer.
func field(analyzer string) string { return "text_" + analyzer }

// openBleve opens the index in dir, or makes one whose texts are in one language.
func openBleve(dir, analyzer, scoring string) (*bleveIndex, error) {
	return openBleveIn(dir, scoring, analyzer)
}

// openBleveLanguages opens or makes an index of texts in all languages, each in its field.
func openBleveLanguages(dir string) (*bleveIndex, error) {
	return openBleveIn(dir, "tfidf", "en", "de", "fr", "es", "ru", "cjk")
}

func openBleveIn(dir, scoring string, analyzers ...string) (*bleveIndex, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "bleve")
	doc := bleve.NewDocumentStaticMapping()
	e := &bleveIndex{}
	for _, a := range analyzers {
		doc.AddFieldMappingsAt(field(a), fieldMapping(a, true))
		e.fields = append(e.fields, field(a))
	}
	doc.AddFieldMappingsAt("chat", fieldMapping(keyword.Name, false))
	m := bleve.NewIndexMapping()
	m.DefaultMapping = doc
	if scoring == "bm25" {
		m.ScoringModel = scoring
	}
	var err error
	if _, missing := os.Stat(path); missing != nil {
		e.index, err = bleve.New(path, m)
	} else {
		e.index, err = bleve.Open(path)
	}
	return e, err
}

func fieldMapping(analyzer string, store bool) *mapping.FieldMapping {
	f := bleve.NewTextFieldMapping()
	f.Analyzer, f.Store = analyzer, store
	f.IncludeInAll, f.IncludeTermVectors, f.DocValues = false, false, false
	return f
}

func (e *bleveIndex) Add(ctx context.Context, docs []part.Document) error {
	return e.fill(ctx, func(put func(id string, fields map[string]any) error) error {
		for _, d := range docs {
			if err := put(d.ID, map[string]any{e.fields[0]: d.Text, "chat": d.Chat}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *bleveIndex) AddLarge(ctx context.Context, path string) error {
	return e.fill(ctx, func(put func(id string, fields map[string]any) error) error {
		return part.Items(path, func(one part.Item) error {
			of := one.Language
			switch of {
			case "ja":
				of = "cjk"
			case chats:
				of = "en"
			}
			for i, p := range one.Passages {
				if err := put(fmt.Sprintf("%s#%d", one.ID, i), map[string]any{field(of): p.Heading + "\n" + p.Text}); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// fill adds documents in batches.
func (e *bleveIndex) fill(ctx context.Context, docs func(put func(id string, fields map[string]any) error) error) error {
	const batchSize = 1000
	b := e.index.NewBatch()
	err := docs(func(id string, fields map[string]any) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.Index(id, fields); err != nil || b.Size() < batchSize {
			return err
		}
		err := e.index.Batch(b)
		b.Reset()
		return err
	})
	if err != nil {
		return err
	}
	return e.index.Batch(b)
}

func (e *bleveIndex) Search(ctx context.Context, chat, text string, k int) ([]string, error) {
	var any []query.Query
	for _, f := range e.fields {
		match := bleve.NewMatchQuery(text)
		match.SetField(f)
		any = append(any, match)
	}
	q := any[0]
	if len(any) > 1 {
		q = bleve.NewDisjunctionQuery(any...)
	}
	if chat != "" {
		own := bleve.NewTermQuery(chat)
		own.SetField("chat")
		own.SetBoost(0)
		q = bleve.NewConjunctionQuery(q, own)
	}
	request := bleve.NewSearchRequestOptions(q, k, 0, false)
	if len(e.fields) > 1 {
		request.Fields = e.fields
	}
	found, err := e.index.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, hit := range found.Hits {
		ids = append(ids, hit.ID)
	}
	return ids, nil
}

func (e *bleveIndex) Close() error { return e.index.Close() }
