package index

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"parley/pkg/index/blocks"
	"parley/pkg/index/passage"
	"parley/pkg/index/words"
)

// Query is what to search for.
type Query struct {
	// Scopes are those that are searched, as one collection; no other scope has a part in the
	// result, nor in the order of it.
	Scopes []string
	// Text are the words. A passage need not have all of them.
	Text string
	// Limit is the number of hits, 10 if it is 0.
	Limit int
	// PerDocument is how many passages of one document there may be, 1 if it is 0.
	PerDocument int
}

// Hit is a passage that was found.
type Hit struct {
	Scope, ID string
	// Data is that of the document.
	Data []byte
	// Number counts the passages of the document from 0.
	Number int
	// Passage has no text if the document was put bare.
	passage.Passage
	// Score orders the hits of one search, and has no meaning beyond it.
	Score float64
}

// The ranking is BM25, of the document as a whole and of the passage: a document that is about
// the words comes first, and of its passages the one that has most of them. A document has more
// words, so its counts level off later.
const (
	docK1, docB         = 4, 0.75
	passageK1, passageB = 0.5, 0.75
	// The weight of a passage beside that of its document.
	passageShare = 0.6
	// The weight of a pair of letters in a script without spaces: a word has about two.
	denseWeight = 0.5

	defaultLimit = 10
	maxLimit     = 100
	maxQuery     = 4 << 10 // bytes
	maxWords     = 64
	maxScopes    = 256
	// How many terms may begin with a single letter of such a script.
	maxBegun = 64
)

// Search finds the best passages. It takes some 20 bytes of memory for each passage in the scopes;
// the caller bounds how many run at once.
func (ix *Index) Search(ctx context.Context, q Query) ([]Hit, error) {
	if len(q.Text) > maxQuery || len(q.Scopes) > maxScopes || q.Limit < 0 || q.PerDocument < 0 {
		return nil, fmt.Errorf("the query: %w", ErrBounds)
	}
	snap, err := ix.snapshot()
	if err != nil {
		return nil, err
	}
	defer func() { _ = snap.file.release() }()
	s, _ := ix.searches.Get().(*searching)
	defer ix.searches.Put(s)
	if err := s.load(&snap, q.Scopes); err != nil {
		return nil, err
	}
	if s.passages == 0 {
		return nil, nil
	}
	for _, w := range s.words(q.Text) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.find(w); err != nil {
			return nil, err
		}
		s.rate(w.weight)
	}
	if q.Limit == 0 {
		q.Limit = defaultLimit
	}
	return s.hits(s.best(min(q.Limit, maxLimit), max(q.PerDocument, 1)))
}

// searching is the memory of a search.
type searching struct {
	analyzer *words.Analyzer
	parts    []part
	buf      []byte
	held     []posting // of a term in a part
	found    []posting // of a word in all parts

	// docOf is the document of each passage, or gone.
	docOf  []uint32
	length []uint32 // words of each passage
	docLen []uint32 // words of each document
	// The rest is of the documents that can be found.
	docs, passages int
	meanDoc        float64
	meanPassage    float64
	languages      uint32 // bits

	// docScore is that of each document, score and covered those of each passage.
	docScore, score, covered []float32
	total                    float32 // what a passage covers that has all words

	record   record
	unpacker unpacker
}

// part is a section that is searched.
type part struct {
	scoped
	scope    string
	lengths  lengths
	passages uint32 // of the parts before
	docs     uint32 // of the parts before
	found    int    // where its postings of a word begin
}

// load finds the sections of the scopes and the lengths in them.
func (s *searching) load(snap *snapshot, scopes []string) error {
	s.parts = s.parts[:0]
	s.docOf, s.length, s.docLen = s.docOf[:0], s.length[:0], s.docLen[:0]
	s.docs, s.passages, s.languages = 0, 0, 0
	all := 0
	for _, scope := range slices.Compact(slices.Sorted(slices.Values(scopes))) {
		sections, err := snap.sections(scope)
		if err != nil {
			return err
		}
		for _, of := range sections {
			n, err := s.add(scope, of)
			if err != nil {
				return err
			}
			all += n
		}
	}
	s.meanDoc = max(1, float64(all)/float64(max(1, s.docs)))
	s.meanPassage = max(1, float64(all)/float64(max(1, s.passages)))
	s.docScore = zeroed(s.docScore, len(s.docLen))
	s.score = zeroed(s.score, len(s.docOf))
	s.covered = zeroed(s.covered, len(s.docOf))
	s.total = 0
	return nil
}

func zeroed(s []float32, n int) []float32 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// add takes a section, and gives the number of its words.
func (s *searching) add(scope string, of scoped) (all int, err error) {
	if len(s.parts) == cap(s.parts) {
		s.parts = append(s.parts, part{})
	} else {
		s.parts = s.parts[:len(s.parts)+1] // with the memory of a former search
	}
	p := &s.parts[len(s.parts)-1]
	p.scoped, p.scope = of, scope
	p.passages, p.docs = uint32(len(s.docOf)), uint32(len(s.docLen)) //nolint:gosec // bounded by the file
	if s.buf, err = of.load(&p.lengths, s.buf); err != nil {
		return 0, err
	}
	for doc, first := range p.lengths.first[:len(p.lengths.first)-1] {
		number, n := p.docs+uint32(doc), uint32(0)
		dead := of.dead[uint32(doc)]
		if dead {
			number = gone
		}
		for i := first; i < p.lengths.first[doc+1]; i++ {
			s.docOf = append(s.docOf, number)
			s.length = append(s.length, p.lengths.count(i))
			n += p.lengths.count(i)
			if !dead {
				s.languages |= 1 << p.lengths.language(i)
				s.passages++
			}
		}
		s.docLen = append(s.docLen, n)
		if !dead {
			s.docs++
			all += int(n)
		}
	}
	return all, nil
}

// word is a word of a query: the terms that it may have, one in each language of the passages.
type word struct {
	terms  []string
	weight float64
	begins bool // the term is the begin of others
}

// words finds the different words of a query.
func (s *searching) words(text string) []word {
	var all []word
	for l := range words.Language(1 << languageBits) {
		if s.languages>>l&1 == 0 {
			continue
		}
		first := all == nil
		n := 0
		s.analyzer.Each(l, text, func(terms []string) {
			dense := words.IsDense(terms[0])
			if dense {
				terms = terms[:1]
			}
			for _, t := range terms {
				if first {
					w := word{weight: 1}
					if dense {
						w.weight = denseWeight
						w.begins = words.IsSingle(t)
					}
					all = append(all, w)
				}
				if n < len(all) && !slices.Contains(all[n].terms, t) {
					all[n].terms = append(all[n].terms, t)
				}
				n++
			}
		})
	}
	return distinct(all)
}

// distinct leaves out words that came before, and those beyond the bound.
func distinct(all []word) []word {
	for i := range all {
		slices.Sort(all[i].terms)
	}
	var some []word
	for _, w := range all {
		same := func(o word) bool { return slices.Equal(o.terms, w.terms) }
		if len(some) < maxWords && !slices.ContainsFunc(some, same) {
			some = append(some, w)
		}
	}
	return some
}

// find collects the postings of a word, in the order of the passages.
func (s *searching) find(w word) error {
	s.found = s.found[:0]
	for i := range s.parts {
		p := &s.parts[i]
		p.found = len(s.found)
		for _, t := range w.terms {
			collect := s.term
			if w.begins {
				collect = s.begun
			}
			if err := collect(p, t); err != nil {
				return err
			}
		}
		if len(w.terms) > 1 || w.begins {
			s.unite(p)
		}
	}
	return nil
}

// term collects the postings of a term in a part.
func (s *searching) term(p *part, term string) error {
	value, _, ok, err := p.terms().Get([]byte(term))
	if err != nil || !ok {
		return err
	}
	return s.postings(p, value)
}

// begun collects the postings of the terms that begin so.
func (s *searching) begun(p *part, begin string) error {
	c := p.terms().Cursor()
	err := c.Seek([]byte(begin))
	for n := 0; err == nil && c.Valid() && n < maxBegun && bytes.HasPrefix(c.Key(), []byte(begin)); n++ {
		if err := s.postings(p, c.Value()); err != nil {
			return err
		}
		err = c.Next()
	}
	return err
}

func (s *searching) postings(p *part, value []byte) error {
	encoded, buf, err := readPostings(p.r, value, s.buf)
	s.buf = buf
	if err != nil {
		return err
	}
	if s.held, err = decodePostings(encoded, uint32(len(p.lengths.words)), s.held[:0]); err != nil { //nolint:gosec // bounded
		return err
	}
	for _, of := range s.held {
		of.passage += p.passages
		if s.docOf[of.passage] != gone {
			s.found = append(s.found, of)
		}
	}
	if len(s.found)-p.found > 2*len(p.lengths.words) {
		s.unite(p)
	}
	return nil
}

// unite makes one posting of those of each passage of a part.
func (s *searching) unite(p *part) {
	all := s.found[p.found:]
	slices.SortFunc(all, func(a, b posting) int { return cmp.Compare(a.passage, b.passage) })
	some := all[:0]
	for _, of := range all {
		if n := len(some); n > 0 && some[n-1].passage == of.passage {
			some[n-1].count = max(some[n-1].count, of.count)
			continue
		}
		some = append(some, of)
	}
	s.found = s.found[:p.found+len(some)]
}

// rate adds what the word that was found last is worth.
func (s *searching) rate(weight float64) {
	docs, last := 0, gone
	for _, p := range s.found {
		if doc := s.docOf[p.passage]; doc != last {
			docs++
			last = doc
		}
	}
	rare := weight * rarity(s.docs, docs)
	rarePassage := weight * rarity(s.passages, len(s.found))
	s.total += float32(rare)
	count := uint32(0)
	for i, p := range s.found {
		doc := s.docOf[p.passage]
		s.score[p.passage] += float32(rarePassage * bm25(p.count, s.length[p.passage], s.meanPassage, passageK1, passageB))
		s.covered[p.passage] += float32(rare)
		count += p.count
		if i+1 == len(s.found) || s.docOf[s.found[i+1].passage] != doc {
			s.docScore[doc] += float32(rare * bm25(count, s.docLen[doc], s.meanDoc, docK1, docB))
			count = 0
		}
	}
}

func rarity(all, some int) float64 {
	return math.Log(1 + (float64(all-some)+0.5)/(float64(some)+0.5))
}

func bm25(count, length uint32, mean, k1, b float64) float64 {
	n := float64(count)
	return n * (k1 + 1) / (n + k1*(1-b+b*float64(length)/mean))
}

// rated is a passage with its score.
type rated struct {
	passage uint32
	score   float32
}

func better(a, b rated) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.passage, b.passage))
}

// best gives the best passages, at most perDocument of one document.
func (s *searching) best(limit, perDocument int) []rated {
	var top, own []rated
	for i := 0; i < len(s.docOf); {
		doc := s.docOf[i]
		own = own[:0]
		for ; i < len(s.docOf) && s.docOf[i] == doc; i++ {
			if doc != gone && s.score[i] > 0 {
				share := passageShare * s.score[i] * s.covered[i] / s.total
				own = append(own, rated{uint32(i), s.docScore[doc] + share})
			}
		}
		if len(own) > perDocument {
			slices.SortFunc(own, better)
			own = own[:perDocument]
		}
		top = append(top, own...)
		if len(top) >= 4*limit+256 {
			slices.SortFunc(top, better)
			top = top[:limit]
		}
	}
	slices.SortFunc(top, better)
	return top[:min(limit, len(top))]
}

// hits reads the passages.
func (s *searching) hits(all []rated) ([]Hit, error) {
	var hits []Hit
	for _, one := range all {
		at, _ := slices.BinarySearchFunc(s.parts, one.passage, func(p part, n uint32) int {
			if p.passages+uint32(len(p.lengths.words)) <= n { //nolint:gosec // bounded by the file
				return -1
			}
			return 0
		})
		hit, err := s.hit(&s.parts[at], s.docOf[one.passage], one.passage)
		if err != nil {
			return nil, err
		}
		hit.Score = float64(one.score)
		hits = append(hits, hit)
	}
	return hits, nil
}

func (s *searching) hit(p *part, doc, number uint32) (Hit, error) {
	doc -= p.docs
	number -= p.passages + p.lengths.first[doc]
	c := p.section.docs().Cursor()
	if err := c.At(int64(doc)); err != nil {
		return Hit{}, err
	}
	if !c.Valid() {
		return Hit{}, fmt.Errorf("%w: document %d is missing", blocks.ErrDamaged, doc)
	}
	if err := s.record.read(c.Value(), p.r.Size()); err != nil {
		return Hit{}, err
	}
	text, err := s.unpacker.passage(p.section, &s.record, int64(number))
	return Hit{
		Scope: p.scope, ID: string(c.Key()), Data: slices.Clone(s.record.data), Number: int(number), Passage: text,
	}, err
}
