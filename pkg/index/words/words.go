package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	segments "github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"

	"parley/pkg/panics"
)

const (
	// The length of a word, in bytes; the rest of a longer one is cut off.
	maxTerm = 96
	// The length of a word that may have a stem.
	maxStemmed = 48
	// How many words an analyzer remembers.
	maxCached = 1 << 12
)

// Analyzer finds terms. It is for one goroutine at a time.
type Analyzer struct {
	cache map[cached][]string
	env   *snowballstem.Env
	run   []rune
	parts []string
}

type cached struct {
	language Language
	word     string
}

// New makes an analyzer.
func New() *Analyzer {
	return &Analyzer{cache: map[cached][]string{}, env: snowballstem.NewEnv("")}
}

// Each hands the terms of a text to f, word by word: the first term stands for the word, others
// for its parts. Bytes that are no UTF-8 end a word.
func (a *Analyzer) Each(l Language, text string, f func(terms []string)) {
	it := segments.FromString(strings.ToValidUTF8(text, " "))
	for it.Next() {
		for rest := it.Value(); rest != ""; {
			n, dense := stretch(rest)
			word := rest[:n]
			rest = rest[n:]
			if dense {
				a.dense(word)
				continue
			}
			a.pairs(f)
			if !isWord(word) {
				continue
			}
			if terms := a.terms(l, word); len(terms) > 0 {
				f(terms)
			}
		}
	}
	a.pairs(f)
}

// stretch is the length of the begin of a segment whose letters are all dense, or none of them: in
// Korean a particle follows a Latin word or a number without a space.
func stretch(segment string) (n int, dense bool) {
	first, n := utf8.DecodeRuneInString(segment)
	dense = isDense(first)
	for i, r := range segment[n:] {
		if isDense(r) != dense && isPart(r) && !unicode.In(r, unicode.M, unicode.Lm) {
			return n + i, dense
		}
	}
	return len(segment), dense
}

// isWord tells segments with a letter, a digit or an emoji.
func isWord(segment string) bool {
	for _, r := range segment {
		if r < utf8.RuneSelf {
			if r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
				return true
			}
			continue
		}
		if unicode.IsLetter(r) || unicode.IsNumber(r) || r >= firstEmoji {
			return true
		}
	}
	return false
}

const firstEmoji = 0x1f000

// isDense tells letters of the scripts that put no space between words.
func isDense(r rune) bool {
	if r < 0xe00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar) || r == 0x30fc || r == 0xff70
}

// IsDense says that a term is of a script that puts no space between words.
func IsDense(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return isDense(r)
}

// IsSingle says that a term is one letter.
func IsSingle(term string) bool {
	_, n := utf8.DecodeRuneInString(term)
	return n == len(term)
}

// dense adds the letters of a segment to the run. A segment may have spaces and signs as well, such
// as a narrow space after a Katakana letter.
func (a *Analyzer) dense(segment string) {
	if !norm.NFKC.IsNormalString(segment) {
		segment = norm.NFKC.String(segment)
	}
	for _, r := range segment {
		if isPart(r) {
			a.run = append(a.run, r)
		}
	}
}

// isPart tells the letters, the digits and their marks from signs and spaces.
func isPart(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r)
}

// pairs hands out the pairs of letters that the run has, and ends it. The last letter is a term
// beside the last pair, so that each letter begins a term.
func (a *Analyzer) pairs(f func([]string)) {
	if len(a.run) == 0 {
		return
	}
	text := norm.NFC.String(string(a.run))
	a.run = a.run[:0]
	last := 0 // begin of the last letter
	var terms [2]string
	for i, r := range text {
		n := utf8.RuneLen(r)
		if i > 0 {
			terms[0], terms[1] = text[last:i+n], text[i:]
			own := terms[:1]
			if i+n == len(text) {
				own = terms[:2]
			}
			f(own)
		}
		last = i
	}
	if last == 0 {
		terms[0] = text
		f(terms[:1])
	}
}

// terms are those of a word.
func (a *Analyzer) terms(l Language, word string) []string {
	if len(word) > maxTerm {
		word = strings.ToValidUTF8(word[:maxTerm], "")
	}
	if t, ok := a.cache[cached{l, word}]; ok {
		return t
	}
	if len(a.cache) >= maxCached {
		clear(a.cache)
	}
	word = strings.Clone(word)
	t := a.make(l, word)
	a.cache[cached{l, word}] = t
	return t
}

func (a *Analyzer) make(l Language, word string) []string {
	normal := word
	if !norm.NFKC.IsNormalString(normal) {
		normal = norm.NFKC.String(normal)
	}
	a.split(normal)
	var t []string
	// A word of marks that people leave out has no term, such as the line that makes Arabic words longer.
	add := func(term string) {
		if term != "" {
			t = append(t, term)
		}
	}
	if len(a.parts) == 1 && a.parts[0] == normal {
		add(a.term(l, normal))
		return t
	}
	switch {
	case strings.Join(a.parts, "") == normal: // a name such as YouTube, which people write in small letters too
		add(a.term(l, normal))
	case !strings.ContainsAny(normal, "'’ "):
		add(fold(strings.ToLower(normal)))
	}
	for _, p := range a.parts {
		if utf8.RuneCountInString(p) > 1 {
			add(a.term(l, p))
		}
	}
	return t
}

// split cuts a word at signs and where a small letter is before a large one.
func (a *Analyzer) split(word string) {
	a.parts = a.parts[:0]
	begin := 0
	var before, last rune
	for i, r := range word {
		switch {
		case !isPart(r):
			a.part(word[begin:i])
			begin = i + utf8.RuneLen(r)
		case unicode.IsUpper(r) && unicode.IsLower(last):
			a.part(word[begin:i])
			begin = i
		case unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before):
			a.part(word[begin : i-utf8.RuneLen(last)])
			begin = i - utf8.RuneLen(last)
		}
		before, last = last, r
	}
	a.part(word[begin:])
}

func (a *Analyzer) part(p string) {
	if p != "" {
		a.parts = append(a.parts, p)
	}
}

// term is the term of a word without signs.
func (a *Analyzer) term(l Language, word string) string {
	return fold(a.stem(l, strings.ReplaceAll(strings.ToLower(word), "ё", "е")))
}

func (a *Analyzer) stem(l Language, word string) string {
	if !l.Valid() {
		return word
	}
	stem := known[l].stem
	if stem == nil || len(word) > maxStemmed || len(word) < 3 {
		return word
	}
	result := word
	if panics.Catch(func() {
		a.env.SetCurrent(word)
		stem(a.env)
		result = a.env.Current()
	}) != nil || result == "" {
		return word
	}
	return result
}

// fold takes the accents from a word in small letters.
func fold(word string) string {
	plain := true
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return word
	}
	var b strings.Builder
	for _, r := range word {
		plain, known := plainLetters(r)
		switch {
		case known:
			b.WriteString(plain)
		case r < utf8.RuneSelf || r == 'й':
			b.WriteRune(r)
		default:
			for _, d := range norm.NFD.String(string(r)) {
				if !isAccent(d) {
					b.WriteRune(d)
				}
			}
		}
	}
	return norm.NFC.String(b.String())
}

// isAccent tells the marks that a person may leave out.
func isAccent(r rune) bool {
	return r >= 0x300 && r < 0x370 || r >= 0x591 && r < 0x5c8 || r >= 0x64b && r < 0x660 || r == 0x670 || r == 0x640
}

// plainLetters are those for a letter that is not one with an accent.
func plainLetters(r rune) (plain string, known bool) {
	switch r {
	case 'ß':
		plain = "ss"
	case 'æ':
		plain = "ae"
	case 'œ':
		plain = "oe"
	case 'þ':
		plain = "th"
	case 'ø':
		plain = "o"
	case 'đ', 'ð':
		plain = "d"
	case 'ł':
		plain = "l"
	case 'ı':
		plain = "i"
	case 'ς':
		plain = "σ"
	}
	return plain, plain != ""
}
