// Command retrieval measures.
package main

import (
	"encoding/gob"
	"fmt"
	"os"
	"slices"
	"time"
)

type engine interface {
	add([]document) error
	search(chat, query string, k int) ([]string, error)
	close() error
}

func load(name string) (all []document) {
	f, err := os.Open(name)
	if err != nil {
		panic(err)
	}
	if err := gob.NewDecoder(f).Decode(&all); err != nil {
		panic(err)
	}
	return all
}

func main() {
	dir := os.Args[1]
	for _, lang := range os.Args[2:] {
		docs := load(dir + "/" + lang + ".gob")
		an := lang
		if lang == "ja" {
			an = "cjk"
		}
		if lang == "log" {
			an = "en"
		}
		for name, open := range map[string]func(string) (engine, error){
			"ours":        func(d string) (engine, error) { return openOurs(d) },
			"fts5 porter": func(d string) (engine, error) {
				t := "porter unicode61 remove_diacritics 2"
				if lang == "ja" {
					t = "trigram"
				}
				return openFTS5(d, t)
			},
			"fts5 unicode": func(d string) (engine, error) { return openFTS5(d, "unicode61 remove_diacritics 2") },
			"bleve":        func(d string) (engine, error) { return openBleve(d, an, "") },
			"bleve bm25":   func(d string) (engine, error) { return openBleve(d, an, "bm25") },
		} {
			if only := os.Getenv("ONLY"); only != "" && only != name { continue }
			tmp, _ := os.MkdirTemp("", "retrieval")
			e, err := open(tmp)
			if err != nil {
				panic(err)
			}
			t := time.Now()
			if err := e.add(docs); err != nil {
				panic(err)
			}
			build := time.Since(t)
			measure(lang+" "+name, e, docs, build)
			e.close()
			os.RemoveAll(tmp)
		}
	}
}

func measure(name string, e engine, docs []document, build time.Duration) {
	n, in5, rr := 0, 0, 0.0
	var took []time.Duration
	for i, d := range docs {
		if d.Query == "" || d.Chat != "" && i%5 != 0 {
			continue
		}
		n++
		t := time.Now()
		ids, err := e.search(d.Chat, d.Query, 10)
		took = append(took, time.Since(t))
		if err != nil {
			panic(err)
		}
		at := slices.Index(ids, d.ID)
		if at >= 0 {
			rr += 1 / float64(at+1)
		}
		if at >= 0 && at < 5 {
			in5++
		}
	}
	slices.Sort(took)
	fmt.Printf("%-20s n=%d recall@5 %.4f MRR %.4f  build %.1fs p50 %v p99 %v\n", name, n, float64(in5)/float64(n), rr/float64(n), build.Seconds(),
		took[len(took)/2].Round(time.Microsecond*10), took[len(took)*99/100].Round(time.Microsecond*10))
}
