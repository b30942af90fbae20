package policy_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"parley/pkg/policy"
)

const canary = `k3y/<"+&>=canary?` + "\n€"

// spellings are the ways in which a secret leaks.
func spellings(t interface{ Fatal(...any) }, secret string) map[string]string {
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(secret); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"plain":           secret,
		"query":           "https://example.org/?key=" + url.QueryEscape(secret) + "&x=1",
		"path":            "https://example.org/bot" + url.PathEscape(secret) + "/getMe",
		"json":            string(quoted),
		"json, html kept": plain.String(),
		"base64":          base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64, url":     base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"hex":             hex.EncodeToString([]byte(secret)),
		"hex, capitals":   strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"basic auth":      base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
		"basic auth 2":    base64.StdEncoding.EncodeToString([]byte("me:" + secret + "x")),
	}
}

func TestRedactSpellings(t *testing.T) {
	t.Parallel()
	r := policy.NewRedactor("other-secret", canary)
	for name, text := range spellings(t, canary) {
		got := r.Redact("before " + text + " after")
		if strings.Contains(got, text) || !strings.Contains(got, "[redacted]") {
			t.Errorf("%s: %q", name, got)
		}
		if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
			t.Errorf("%s: tore the text round it: %q", name, got)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		secrets []string
		text    string
		want    string
	}{
		{"nothing known", nil, "secret", "secret"},
		{"short ones are ignored", []string{"", "a", "12345"}, "a 12345", "a 12345"},
		{"six bytes count", []string{"123456"}, "a 123456", "a [redacted]"},
		{"longest first", []string{"secret-a", "secret-a-long"}, "secret-a-long secret-a", "[redacted] [redacted]"},
		{"several", []string{"first-secret", "second-secret"}, "first-secretsecond-secret", "[redacted][redacted]"},
		{"other text", []string{"secret-a"}, "secret-b secret", "secret-b secret"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := policy.NewRedactor(tt.secrets...).Redact(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRedactNeverLeavesASecret(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z0-9_/+-]{16,40}`), 1, 5).Draw(t, "secrets")
		r := policy.NewRedactor(secrets...)
		var text strings.Builder
		for _, s := range secrets {
			text.WriteString(rapid.StringMatching(`[ -~]{0,20}`).Draw(t, "between") + " ")
			text.WriteString(s)
		}
		got := r.Redact(text.String())
		for _, s := range secrets {
			if strings.Contains(got, s) {
				t.Fatalf("%q is left in %q", s, got)
			}
		}
	})
}

func TestRedactorWriter(t *testing.T) {
	t.Parallel()
	secret := "sk-canary-0123456789"
	tests := []struct {
		name   string
		writes []string
		want   string
	}{
		{"a line", []string{"key=" + secret + "\n"}, "key=[redacted]\n"},
		{"in pieces", []string{"key=sk-can", "ary-01234", "56789 end\n"}, "key=[redacted] end\n"},
		{"several lines", []string{"a\n" + secret + "\nb", "\n"}, "a\n[redacted]\nb\n"},
		{"an unfinished line waits", []string{"a\nb"}, "a\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			w := policy.NewRedactor(secret).Writer(&out)
			for _, s := range tt.writes {
				if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
					t.Fatalf("Write = %d, %v", n, err)
				}
			}
			if got := out.String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRedactorWriterOfAnEndlessLine(t *testing.T) {
	t.Parallel()
	secret := "sk-canary-0123456789"
	for shift := range 2 * len(secret) {
		var out bytes.Buffer
		w := policy.NewRedactor(secret).Writer(&out)
		text := strings.Repeat("x", 64<<10-len(secret)+shift) + secret + strings.Repeat("y", 100)
		for piece := range strings.SplitSeq(text, "0") { // the secret itself comes in two pieces
			if _, err := w.Write([]byte(piece + "0")); err != nil {
				t.Fatal(err)
			}
		}
		if out.Len() == 0 {
			t.Fatalf("shift %d: the line is held back without a bound", shift)
		}
		_, _ = w.Write([]byte("\n"))
		if strings.Contains(out.String(), secret) || !strings.Contains(out.String(), "[redacted]") {
			t.Fatalf("shift %d: the secret passed", shift)
		}
	}
}

func TestRedactorWhileAdding(t *testing.T) {
	t.Parallel()
	r := policy.NewRedactor()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			secret := strings.Repeat(string(rune('a'+i)), 12)
			r.Add(secret)
			if got := r.Redact("x" + secret); got != "x[redacted]" {
				t.Errorf("got %q", got)
			}
		})
	}
	wg.Wait()
}

// TestUnsettled: a text that comes in pieces, each redacted up to its unsettled end, is
// redacted as the whole is.
func TestUnsettled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(rapid.StringMatching(`[ab]{6,9}`), 1, 4).Draw(t, "secrets")
		r := policy.NewRedactor(secrets...)
		text := rapid.StringMatching(`[ab ]{0,60}`).Draw(t, "text")
		var got strings.Builder
		held := ""
		for rest := text; rest != ""; {
			n := min(rapid.IntRange(1, 12).Draw(t, "piece"), len(rest))
			held += rest[:n]
			rest = rest[n:]
			keep := r.Unsettled(held)
			got.WriteString(r.Redact(held[:len(held)-keep]))
			held = held[len(held)-keep:]
		}
		got.WriteString(r.Redact(held))
		for _, s := range secrets {
			if strings.Contains(got.String(), s) {
				t.Fatalf("%q is left in %q", s, got.String())
			}
		}
		if want := r.Redact(text); got.String() != want {
			t.Fatalf("in pieces %q, at once %q", got.String(), want)
		}
	})
	if n := policy.NewRedactor("a-secret-a").Unsettled("it is a-secret-a"); n != 0 {
		t.Errorf("a secret that ends as it begins is cut %d bytes before its end", n)
	}
	if n := policy.NewRedactor().Unsettled("anything"); n != 0 {
		t.Errorf("without a secret %d bytes wait", n)
	}
	if n := policy.NewRedactor("sk-secret").Unsettled("an ordinary text"); n != 0 {
		t.Errorf("an ordinary text waits with %d bytes", n)
	}
}

// TestFind: the places that are found are those that Redact replaces.
func TestFind(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := policy.NewRedactor(rapid.SliceOfN(rapid.StringMatching(`[ab]{6,9}`), 0, 4).Draw(t, "secrets")...)
		text := rapid.StringMatching(`[ab ]{0,60}`).Draw(t, "text")
		var got strings.Builder
		end := 0
		for _, place := range r.Find(text) {
			got.WriteString(text[end:place[0]] + "[redacted]")
			end = place[1]
		}
		got.WriteString(text[end:])
		if want := r.Redact(text); got.String() != want {
			t.Fatalf("found %v in %q: %q, want %q", r.Find(text), text, got.String(), want)
		}
	})
}
