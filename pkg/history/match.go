package history

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/pkg/index/passage"
	"parley/pkg/index/words"
	"parley/pkg/text"
)

// How many bytes a piece has before the first word that was found.
const lead = 200

const ellipsis = "…"

// matcher knows the words of a query, as texts of any language may have them. The index told which
// entries have them once; the matcher tells it of a text as it is now, and where.
type matcher struct {
	analyzer *words.Analyzer
	terms    map[string]bool
	begins   []string // single letters of scripts without spaces
}

func newMatcher(query string) *matcher {
	m := &matcher{analyzer: words.New(), terms: map[string]bool{}}
	for l := words.None; l.Valid(); l++ {
		m.analyzer.Each(l, query, func(terms []string) {
			if words.IsDense(terms[0]) && words.IsSingle(terms[0]) {
				m.begins = append(m.begins, terms[0])
			}
			for _, t := range terms {
				m.terms[t] = true
			}
		})
	}
	return m
}

// piece is the part of a text that has words of the query: of the passage with a number, or else of the
// first one that has some. Without such a passage it reports false.
func (m *matcher) piece(said string, number int) (string, bool) {
	said = text.ClipBytes(said, maxIndexed)
	language := words.Detect(said, words.None)
	all := slices.Collect(passage.Text(said))
	end := ""
	if len(all) > 1 {
		end = ellipsis
	}
	if number < len(all) {
		all = append([]passage.Passage{all[number]}, all...)
	}
	for i := range all {
		if at := m.find(language, all[i].Text); at >= 0 {
			return cut(all[i].Text, at, end), true
		}
	}
	return "", false
}

// cut is the part of a passage around a place. End stands behind it where it is not cut there.
func cut(s string, at int, end string) string {
	from, to := 0, len(s)
	if len(s) > maxPiece {
		from = max(0, min(at-lead, len(s)-maxPiece))
		to = min(len(s), from+maxPiece)
		for from > 0 && !utf8.RuneStart(s[from]) {
			from--
		}
		for to < len(s) && !utf8.RuneStart(s[to]) {
			to--
		}
	}
	piece := s[from:to]
	if from > 0 {
		piece = ellipsis + piece
	}
	if to < len(s) {
		end = ellipsis
	}
	return piece + end
}

// find is the place of the first word of the query, or -1.
func (m *matcher) find(l words.Language, in string) int {
	for from := 0; from < len(in); {
		size := strings.IndexFunc(in[from:], unicode.IsSpace)
		if size < 0 {
			size = len(in) - from
		}
		if at := m.findIn(l, in[from:from+size]); at >= 0 {
			return from + at
		}
		_, space := utf8.DecodeRuneInString(in[from+size:])
		from += size + space
	}
	return -1
}

// findIn is the place of a word in a text without spaces, or -1.
func (m *matcher) findIn(l words.Language, in string) int {
	at := -1
	m.analyzer.Each(l, in, func(terms []string) {
		for _, t := range terms {
			if at < 0 && m.has(t) {
				at = max(0, strings.Index(strings.ToLower(in), t))
			}
		}
	})
	return min(at, len(in))
}

func (m *matcher) has(term string) bool {
	if m.terms[term] {
		return true
	}
	for _, b := range m.begins {
		if strings.HasPrefix(term, b) {
			return true
		}
	}
	return false
}
