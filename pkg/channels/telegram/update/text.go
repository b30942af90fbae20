package update

import (
	"slices"
	"strings"
	"unicode/utf16"
)

// saying is the text of a message, or its caption, with its entities.
type saying struct {
	text     string
	entities []entity
	// units are the text as entities count it, or nil.
	units []uint16
}

func (m *message) said() saying {
	s := saying{text: m.Text, entities: m.Entities}
	if m.Text == "" {
		s = saying{text: m.Caption, entities: m.CaptionEntities}
	}
	if len(s.entities) > 0 {
		s.units = utf16.Encode([]rune(s.text))
	}
	return s
}

// of is the text under an entity; false where the entity is not within the text.
func (s saying) of(e entity) (string, bool) {
	if e.Offset < 0 || e.Length <= 0 || e.Offset > len(s.units) || e.Length > len(s.units)-e.Offset {
		return "", false
	}
	return string(utf16.Decode(s.units[e.Offset : e.Offset+e.Length])), true
}

// command is the command that the text begins with, and the bot that it names.
func (s saying) command() (length int, name, bot string) {
	for _, e := range s.entities {
		if e.Type != "bot_command" || e.Offset != 0 {
			continue
		}
		if text, ok := s.of(e); ok {
			name, bot, _ = strings.Cut(text, "@")
			return e.Length, name, bot
		}
	}
	return 0, "", ""
}

// addressed says that the text begins with a command that names a bot.
func (s saying) addressed() bool {
	_, _, bot := s.command()
	return bot != ""
}

// names reports whether the text names somebody, perhaps the bot.
func (s saying) names() bool {
	return slices.ContainsFunc(s.entities, func(e entity) bool {
		text, _ := s.of(e)
		return (e.Type == "mention" || e.Type == "bot_command") && strings.Contains(text, "@")
	})
}

// forAnother says that it is a command with another bot's name.
func (s saying) forAnother(me Bot) bool {
	_, _, bot := s.command()
	return bot != "" && !me.named(bot)
}

// mentions says that the text speaks to the bot: it is a command, or names it.
// The one that greets every bot speaks to those alone that it names.
func (s saying) mentions(me Bot) bool {
	if length, name, bot := s.command(); length > 0 && (name != "/start" || bot != "") {
		return true
	}
	for _, e := range s.entities {
		text, ok := s.of(e)
		if !ok {
			continue
		}
		_, name, at := strings.Cut(text, "@")
		switch e.Type {
		case "mention", "bot_command":
			if at && me.named(name) {
				return true
			}
		case "text_mention":
			if e.User != nil && e.User.ID == me.ID {
				return true
			}
		}
	}
	return false
}

// readable is the text with the addresses that links hide, and without the bot's
// own name behind a command.
func (s saying) readable(me Bot) string {
	if s.units == nil {
		return s.text
	}
	var b strings.Builder
	at := 0
	if length, name, bot := s.command(); bot != "" && me.named(bot) {
		b.WriteString(name)
		at = length
	}
	for _, e := range s.entities {
		text, ok := s.of(e)
		if end := e.Offset + e.Length; ok && e.Type == "text_link" && end >= at && isLink(e.URL) && e.URL != text {
			b.WriteString(string(utf16.Decode(s.units[at:end])))
			b.WriteString(" (" + e.URL + ")")
			at = end
		}
	}
	b.WriteString(string(utf16.Decode(s.units[at:])))
	return b.String()
}

func isLink(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}
