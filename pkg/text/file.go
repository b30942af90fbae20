package text

import (
	"fmt"
	"path"
	"strings"
	"unicode"
)

// FileName is the last element of a name that a person chose, on one line, without
// the characters that file systems forbid, and at most 120 bytes long; "" where no
// character is left.
func FileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.C, r):
			return -1
		case strings.ContainsRune(`/:*?"<>|[]`, r):
			return '_'
		default:
			return r
		}
	}, path.Base(strings.ReplaceAll(name, `\`, "/")))
	name = strings.TrimLeft(strings.Join(strings.Fields(name), " "), ". ")
	const most = 120
	if len(name) <= most {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > most/10 {
		ext = ""
	}
	return Head(name, most-len(ext)) + ext
}

// FileSize is a number of bytes in round figures, a kB being 1,000 of them; "" where
// the number is not known.
func FileSize(n int64) string {
	switch {
	case n <= 0:
		return ""
	case n == 1:
		return "1 byte"
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000*1000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
}
