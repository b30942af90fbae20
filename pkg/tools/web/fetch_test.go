package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

func TestFetchKinds(t *testing.T) {
	t.Parallel()
	encoded := func(b []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	latin := encoded(charmap.ISO8859_1.NewEncoder().Bytes([]byte("<p>café")))
	sjis := encoded(japanese.ShiftJIS.NewEncoder().Bytes([]byte("<meta charset=shift_jis><p>日本語")))
	utf16 := encoded(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte("<p>日本語")))
	for name, c := range map[string]struct{ media, body, want, kind string }{
		"page":                     {"text/html", "<h1>Hello</h1>", "\n# Hello\n", ""},
		"xhtml":                    {"application/xhtml+xml", "<h1>Hello</h1>", "\n# Hello\n", ""},
		"no type":                  {"", "<!doctype html><h1>Hello</h1>", "\n# Hello\n", ""},
		"json":                     {"application/json", `{"a": [1, 2]}`, "\n" + `{"a": [1, 2]}` + "\n", ""},
		"problem json":             {"application/problem+json", `{"a":1}`, `{"a":1}`, ""},
		"text":                     {"text/plain", "a <b> c", "\na <b> c\n", ""},
		"markdown":                 {"text/markdown", "# a", "\n# a\n", ""},
		"text with controls":       {"text/plain", "a\x1b[31mb\u202ec\r\nd", "\na[31mbc\nd\n", ""},
		"octets that are text":     {"application/octet-stream", "plain words", "\nplain words\n", ""},
		"latin-1 by header":        {"text/html; charset=iso-8859-1", latin, "café", ""},
		"shift-jis by meta":        {"text/html", sjis, "日本語", ""},
		"utf-16 by its mark":       {"text/html", utf16, "日本語", ""},
		"utf-8 behind much ascii":  {"text/html", "<p>" + strings.Repeat("a ", 1000) + "日本語", "日本語", ""},
		"a charset that is none":   {"text/html; charset=nonsense", "<p>日本語", "日本語", ""},
		"not utf-8 after all":      {"text/html; charset=utf-8", "<p>a\xff\xfeb", "a\uFFFD", ""},
		"pdf":                      {"application/pdf", "%PDF-1.7 x", "this is a PDF", "execution_failed"},
		"pdf in disguise":          {"text/html", "\n%PDF-1.7 x", "this is a PDF", "execution_failed"},
		"picture":                  {"image/png", "\x89PNG\r\n\x1a\n", "image/png", "execution_failed"},
		"octets":                   {"application/octet-stream", "\x00\x01\x02\xff", "application/octet-stream", "execution_failed"},
		"text that is none":        {"text/plain", "a\x00b", "text/plain", "execution_failed"},
		"zip":                      {"", "PK\x03\x04", "application/zip", "execution_failed"},
		"an empty page":            {"text/html", "", "[the page has no text]", ""},
		"a type that is a mistake": {"text/html; charset=\"", "<h1>Hello</h1>", "\n# Hello\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "127.0.0.2", 0, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{c.media}
				_, _ = w.Write([]byte(c.body))
			})
			res := fetch(t, s.reach(t), map[string]any{"url": s.URL})
			if kind, _ := failure(t, res); kind != c.kind || !strings.Contains(res.ForLLM, c.want) {
				t.Errorf("%s: %.300q, want %s %q", kind, res.ForLLM, c.kind, c.want)
			}
		})
	}
}

// TestFetchInParts reads a long text part by part.
func TestFetchInParts(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("äöü€😀 ", 5000)
	s := serve(t, "127.0.0.2", 0, page("text/plain; charset=utf-8", whole))
	var got strings.Builder
	for offset, calls := 0, 0; ; calls++ {
		res := fetch(t, s.reach(t), map[string]any{"url": s.URL, "offset": offset, "max_bytes": 10_001})
		if !utf8.ValidString(res.ForLLM) || res.IsError || calls > 20 {
			t.Fatalf("%.300q", res.ForLLM)
		}
		_, text, _ := strings.Cut(res.ForLLM, "\n\n")
		part, note, more := strings.Cut(text, "\n\n[cut here: ")
		if !more {
			got.WriteString(strings.TrimSuffix(part, "\n"))
			break
		}
		got.WriteString(part)
		var from, to, size int
		if n, err := fmt.Sscanf(note, "bytes %d to %d of %d;", &from, &to, &size); n != 3 || from != offset || size != len(whole) {
			t.Fatalf("%q: %v", note, err)
		}
		offset = to
	}
	if got.String() != whole {
		t.Errorf("%d bytes, want %d", got.Len(), len(whole))
	}
	for _, args := range []map[string]any{
		{"url": s.URL, "offset": len(whole)}, {"url": s.URL, "offset": -1}, {"url": s.URL, "max_bytes": 1 << 20},
	} {
		if kind, _ := failure(t, fetch(t, s.reach(t), args)); kind != "invalid_arguments" {
			t.Errorf("%v: %q", args, kind)
		}
	}
}

// TestNoPartOfASecretIsFetched: a part of a page may begin or end within a secret.
func TestNoPartOfASecretIsFetched(t *testing.T) {
	t.Parallel()
	const secret = "sk-Canary-8Zq3Wv7Xk2Jh"
	s := serve(t, "127.0.0.2", 0, page("text/plain", "the key is "+secret+" and no other"))
	o := s.reach(t)
	o.Redact = strings.NewReplacer(secret, "[redacted]").Replace
	for offset := range 30 {
		res := fetch(t, o, map[string]any{"url": s.URL, "offset": offset, "max_bytes": 15})
		for i := range len(secret) - 4 {
			if res.IsError || strings.Contains(res.ForLLM, secret[i:i+4]) {
				t.Fatalf("from %d on: %s", offset, res.ForLLM)
			}
		}
	}
}

func zipped(tb testing.TB, size int) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	zeros := bytes.Repeat([]byte("a"), 1<<20)
	for n := 0; n < size; n += len(zeros) {
		if _, err := z.Write(zeros); err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// TestHostileBodies has servers that send too much, too slowly or another type than
// they claim.
func TestHostileBodies(t *testing.T) { //nolint:paralleltest // it measures the heap of the whole process
	bomb := zipped(t, 128<<20)
	empties := bytes.Repeat(zipped(t, 0), 1<<17)
	held := make(chan struct{})
	slowly := func(w http.ResponseWriter, r *http.Request, piece string) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte(piece))
			w.(http.Flusher).Flush()
			select {
			case <-time.After(20 * time.Millisecond):
			case <-held:
				return
			case <-r.Context().Done():
			}
		}
	}
	pack := func(how string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", how)
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write(body)
		}
	}
	for name, c := range map[string]struct { //nolint:paralleltest // as above
		h          http.HandlerFunc
		want, kind string
	}{
		"bomb":          {pack("gzip", bomb), "[cut here: bytes 0 to 24576 of 2097152;", ""},
		"empty members": {pack("gzip", empties), "[cut here: the page is longer", ""},
		"packed twice":  {pack("gzip, gzip", bomb), "was not asked for", "execution_failed"},
		"brotli":        {pack("br", []byte("x")), "was not asked for", "execution_failed"},
		"not packed":    {pack("gzip", []byte("plain")), "broke off", "execution_failed"},
		"cut short":     {pack("gzip", bomb[:1000]), "broke off", "execution_failed"},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			for r.Context().Err() == nil {
				if _, err := w.Write(bytes.Repeat([]byte("<p>more"), 1<<13)); err != nil {
					return
				}
			}
		}, "<p>", ""},
		"slow":   {func(w http.ResponseWriter, r *http.Request) { slowly(w, r, "a") }, "did not come within 1s", "timeout"},
		"silent": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "did not come within 1s", "timeout"},
		"slow redirects": {func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(400 * time.Millisecond): // each within the limit, two and more beyond it
			case <-r.Context().Done():
			}
			http.Redirect(w, r, r.URL.Path+"a", http.StatusFound)
		}, "did not come within 1s", "timeout"},
		"endless headers": {
			func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) },
			"broke off", "execution_failed",
		},
		"less than said": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("x"))
		}, "broke off", "execution_failed"},
		"gone": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "broke off", "execution_failed"},
		"404":  {http.NotFound, "404 Not Found", "execution_failed"},
		"500":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, "500", "execution_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "127.0.0.2", 0, c.h)
			o := s.reach(t)
			if c.kind == "timeout" {
				o.Timeout = time.Second
			}
			r := registry(o)
			var text, kind string
			took, grew := cost(func() {
				res := r.Execute(t.Context(), "web_fetch", map[string]any{"url": s.URL})
				text = res.ForLLM
				kind, _ = failure(t, res)
			})
			if name == "endless" { // the server's allocations are in this process too
				c.want, grew = "[cut here: ", 0
			}
			if kind != c.kind || !strings.Contains(text, c.want) {
				t.Errorf("%s: %.200q ... %.200q", kind, text, text[max(0, len(text)-200):])
			}
			if took > mostTime || grew > mostMemory {
				t.Errorf("%s and %d MB", took, grew>>20)
			}
		})
	}
	close(held)
}

// TestUnknownHost tells a name that does not exist from an address that is refused.
func TestUnknownHost(t *testing.T) {
	t.Parallel()
	s := serve(t, "127.0.0.2", 0, page("text/plain", "x"))
	o := s.reach(t)
	o.Resolver = resolverThat(t, func(string) []string { return nil }).resolver
	res := fetch(t, o, map[string]any{"url": fmt.Sprintf("http://nobody.example:%d/", s.port(t))})
	if kind, message := failure(t, res); kind != "execution_failed" || message != "there is no host of this name" {
		t.Errorf("%s", res.ForLLM)
	}
}
