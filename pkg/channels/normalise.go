package channels

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// What [Ingress] lets through at most.
const (
	// MaxText is the longest text in bytes; a longer one is cut and says so.
	MaxText = 1 << 20
	// MaxQuote is the longest quote in bytes.
	MaxQuote = 16 << 10
	// MaxName is the longest display name in code points.
	MaxName = 64
	// MaxImages and MaxImageBytes bound the pictures of one message.
	MaxImages     = 10
	MaxImageBytes = 20 << 20

	maxID  = 256
	maxRaw = 1 << 20
)

func normalise(in Inbound) Inbound {
	in.Text = cut(cleanText(in.Text), MaxText)
	in.Quote = cut(cleanText(in.Quote), MaxQuote)
	in.Sender.Name = cleanName(in.Sender.Name)
	var dropped int
	in.Images, dropped = keepImages(in.Images)
	if dropped > 0 {
		in.Text = cut(in.Text, MaxText-256) + fmt.Sprintf("\n[%d images were left out: too many or too large]", dropped)
	}
	// The store keeps Raw as JSON; what is not JSON would spoil its record.
	if len(in.Raw) > maxRaw || !json.Valid(in.Raw) {
		in.Raw = nil
	}
	if in.Time.IsZero() {
		in.Time = time.Now()
	}
	return in
}

// cleanText makes text valid UTF-8 without NUL; what is neither becomes U+FFFD.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// cut shortens s to limit bytes, its note included, without breaking a code point.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	note := fmt.Sprintf("\n[cut here: the message was %d bytes long]", len(s))
	end := limit - len(note)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + note
}

// cleanName leaves what may stand in a line beside other names: no control or
// invisible formatting characters, no line breaks, at most [MaxName] code points.
func cleanName(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if n == MaxName {
			break
		}
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case unicode.Is(unicode.C, r):
			continue
		}
		b.WriteRune(r)
		n++
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func cleanID(s string) bool {
	if len(s) > maxID || !utf8.ValidString(s) {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return unicode.Is(unicode.C, r) || unicode.In(r, unicode.Zl, unicode.Zp)
	}) < 0
}

func keepImages(images []Image) (kept []Image, dropped int) {
	total := 0
	for _, img := range images {
		if len(kept) == MaxImages || len(img.Data) == 0 || total+len(img.Data) > MaxImageBytes || !cleanID(img.MIME) {
			dropped++
			continue
		}
		total += len(img.Data)
		kept = append(kept, img)
	}
	return kept, dropped
}

// loggable shortens what a stranger wrote.
func loggable(s string) string {
	if len(s) <= maxID {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:maxID], "\uFFFD") + "…"
}
