package main

import (
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/cjk" // registers an analyser, as do the next
	_ "github.com/blevesearch/bleve/v2/analysis/lang/de"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/es"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/fr"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/ru"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
)

// bleveIndex is bleve with the analyser of a language.
type bleveIndex struct {
	index bleve.Index
}

func openBleve(dir, analyzer, scoring string) (*bleveIndex, error) {
	text := bleve.NewTextFieldMapping()
	text.Analyzer, text.IncludeInAll, text.IncludeTermVectors, text.DocValues = analyzer, false, false, false
	chat := bleve.NewTextFieldMapping()
	chat.Analyzer, chat.IncludeInAll, chat.Store, chat.DocValues = keyword.Name, false, false, false
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt("text", text)
	doc.AddFieldMappingsAt("chat", chat)
	m := bleve.NewIndexMapping()
	m.DefaultMapping = doc
	m.ScoringModel = scoring
	_ = index.BM25Scoring
	b, err := bleve.New(filepath.Join(dir, "bleve"), m)
	return &bleveIndex{b}, err
}

func (e *bleveIndex) add(docs []document) error {
	const batchSize = 500
	b := e.index.NewBatch()
	for _, d := range docs {
		if err := b.Index(d.ID, map[string]any{"text": d.Text, "chat": d.Chat}); err != nil {
			return err
		}
		if b.Size() >= batchSize {
			if err := e.index.Batch(b); err != nil {
				return err
			}
			b.Reset()
		}
	}
	return e.index.Batch(b)
}

func (e *bleveIndex) search(chat, text string, k int) ([]string, error) {
	match := bleve.NewMatchQuery(text)
	match.SetField("text")
	var q query.Query = match
	if chat != "" {
		own := bleve.NewTermQuery(chat)
		own.SetField("chat")
		own.SetBoost(0)
		q = bleve.NewConjunctionQuery(match, own)
	}
	found, err := e.index.Search(bleve.NewSearchRequestOptions(q, k, 0, false))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, hit := range found.Hits {
		ids = append(ids, hit.ID)
	}
	return ids, nil
}

func (e *bleveIndex) close() error { return e.index.Close() }
