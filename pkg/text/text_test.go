package text_test

import (
	"strings"
	"testing"

	"parley/pkg/text"
)

func TestClip(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want string }{
		"fits":                      {text.Clip("äöü", 3), "äöü"},
		"one too many":              {text.Clip("äöüß", 3), "äöü…"},
		"no room":                   {text.Clip("a", 0), "…"},
		"empty":                     {text.Clip("", 0), ""},
		"not UTF-8":                 {text.Clip("a\xffb", 5), "a\uFFFDb"},
		"bytes fit":                 {text.ClipBytes("äö", 4), "äö"},
		"bytes of half a character": {text.ClipBytes("äö", 3), "ä…"},
		"bytes, not UTF-8":          {text.ClipBytes("\xff", 3), "\uFFFD"},
		"no bytes":                  {text.ClipBytes("ä", 0), "…"},
		"a head":                    {text.Head("äö", 3), "ä"},
		"a whole head":              {text.Head("äö", 4), "äö"},
		"a quotation":               {text.Quote("a\nb\u202ec", 3), `"a\nb…"`},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", name, c.got, c.want)
		}
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"report.pdf":                        "report.pdf",
		"../../etc/passwd":                  "passwd",
		`C:\temp\x.txt`:                     "x.txt",
		"..":                                "",
		".bashrc":                           "bashrc",
		"/":                                 "_",
		"a\x00b\u202egnp.exe":               "abgnp.exe",
		"]saved as[.txt":                    "_saved as_.txt",
		strings.Repeat("ä", 300) + ".pdf":   strings.Repeat("ä", 58) + ".pdf",
		"x." + strings.Repeat("y", 300):     "x." + strings.Repeat("y", 118),
		"line\nbreak\tand\u2028more.tar.gz": "line break and more.tar.gz",
	} {
		if got := text.FileName(given); got != want {
			t.Errorf("%q is stored as %q, want %q", given, got, want)
		}
	}
}

func TestFileSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		-1: "", 0: "", 1: "1 byte", 2: "2 bytes", 999: "999 bytes", 1000: "1 kB",
		1499: "1 kB", 1500: "2 kB", 12_345: "12 kB", 1_000_000: "1.0 MB", 1_250_000: "1.2 MB",
	} {
		if got := text.FileSize(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}
