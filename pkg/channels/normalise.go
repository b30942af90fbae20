package channels

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/pkg/text"
)

// The limits of [Ingress].
const (
	// MaxText is the longest text in bytes; a longer one is cut and says so.
	MaxText = 1 << 20
	// MaxQuote is the longest quote in bytes.
	MaxQuote = 16 << 10
	// MaxName is the longest display name in code points.
	MaxName = 64
	// MaxAttachments is how many files may come with one message.
	MaxAttachments = 10

	maxID    = 256
	maxAbout = 1 << 10 // of an attachment, in bytes
	maxRaw   = 1 << 20
)

func normalise(in Inbound) Inbound {
	in.Text = cut(cleanText(in.Text), MaxText)
	in.Wish = in.Wish.cleaned()
	in.Quote = cut(cleanText(in.Quote), MaxQuote)
	in.Sender.Name = cleanName(in.Sender.Name)
	var dropped int
	in.Attachments, dropped = keepAttachments(in.Attachments)
	if dropped > 0 {
		in.Text = cut(in.Text, MaxText-256) + fmt.Sprintf(textFilesLeftOut, dropped)
	}
	// The store keeps Raw as JSON; any other text would spoil its record.
	if len(in.Raw) > maxRaw || !json.Valid(in.Raw) {
		in.Raw = nil
	}
	if in.Time.IsZero() {
		in.Time = time.Now()
	}
	return in
}

// cleanText makes text valid UTF-8 without NUL; all other bytes become U+FFFD.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// cut shortens s to limit bytes, its note included, without breaking a code point.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	note := fmt.Sprintf(textCutHere, len(s))
	return text.Head(s, limit-len(note)) + note
}

// cleanName keeps the characters that may stand in a line beside other names: no
// control or invisible formatting characters, no line breaks, at most [MaxName] code
// points.
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
		if r < utf8.RuneSelf {
			return unicode.IsControl(r)
		}
		return unicode.Is(unicode.C, r) || unicode.In(r, unicode.Zl, unicode.Zp)
	}) < 0
}

// keepAttachments leaves out attachments beyond the limit and those that cannot be
// trusted.
func keepAttachments(all []Attachment) (kept []Attachment, dropped int) {
	for _, a := range all {
		clean := cleanID(a.Ref) && cleanID(a.Name) && cleanID(a.ID) && cleanID(a.Type) && a.Ref != ""
		if len(kept) == MaxAttachments || !clean || len(a.About) > maxAbout || a.Size < 0 {
			dropped++
			continue
		}
		a.About = strings.Join(strings.Fields(cleanText(a.About)), " ")
		kept = append(kept, a)
	}
	return kept, dropped
}

// loggable shortens a stranger's text.
func loggable(s string) string {
	return text.ClipBytes(s, maxID)
}
