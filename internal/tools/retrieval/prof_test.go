package main

import (
	"testing"
)

func BenchmarkBuild(b *testing.B) {
	docs := load("/tmp/i18/material/de.gob")
	for b.Loop() {
		e, err := openOurs(b.TempDir())
		if err != nil { b.Fatal(err) }
		if err := e.add(docs); err != nil { b.Fatal(err) }
		e.close()
	}
}
func BenchmarkSearch(b *testing.B) {
	docs := load("/tmp/i18/material/de.gob")
	e, _ := openOurs(b.TempDir())
	e.add(docs)
	b.ResetTimer()
	for b.Loop() {
		for _, d := range docs[:300] { e.search("", d.Query, 10) }
	}
}
