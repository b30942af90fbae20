package faketelegram

import (
	"regexp"
	"slices"
	"strings"
)

// AutoLinks are the links that Telegram makes by itself of addresses in a text
// that do not lead to the web: it does so outside of code and of other links.
// Those to the web, names, numbers and the like are left out: they do no harm.
func AutoLinks(text string, entities []Entity) []Entity {
	if !strings.Contains(text, "://") {
		return nil
	}
	address := regexp.MustCompile(`(?i)(?:tg|ton|tonsite|ftp)://[a-z0-9._-]{1,253}(?:[/?#][^\s\x{2000}-\x{206f}<>«»"]*)?`)
	var found []Entity
	for _, at := range address.FindAllStringIndex(text, -1) {
		link := strings.TrimRight(text[at[0]:at[1]], ".:;,('?!`")
		e := Entity{Type: "url", Offset: units(text[:at[0]]), Length: units(link)}
		if !slices.ContainsFunc(entities, func(old Entity) bool { return old.excludes(e) }) {
			found = append(found, e)
		}
	}
	return found
}

// excludes says that there is no link at l because of e.
func (e Entity) excludes(l Entity) bool {
	switch e.Type {
	case "code", "pre", "text_link", "text_mention":
		return e.Offset < l.Offset+l.Length && l.Offset < e.Offset+e.Length
	}
	return false
}
