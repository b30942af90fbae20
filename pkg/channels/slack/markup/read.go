package markup

import (
	"strings"
	"unicode"
)

// Read turns the text of a Slack message into plain text. People, channels and groups
// that it refers to are named; name gives a person's display name, or "" if it is
// unknown, and a nil name knows no names. A link is its label with the address in
// brackets, a date its fallback, and &lt; &gt; &amp; are decoded once. A mention of
// the bot at the beginning is left out, with a colon or a comma behind it; bot is the
// bot's user id.
//
// Slack escapes people's text, in code too: a < in the text is always Slack's own,
// and a reference in code is one. A reference that is not closed on its line is kept
// as it stands. Control characters, line ends and marks of direction are removed from
// names and labels. The time is linear in the length of the text.
func Read(text, bot string, name func(user string) string) string {
	text = addressed(strings.ToValidUTF8(text, "\uFFFD"), bot)
	var b strings.Builder
	for {
		at := strings.IndexByte(text, '<')
		if at < 0 {
			break
		}
		end := strings.IndexAny(text[at+1:], "<>\n")
		if end < 0 {
			break
		}
		end += at + 1
		if text[end] != '>' {
			b.WriteString(unescape(text[:end]))
			text = text[end:]
			continue
		}
		b.WriteString(unescape(text[:at]))
		b.WriteString(referred(text[at+1:end], name))
		text = text[end+1:]
	}
	b.WriteString(unescape(text))
	return b.String()
}

// Mentions says whether the text of a Slack message mentions the user, with a label
// or without, in code too: a reference that somebody typed there by hand would have
// come escaped.
func Mentions(text, user string) bool {
	if user == "" {
		return false
	}
	mark := "<@" + user
	for {
		at := strings.Index(text, mark)
		if at < 0 {
			return false
		}
		text = text[at+len(mark):]
		if _, ok := closing(text); ok {
			return true
		}
	}
}

// closing is where a reference ends of which the target has been read.
func closing(rest string) (after string, ok bool) {
	end := strings.IndexAny(rest, "<>\n")
	if end < 0 || rest[end] != '>' || end > 0 && rest[0] != '|' {
		return "", false
	}
	return rest[end+1:], true
}

// addressed is the text without the mention of the bot that it begins with.
func addressed(text, bot string) string {
	rest, found := strings.CutPrefix(strings.TrimLeftFunc(text, unicode.IsSpace), "<@"+bot)
	if bot == "" || !found {
		return text
	}
	after, ok := closing(rest)
	if !ok {
		return text
	}
	after = strings.TrimLeftFunc(after, unicode.IsSpace)
	if after != "" && strings.ContainsRune(":,", rune(after[0])) {
		after = after[1:]
	}
	return strings.TrimLeftFunc(after, unicode.IsSpace)
}

// referred is the text between < and > as a person reads it.
func referred(inside string, name func(user string) string) string {
	target, label, _ := strings.Cut(inside, "|")
	label = oneLine(unescape(label))
	switch {
	case strings.HasPrefix(target, "@"):
		if name != nil {
			if n := oneLine(name(target[1:])); n != "" {
				return "@" + n
			}
		}
		return marked("@", label, target)
	case strings.HasPrefix(target, "#"):
		return marked("#", label, target)
	case strings.HasPrefix(target, "!"):
		command, argument, _ := strings.Cut(target[1:], "^")
		switch command {
		case "subteam":
			group, _, _ := strings.Cut(argument, "^")
			return marked("@", label, "@"+group)
		case "date":
			return label
		}
		return marked("@", label, "@"+command)
	}
	target = oneLine(unescape(target))
	shown := strings.TrimPrefix(target, "mailto:")
	bare := strings.TrimPrefix(strings.TrimPrefix(target, "https://"), "http://")
	if label == "" || label == target || label == shown || label == bare {
		return shown
	}
	return label + " (" + shown + ")"
}

// marked is a label behind its mark, or the text in its place.
func marked(mark, label, otherwise string) string {
	if label = strings.TrimPrefix(label, mark); label != "" {
		return mark + label
	}
	return oneLine(unescape(otherwise))
}

// unescape resolves the three escapes that Slack makes.
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
}

// oneLine is a name without characters that are invisible or move their neighbours.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\u200D': // holds emoji together
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}
