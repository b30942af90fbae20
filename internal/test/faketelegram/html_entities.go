package faketelegram

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// close makes the entity of a tag with a complete text.
func (p *htmlParser) close(t *openTag) error {
	e := Entity{Offset: t.units, Length: p.units - t.units}
	switch t.name {
	case "b", "strong":
		e.Type = "bold"
	case "i", "em":
		e.Type = "italic"
	case "u", "ins":
		e.Type = "underline"
	case "s", "strike", "del":
		e.Type = "strikethrough"
	case "span", "tg-spoiler":
		e.Type = "spoiler"
	case "blockquote":
		e.Type = "blockquote"
		if _, ok := t.attrs["expandable"]; ok {
			e.Type = "expandable_blockquote"
		}
	case "a":
		return p.closeLink(t, e)
	case "tg-emoji":
		id, err := strconv.ParseInt(t.attrs["emoji-id"], 10, 64)
		if err != nil || id == 0 {
			return says("Invalid custom emoji identifier specified")
		}
		e.Type, e.CustomEmojiID = "custom_emoji", strconv.FormatInt(id, 10)
	case "tg-time":
		return p.closeTime(t, e)
	case "pre", "code":
		p.closeCode(t, e)
		return nil
	}
	p.entities = append(p.entities, e)
	return nil
}

// closeLink makes a link of e, or plain text of one that leads nowhere.
func (p *htmlParser) closeLink(t *openTag, e Entity) error {
	target := t.attrs["href"]
	if target == "" {
		target = p.out.String()[t.bytes:]
	}
	if id, ok := mentioned(target); ok {
		e.Type, e.User = "text_mention", &User{ID: id}
	} else if e.URL = checkedLink(target); e.URL != "" {
		e.Type = "text_link"
	} else {
		return nil
	}
	p.entities = append(p.entities, e)
	return nil
}

// closeTime makes a point in time of e, in a format of: r alone, or w, d or D, t or T.
func (p *htmlParser) closeTime(t *openTag, e Entity) error {
	format := t.attrs["format"]
	if format != "r" && strings.Trim(format, "wWdDtT") != "" {
		return says("Invalid date format used")
	}
	seconds, err := strconv.ParseInt(t.attrs["unix"], 10, 32)
	if err != nil || seconds <= 0 {
		return nil //nolint:nilerr // Telegram drops an invalid time and keeps its text
	}
	e.Type, e.UnixTime, e.DateFormat = "date_time", seconds, format
	p.entities = append(p.entities, e)
	return nil
}

// closeCode makes one entity of a pre and a code with a language around the same text.
func (p *htmlParser) closeCode(t *openTag, e Entity) {
	language := strings.TrimPrefix(t.attrs["class"], "language-")
	e.Type = t.name
	if t.name == "code" {
		e.Language = language
	}
	if n := len(p.entities); n > 0 {
		last := &p.entities[n-1]
		same := last.Offset == e.Offset && last.Length == e.Length
		if same && e.Type == "pre" && last.Type == "code" && last.Language != "" {
			last.Type = "pre"
			return
		}
		if same && e.Type == "code" && last.Type == "pre" && last.Language == "" && language != "" {
			last.Language = language
			return
		}
	}
	p.entities = append(p.entities, e)
}

// sortEntities orders by offset, then the longer, then as Telegram nests them.
func sortEntities(list []Entity) {
	slices.SortStableFunc(list, func(a, b Entity) int {
		return cmp.Or(
			cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Length, a.Length), cmp.Compare(rank(a.Type), rank(b.Type)),
		)
	})
	for i := range list {
		if list[i].Type == "code" {
			list[i].Language = ""
		}
	}
}

// rank says which of two entities around the same text is the outer one.
func rank(kind string) int {
	outer := []string{
		"blockquote", "expandable_blockquote", "pre", "code", "text_link", "text_mention", "", "bold", "italic",
		"underline", "strikethrough", "spoiler", "custom_emoji", "date_time",
	}
	if i := slices.Index(outer, kind); i >= 0 {
		return i
	}
	return slices.Index(outer, "")
}
