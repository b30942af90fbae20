package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"parley/internal/tools/retrieval/part"
)

// setting is a way to set up an engine.
type setting struct {
	engine, name string
	open         func(dir string) (part.Engine, error)
}

// settings are those for a collection: ours, and for the others each that may be their best one.
func settings(code string) []setting {
	tokenizers := []string{"porter unicode61 remove_diacritics 2", "unicode61 remove_diacritics 2"}
	analyzer := code
	switch code {
	case "ja":
		tokenizers = append(tokenizers, "trigram")
		analyzer = "cjk"
	case chats:
		analyzer = "en"
	}
	all := []setting{{"parley", "as it is", part.OpenParley}}
	for _, t := range tokenizers {
		all = append(all, setting{"fts5", t, func(dir string) (part.Engine, error) { return openFTS5(dir, t) }})
	}
	for _, scoring := range []string{"tfidf", "bm25"} {
		all = append(all, setting{"bleve", analyzer + ", " + scoring, func(dir string) (part.Engine, error) {
			return openBleve(dir, analyzer, scoring)
		}})
	}
	return all
}

const (
	// firstHits are those that recall counts.
	firstHits = 5
	// everyChat is the share of the entries of chats that are searched for.
	everyChat = 5
	// margin is how far ours may be behind the better one in a collection.
	margin = 0.02
)

// score is how well an engine finds.
type score struct{ recall, mrr float64 }

// quality prints the table of recall and MRR, and fails if ours misses the bounds.
func quality(ctx context.Context, dir string, all []collection, out io.Writer) error {
	fmt.Fprintf(out, "| material | documents | queries | parley | FTS5 | bleve |\n|---|---|---|---|---|---|\n")
	var ours, best score
	missed := false
	for _, c := range all {
		scores := map[string]score{}
		names := map[string]string{}
		queries := 0
		for _, s := range settings(c.code) {
			got, n, err := try(ctx, dir, s, c.docs)
			if err != nil {
				return fmt.Errorf("%s, %s, %s: %w", c.name, s.engine, s.name, err)
			}
			queries = n
			if _, known := scores[s.engine]; !known || got.mrr > scores[s.engine].mrr {
				scores[s.engine], names[s.engine] = got, s.name
			}
		}
		p, f, b := scores["parley"], scores["fts5"], scores["bleve"]
		fmt.Fprintf(out, "| %s | %d | %d | %s | %s (%s) | %s (%s) |\n", c.name, len(c.docs), queries, p, f, names["fts5"], b, names["bleve"])
		better := score{max(f.recall, b.recall), max(f.mrr, b.mrr)}
		missed = missed || p.recall < better.recall-margin || p.mrr < better.mrr-margin
		ours.recall, ours.mrr = ours.recall+p.recall, ours.mrr+p.mrr
		best.recall, best.mrr = best.recall+better.recall, best.mrr+better.mrr
	}
	n := float64(len(all))
	ours, best = score{ours.recall / n, ours.mrr / n}, score{best.recall / n, best.mrr / n}
	fmt.Fprintf(out, "\nmean: parley %s, the better of the others in each %s\n\n", ours, best)
	if missed || ours.recall < best.recall || ours.mrr < best.mrr {
		return errMissed
	}
	return nil
}

func (s score) String() string { return fmt.Sprintf("%.4f / %.4f", s.recall, s.mrr) }

// try builds an index of the documents and asks it for each of them.
func try(ctx context.Context, dir string, s setting, docs []part.Document) (score, int, error) {
	folder, err := os.MkdirTemp(dir, "index")
	if err != nil {
		return score{}, 0, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	e, err := s.open(folder)
	if err != nil {
		return score{}, 0, err
	}
	defer func() { _ = e.Close() }()
	if err := e.Add(ctx, docs); err != nil {
		return score{}, 0, err
	}
	var sum score
	n := 0
	for i, d := range docs {
		if d.Query == "" || d.Chat != "" && i%everyChat != 0 {
			continue
		}
		n++
		ids, err := e.Search(ctx, d.Chat, d.Query, part.Hits)
		if err != nil {
			return score{}, 0, fmt.Errorf("%q: %w", d.Query, err)
		}
		at := slices.Index(ids, d.ID)
		if at >= 0 {
			sum.mrr += 1 / float64(at+1)
		}
		if at >= 0 && at < firstHits {
			sum.recall++
		}
	}
	return score{sum.recall / float64(n), sum.mrr / float64(n)}, n, nil
}
