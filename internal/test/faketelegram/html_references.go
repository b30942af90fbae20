package faketelegram

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// reference decodes the character reference that s begins with; n is its length, 0 without one.
func reference(s string) (r rune, n int) {
	if !strings.HasPrefix(s, "&") {
		return 0, 0
	}
	if strings.HasPrefix(s, "&#") {
		return numbered(s)
	}
	end := 1
	for end < len(s) && ('a' <= s[end]|0x20 && s[end]|0x20 <= 'z') {
		end++
	}
	switch s[1:end] {
	case "lt":
		r = '<'
	case "gt":
		r = '>'
	case "amp":
		r = '&'
	case "quot":
		r = '"'
	default:
		return 0, 0
	}
	return r, semicolon(s, end)
}

// maxReference is where the digits of a reference must have ended.
const maxReference = 10

func numbered(s string) (r rune, n int) {
	digits, base, start := "0123456789", 10, 2
	if strings.HasPrefix(s, "&#x") {
		digits, base, start = "0123456789abcdefABCDEF", 16, 3
	}
	end := start
	for end < len(s) && strings.IndexByte(digits, s[end]) >= 0 {
		end++
	}
	code, err := strconv.ParseUint(s[start:end], base, 32)
	if err != nil || code == 0 || code >= utf8.MaxRune || end >= maxReference {
		return 0, 0
	}
	return rune(code), semicolon(s, end)
}

func semicolon(s string, end int) int {
	if end < len(s) && s[end] == ';' {
		return end + 1
	}
	return end
}
