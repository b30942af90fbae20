package markup

import (
	"regexp"
	"strings"
	"unicode"
)

// Read turns the text of a Slack message into plain text: what it refers to by
// number is named, links are their addresses, escapes are resolved. A mention of
// the bot at the beginning is left out, with a colon or a comma behind it. bot is
// the bot's user id, name gives a person's display name or "".
//
// The time is linear in the length of the text; what is no reference is kept as
// it stands.
func Read(text, bot string, name func(user string) string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = addressed(text, bot)
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
		b.WriteString(unescape(text[:at]))
		if text[end] != '>' {
			b.WriteString(unescape(text[at:end]))
			text = text[end:]
			continue
		}
		b.WriteString(reference(text[at+1:end], name))
		text = text[end+1:]
	}
	b.WriteString(unescape(text))
	return strings.TrimSpace(b.String())
}

// addressed is the text without the mention of the bot that it begins with.
func addressed(text, bot string) string {
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	inside, found := strings.CutPrefix(rest, "<@"+bot)
	if bot == "" || !found {
		return text
	}
	label, after, closed := strings.Cut(inside, ">")
	if !closed || label != "" && label[0] != '|' {
		return text
	}
	after = strings.TrimLeftFunc(after, unicode.IsSpace)
	if after != "" && strings.ContainsRune(":,", rune(after[0])) {
		after = after[1:]
	}
	return strings.TrimLeftFunc(after, unicode.IsSpace)
}

// reference is what stands between < and > as a person reads it.
func reference(inside string, name func(user string) string) string {
	target, label, _ := strings.Cut(inside, "|")
	label = clean(unescape(label))
	switch {
	case strings.HasPrefix(target, "@"):
		if n := name(target[1:]); n != "" {
			return "@" + clean(n)
		}
		if label != "" {
			return "@" + strings.TrimPrefix(label, "@")
		}
		return target
	case strings.HasPrefix(target, "#"):
		if label != "" {
			return "#" + strings.TrimPrefix(label, "#")
		}
		return target
	case strings.HasPrefix(target, "!"):
		if label != "" {
			return label
		}
		command, _, _ := strings.Cut(target[1:], "^")
		return "@" + command
	}
	target = unescape(target)
	if label == "" || label == target || "mailto:"+label == target {
		return strings.TrimPrefix(target, "mailto:")
	}
	return label + " (" + target + ")"
}

// Mentions says whether the text mentions the user.
func Mentions(text, user string) bool {
	return user != "" && regexp.MustCompile(`<@`+regexp.QuoteMeta(user)+`(\|[^<>]*)?>`).MatchString(text)
}

func unescape(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
}

func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}
