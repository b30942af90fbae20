package policy

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// redacted replaces a secret.
const redacted = "[redacted]"

// minSecret is the shortest secret that is replaced: shorter ones would tear
// ordinary text apart.
const minSecret = 6

// minCore is the shortest piece of base64 that is taken for a secret.
const minCore = 8

// maxLogLine is how much of an unfinished line a redacting writer holds back.
const maxLogLine = 64 << 10

// Redactor replaces the secrets it knows. It may be used from many goroutines.
type Redactor struct {
	mu       sync.RWMutex
	secrets  map[string]int // how often each was added
	forms    []string
	replacer *strings.Replacer
	// begins has the forms by their first byte.
	begins [256][]string
}

// NewRedactor knows the given secrets.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{secrets: map[string]int{}, replacer: strings.NewReplacer()}
	r.add(secrets)
	return r
}

// Add makes one more secret known. One shorter than 6 bytes is ignored.
func (r *Redactor) Add(secret string) { r.add([]string{secret}) }

// Forget takes back one [Redactor.Add]: a secret that is renewed every hour must not leave
// all that it was before.
func (r *Redactor) Forget(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.secrets[secret]--; r.secrets[secret] <= 0 {
		delete(r.secrets, secret)
	}
	r.build()
}

func (r *Redactor) add(secrets []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range secrets {
		if len(s) >= minSecret {
			r.secrets[s]++
		}
	}
	r.build()
}

// build makes the forms of the secrets.
func (r *Redactor) build() {
	r.forms = nil
	for s := range r.secrets {
		r.forms = append(r.forms, formsOf(s)...)
	}
	// At one place the first pair that matches wins, so the longest come first.
	slices.SortFunc(r.forms, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	r.forms = slices.Compact(r.forms)
	pairs := make([]string, 0, 2*len(r.forms))
	r.begins = [256][]string{}
	for _, f := range r.forms {
		pairs = append(pairs, f, redacted)
		r.begins[f[0]] = append(r.begins[f[0]], f)
	}
	r.replacer = strings.NewReplacer(pairs...)
}

// Redact replaces every known secret in s.
func (r *Redactor) Redact(s string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if !r.holds(s) { // nearly always; the replacer copies a text in any case
		return s
	}
	return r.replacer.Replace(s)
}

// holds says whether a form of a secret is in s; the lock is held.
func (r *Redactor) holds(s string) bool {
	for i := range len(s) {
		for _, f := range r.begins[s[i]] {
			if strings.HasPrefix(s[i:], f) {
				return true
			}
		}
	}
	return false
}

// Find returns where the secrets are that Redact replaces, each by its begin and its end, from the left.
func (r *Redactor) Find(s string) (all [][2]int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i := 0; i < len(s); i++ {
		for _, f := range r.begins[s[i]] { // the longest first
			if strings.HasPrefix(s[i:], f) {
				all = append(all, [2]int{i, i + len(f)})
				i += len(f) - 1
				break
			}
		}
	}
	return all
}

// Unsettled is the length of the end of s that may be the beginning of a secret. The text
// before it can be redacted by itself, whatever follows. It goes through s as [Redactor.Redact]
// does, from the left: an end that belongs to a whole secret begins no other one.
func (r *Redactor) Unsettled(s string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i := 0; i < len(s); {
		whole := 0
		for _, f := range r.begins[s[i]] { // the longest first
			if len(f) > len(s)-i && strings.HasPrefix(f, s[i:]) {
				return len(s) - i
			}
			if strings.HasPrefix(s[i:], f) {
				whole = len(f)
				break
			}
		}
		i += max(1, whole)
	}
	return 0
}

// Writer redacts the bytes written to w. It passes on whole lines, so it also finds a
// secret that comes in pieces; a line longer than 64 KiB is passed on in parts that
// do not cut a secret.
func (r *Redactor) Writer(w io.Writer) io.Writer { return &redactingWriter{redactor: r, out: w} }

// longest is the length of the longest form.
func (r *Redactor) longest() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.forms) == 0 {
		return 0
	}
	return len(r.forms[0])
}

type redactingWriter struct {
	redactor *Redactor
	mu       sync.Mutex
	out      io.Writer
	held     []byte
}

func (w *redactingWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = append(w.held, p...)
	if whole := bytes.LastIndexByte(w.held, '\n') + 1; whole > 0 {
		text := w.redactor.Redact(string(w.held[:whole]))
		w.held = slices.Delete(w.held, 0, whole)
		if _, err := io.WriteString(w.out, text); err != nil {
			return 0, err
		}
	}
	if len(w.held) > maxLogLine {
		text := w.redactor.Redact(string(w.held))
		cut := max(0, len(text)-w.redactor.longest())
		w.held = []byte(text[cut:])
		if _, err := io.WriteString(w.out, text[:cut]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// formsOf lists the spellings in which a secret may appear.
func formsOf(secret string) []string {
	inHex := hex.EncodeToString([]byte(secret))
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), inHex, strings.ToUpper(inHex)}
	if quoted, err := json.Marshal(secret); err == nil {
		forms = append(forms, string(quoted[1:len(quoted)-1]))
	}
	var plain strings.Builder
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(secret); err == nil {
		quoted := strings.TrimSuffix(plain.String(), "\n")
		forms = append(forms, quoted[1:len(quoted)-1])
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, enc.EncodeToString([]byte(secret)))
		forms = append(forms, base64Cores(enc, secret)...)
	}
	return forms
}

// base64Cores returns the form of the secret inside longer encoded text, as in basic
// authentication, for each of the three alignments; it leaves out characters that
// also depend on the secret's neighbours.
func base64Cores(enc *base64.Encoding, secret string) []string {
	var cores []string
	for shift := range 3 {
		padded := append(make([]byte, shift), secret...)
		text := enc.WithPadding(base64.NoPadding).EncodeToString(padded)
		first := (shift*8 + 5) / 6
		last := len(padded) * 8 / 6
		if core := text[first:last]; len(core) >= minCore {
			cores = append(cores, core)
		}
	}
	return cores
}
