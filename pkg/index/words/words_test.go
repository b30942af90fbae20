package words_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/index/words"
)

// terms are those of a text: of a word the first, then its parts behind a +.
func terms(l words.Language, text string) string {
	var all []string
	words.New().Each(l, text, func(own []string) { all = append(all, strings.Join(own, "+")) })
	return strings.Join(all, " ")
}

func TestTerms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language   words.Language
		text, want string
	}{
		{words.None, "", ""},
		{words.None, " \t\n- … ! © ─ _ __ — ", ""},
		{words.None, "party 🎉!", "party 🎉"},
		{words.None, "Hello, World", "hello world"},
		{words.None, "naïve Café ÅNGSTRÖM straße Œuvre Łódź", "naive cafe angstrom strasse oeuvre lodz"},
		{words.None, "cafe\u0301", "cafe"},
		{words.None, "ＡＢＣ １２３ ﬁne", "abc 123 fine"},
		{words.None, "open_memstream(3)", "open_memstream+open+memstream 3"},
		{words.None, "/etc/resolv.conf", "etc resolv.conf+resolv+conf"},
		{words.None, "getHTTPServer fooBar iPhone JSON", "gethttpserver+get+http+server foobar+foo+bar iphone+phone json"},
		{words.None, "libc6 utf8mb4 x86_64", "libc6 utf8mb4 x86_64+x86+64"},
		{words.None, "3.14 1,000 e.g.", "3.14+14 1,000+000 e.g"},
		{words.None, "l'homme d’un don't", "homme un don"},
		{words.None, "well-known --no-verify", "well known no verify"},
		{words.English, "Directories are listed; sleeping dogs", "directori are list sleep dog"},
		{words.English, "user's users'", "user user"},
		{words.German, "Verzeichnisse auflisten, schläft Häuser", "verzeichnis auflist schlaft haus"},
		{words.French, "Les fichiers exécutés", "le fichi execut"},
		{words.Spanish, "canciones canción", "cancion cancion"},
		{words.Russian, "файлы файлов ещё мой", "файл файл ещ мо"},
		{words.None, "мой", "мой"},
		{words.None, "日本語", "日本 本語+語"},
		{words.None, "日", "日"},
		{words.None, "日本語でfileを開く", "日本 本語 語で+で file を開 開く+く"},
		{words.None, "ﾌｧｲﾙ ファイル サーバー", "ファ ァイ イル+ル ファ ァイ イル+ル サー ーバ バー+ー"},
		{words.None, "한국어 문서", "한국 국어+어 문서+서"},
		{words.None, "PDF로 2026년 제3조 한국API", "pdf 로 2026 년 제 3 조 한국+국 api"},
		{words.None, "ภาษาไทย", "ภา าษ ษา าไ ไท ทย+ย"},
		{words.None, "ΣΊΣΥΦΟΣ", "σισυφοσ"},
		{words.None, strings.Repeat("a", 300), strings.Repeat("a", 96)},
		{words.None, "a\xffb\xc3", "a b"},
		{words.Language(77), "listed", "listed"},
	} {
		if d := cmp.Diff(c.want, terms(c.language, c.text)); d != "" {
			t.Errorf("%s, %.30q: %s", c.language, c.text, d)
		}
	}
}

// TestSameTermsForOneMeaning: forms of a word that a person takes for the same one.
func TestSameTermsForOneMeaning(t *testing.T) {
	t.Parallel()
	for l, forms := range map[words.Language][]string{
		words.English: {"connection", "connections", "Connected"}, words.German: {"Katze", "KATZEN"},
		words.French:  {"continu", "continué", "Continuer"},
		words.Russian: {"важная", "важные", "Важных"}, words.Danish: {"bogen", "bog"}, words.Dutch: {"kat", "katten"},
		words.Finnish: {"talossa", "talosta"}, words.Italian: {"gatto", "gatti"}, words.Portuguese: {"menino", "meninos"},
		words.Swedish: {"flicka", "flickor"}, words.Norwegian: {"huset", "huse"}, words.Hungarian: {"házban", "házak"},
		words.Romanian: {"copilul", "copilului"}, words.Turkish: {"evler", "evlerin"},
		words.Irish: {"fear", "bhfear"}, words.Arabic: {"كتاب", "الكتاب"},
		words.Tamil: {"மரங்கள்", "மரங்களை"},
	} {
		for _, form := range forms[1:] {
			if terms(l, forms[0]) != terms(l, form) {
				t.Errorf("%s: %s is %q, %s is %q", l, forms[0], terms(l, forms[0]), form, terms(l, form))
			}
		}
	}
}

// TestNamesWithCapitals are found in small letters, and the other way round, in each language.
func TestNamesWithCapitals(t *testing.T) {
	t.Parallel()
	for l := words.None; l.Valid(); l++ {
		for _, name := range []string{"iPhone", "YouTube", "OneDrive", "DevOps", "userNames"} {
			for _, plain := range []string{strings.ToLower(name), strings.ToUpper(name)} {
				if got, want := terms(l, name), terms(l, plain); !strings.HasPrefix(got, want+"+") {
					t.Errorf("%s: %s is %q, %s is %q", l, name, got, plain, want)
				}
			}
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The cat is on the table and it does not want to move":                 "en",
		"Die Katze liegt auf dem Tisch und will sich nicht bewegen":            "de",
		"Le chat est sur la table et il ne veut pas bouger pour nous":          "fr",
		"El gato está en la mesa y no se quiere mover, pero es lo que hay":     "es",
		"O gato não está na mesa, mas ele pode se mover para uma cadeira":      "pt",
		"Il gatto non si trova sul tavolo, è nel giardino con gli altri":       "it",
		"De kat is niet van het huis, maar wordt ook door een hond gezien":     "nl",
		"Katten er ikke på bordet, og den kan også bliver inde efter hvis":     "da",
		"Katten är inte på bordet, och den kan också vara inne efter det":      "sv",
		"Katten er ikke på bordet, men jeg skal også være inne av etter":       "no",
		"Kissa ei ole pöydällä, mutta se on myös iso kuin koira, joka ja että": "fi",
		"A macska nem az asztal, hanem egy szék, és hogy ha van, meg kell":     "hu",
		"Pisica nu este pe masă, și sunt care după ce prin casă pentru":        "ro",
		"Kedi bir masa değil, ve bu çok daha olan için sonra ama":              "tr",
		"Níl an cat ar an mbord agus tá sé ag dul go dtí seo leis":             "ga",
		"Кошка лежит на столе и не хочет двигаться":                            "ru",
		"Кошка и foo() bar() на столе":                                         "ru",
		"القطة على الطاولة ولا تريد أن تتحرك":                                  "ar",
		"பூனை மேசையில் இருக்கிறது":                                             "ta",
		"Кішка лежить на столі й не хоче рухатися її":                          "none",
		"گربه روی میز است و نمی\u200cخواهد چیزی بگوید پژ":                      "none",
		"日本語の文書": "none", "": "none", "xyz 123": "none",
	} {
		if got := words.Detect(text, words.None); got.String() != want {
			t.Errorf("%q is taken for %s, want %s", text, got, want)
		}
	}
	if got := words.Detect("int main(void) { return the_value; }", words.German); got != words.German {
		t.Errorf("code in a German page is taken for %s", got)
	}
	if got := words.Detect("The file is read, and that is all of it: der", words.German); got != words.English {
		t.Errorf("an English passage in a German page is taken for %s", got)
	}
	if got := words.Detect(strings.Repeat("x", 1<<22), words.None); got != words.None {
		t.Errorf("a long word is taken for %s", got)
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for l := words.None + 1; l.Valid(); l++ {
		if back, ok := words.Parse(l.String()); !ok || back != l || len(l.String()) != 2 {
			t.Errorf("%d is %q, and that is %d, %v", l, l, back, ok)
		}
	}
	for _, code := range []string{"", "none", "xx", "EN"} {
		if l, ok := words.Parse(code); ok || l != words.None {
			t.Errorf("%q is %s", code, l)
		}
	}
	// The numbers are in files.
	if words.English != 4 || words.Russian != 14 || words.Turkish != 18 {
		t.Error("the numbers of languages have changed")
	}
}

// FuzzTerms: an analyzer that knows words already gives the same terms as a new one, of whatever text.
func FuzzTerms(f *testing.F) {
	for _, text := range []string{
		"Hello getHTTPServer l'homme 日本語 x86_64", "ﷺﷺ\xff\xfe", "Straßen İstanbul ǅ", "ภาษาไทย한국어", "カ\u202f\xffナ㈝", "0\xe6\t", "a ـ",
	} {
		for l := range uint8(20) {
			f.Add(l, text)
		}
	}
	used := words.New()
	f.Fuzz(func(t *testing.T, l uint8, text string) {
		collect := func(a *words.Analyzer) (all [][]string) {
			a.Each(words.Language(l), text, func(own []string) { all = append(all, slices.Clone(own)) })
			return all
		}
		got := collect(used)
		if d := cmp.Diff(collect(words.New()), got); d != "" {
			t.Error(d)
		}
		for _, own := range got {
			if len(own) == 0 {
				t.Error("a word without a term")
			}
			for _, term := range own {
				if term == "" || len(term) > 2048 || !utf8.ValidString(term) || strings.ContainsAny(term, " \t\n") {
					t.Errorf("the term %q", term)
				}
			}
		}
		words.Detect(text, words.Language(l))
	})
}
