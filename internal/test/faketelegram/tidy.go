package faketelegram

import (
	"strings"
	"unicode/utf16"
)

// tidy cleans a parsed text as Telegram does before it stores it: carriage returns go,
// other control characters become spaces, formatting of white space alone is dropped,
// and white space around the text goes.
func tidy(text string, ents []Entity) (string, []Entity) {
	in := utf16.Encode([]rune(text))
	out := make([]uint16, 0, len(in))
	at := make([]int, len(in)+1) // where each unit went
	for i, c := range in {
		at[i] = len(out)
		switch {
		case c == '\r':
		case c < ' ' && c != '\n' && c != '\t':
			out = append(out, ' ')
		default:
			out = append(out, c)
		}
	}
	at[len(in)] = len(out)
	var kept []Entity
	for _, e := range ents {
		if e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length > len(in) {
			continue
		}
		from, to := at[e.Offset], at[e.Offset+e.Length]
		if strings.TrimSpace(string(utf16.Decode(out[from:to]))) == "" {
			continue
		}
		e.Offset, e.Length = from, to-from
		kept = append(kept, e)
	}
	return trim(out, kept)
}

// trim takes white space off both ends; at the front only unformatted space.
func trim(text []uint16, ents []Entity) (string, []Entity) {
	white := func(c uint16) bool { return c == ' ' || c == '\n' || c == '\t' }
	end := len(text)
	for end > 0 && white(text[end-1]) {
		end--
	}
	start, bound := 0, end
	for _, e := range ents {
		bound = min(bound, e.Offset)
	}
	for start < bound && white(text[start]) {
		start++
	}
	for i := range ents {
		ents[i].Length = min(ents[i].Offset+ents[i].Length, end) - ents[i].Offset
		ents[i].Offset -= start
	}
	return string(utf16.Decode(text[start:end])), ents
}
