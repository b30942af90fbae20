package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// Language is a language whose words have stems, or [None]. Its number is stored in indexes.
type Language uint8

// The languages.
const (
	None Language = iota // the words of the text are not stemmed
	Arabic
	Danish
	Dutch
	English
	Finnish
	French
	German
	Hungarian
	Irish
	Italian
	Norwegian
	Portuguese
	Romanian
	Russian
	Spanish
	Swedish
	Tamil
	Turkish
	languages
)

// A row is what is known of a language.
type row struct {
	code string
	stem func(*snowballstem.Env) bool
	// usual are frequent words that other languages lack, or have seldom.
	usual string
}

// table has a row for each language.
func table() [languages]row {
	return [languages]row{
		Arabic: {"ar", arabic.Stem, ""},
		Danish: {
			"da", danish.Stem,
			"og ikke af på til det der er en et jeg vi kan skal med som også fra ved eller hvis efter bliver være har",
		},
		Dutch: {
			"nl", dutch.Stem,
			"het een van niet en de dat voor met zijn wordt worden ook deze bij naar als maar uit of dit wordt kan zou",
		},
		English: {
			"en", english.Stem,
			"the of and to is that it for this with are be not by from which will you or if as an on at when can has was",
		},
		Finnish: {"fi", finnish.Stem, "ja ei on että se hän ovat joka mutta myös kun niin tai jos voi ole oli kuin tämä ovat sen ne mukaan"},
		French: {
			"fr", french.Stem,
			"le la les des une est et dans pour par sur pas que qui ce cette du au aux avec sont ou être il elle vous nous",
		},
		German: {
			"de", german.Stem,
			"der die das und ist nicht ein eine einer mit von für auf den dem des sich wird werden auch oder als bei sie zu im",
		},
		Hungarian: {"hu", hungarian.Stem, "a az és hogy nem egy is van ez meg csak vagy ha már mint kell lehet volt azt ezt fel minden"},
		Irish:     {"ga", irish.Stem, "agus an na ar go bhfuil tá sé ag is le atá bhí sin mar leis níl chun seo raibh"},
		Italian: {
			"it", italian.Stem,
			"il di che è la per un una non sono del della con dei le nel alla gli anche come questo si essere più dal lo",
		},
		Norwegian: {
			"no", norwegian.Stem,
			"og ikke av på til det som er en et jeg vi kan skal med også fra ved eller hvis etter blir være har noe bare",
		},
		Portuguese: {
			"pt", portuguese.Stem,
			"o a os as de do da dos das que não uma um para com em por se mais como mas foi ao ele são pode você",
		},
		Romanian: {"ro", romanian.Stem, "și în nu este pe cu la un o din că care sunt să fi pentru mai sau prin acest dacă după"},
		Russian:  {"ru", russian.Stem, ""},
		Spanish: {
			"es", spanish.Stem,
			"el la los las de del que y no una un para con en por se más como pero es al lo está son puede si su este",
		},
		Swedish: {
			"sv", swedish.Stem,
			"och inte av på till det att är en ett jag vi kan ska med som också från vid eller om efter blir vara har",
		},
		Tamil:   {"ta", tamil.Stem, ""},
		Turkish: {"tr", turkish.Stem, "ve bir bu için ile de da olarak değil olan gibi daha çok ne ama var veya kadar ise her sonra"},
	}
}

// known is the table, with the words of each language.
//
//nolint:gochecknoglobals // a table that does not change
var known, usual = func() ([languages]row, map[string]uint32) {
	t := table()
	words := map[string]uint32{}
	for l, r := range t {
		for w := range strings.FieldsSeq(r.usual) {
			words[w] |= 1 << l
		}
	}
	return t, words
}()

// Parse gives the language of a code of two letters.
func Parse(code string) (l Language, ok bool) {
	for l := range known {
		if known[l].code == code && code != "" {
			return Language(l), true
		}
	}
	return None, false
}

// Valid says that the number is one of a language, or [None].
func (l Language) Valid() bool { return l < languages }

// String is the code of the language.
func (l Language) String() string {
	if l == None || !l.Valid() {
		return "none"
	}
	return known[l].code
}

const (
	// How much of a text tells its language.
	sample = 4 << 10
	// How many frequent words a text must have to have another language than expected.
	minUsual = 3
	// The length of a frequent word, in bytes.
	longestUsual = 10
	// The letters of languages that share a script with one that has stems.
	otherLetters = "іїєґўјљњћђџѓќѕپچژگکیںٹڈڑ"
)

// Detect tells the language of a text by its script and its most frequent words. A text that does
// not tell has the other language. If that is [None], one frequent word is enough.
func Detect(text string, other Language) Language {
	if len(text) > sample {
		text = text[:sample]
	}
	var hits [languages]int
	var seen scripts
	begin := -1
	for i, r := range text {
		if isLetter(r) {
			seen.count(r)
			if begin < 0 {
				begin = i
			}
			continue
		}
		if begin >= 0 {
			count(&hits, text[begin:i])
		}
		begin = -1
	}
	if begin >= 0 {
		count(&hits, text[begin:])
	}
	if l := seen.language(); l != None {
		return l
	}
	return most(&hits, other)
}

func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r)
}

// scripts counts the letters of a text by their scripts.
type scripts struct{ latin, cyrillic, arabic, tamil, foreign int }

func (s *scripts) count(r rune) {
	switch {
	case r < 0x250:
		s.latin++
	case strings.ContainsRune(otherLetters, r):
		s.foreign++
	case r >= 0x400 && r < 0x530:
		s.cyrillic++
	case r >= 0x600 && r < 0x700:
		s.arabic++
	case r >= 0xb80 && r < 0xc00:
		s.tamil++
	}
}

// language is the one that has most of the letters, if it has a script of its own. Names and code
// are latin in every language, and count half.
func (s *scripts) language() Language {
	const few = 50
	switch {
	case s.foreign*few > s.cyrillic+s.arabic:
		return None
	case s.cyrillic > s.latin/2:
		return Russian
	case s.arabic > s.latin/2:
		return Arabic
	case s.tamil > s.latin/2:
		return Tamil
	}
	return None
}

// count counts a word for the languages in which it is frequent.
func count(hits *[languages]int, word string) {
	if len(word) > longestUsual {
		return
	}
	var lower [longestUsual * 2]byte
	b := lower[:0]
	for _, r := range word {
		b = utf8.AppendRune(b, unicode.ToLower(r))
	}
	bits := usual[string(b)]
	for l := range hits {
		hits[l] += int(bits >> l & 1)
	}
}

// most is the language with the most of its words, if it leads the next one clearly.
func most(hits *[languages]int, other Language) Language {
	best, next := None, 0
	for l, n := range hits {
		switch {
		case n > hits[best]:
			best, next = Language(l), hits[best]
		case n > next:
			next = n
		}
	}
	enough := minUsual
	if other == None {
		enough = 1
	}
	if hits[best] >= enough && hits[best]*4 >= next*5 {
		return best
	}
	return other
}
