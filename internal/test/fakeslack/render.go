package fakeslack

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
)

// blockView is the part of a block that is looked at.
type blockView struct {
	Type      string              `json:"type"`
	BlockID   string              `json:"block_id"`
	Text      json.RawMessage     `json:"text"`
	Fields    []json.RawMessage   `json:"fields"`
	Elements  []json.RawMessage   `json:"elements"`
	Accessory json.RawMessage     `json:"accessory"`
	Rows      [][]json.RawMessage `json:"rows"`
	AltText   string              `json:"alt_text"`
}

// textView is a text object, or a markdown block's string.
type textView struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (b *blockView) text() textView {
	var t textView
	if json.Unmarshal(b.Text, &t.Text) == nil {
		return textView{Type: "markdown", Text: t.Text}
	}
	if json.Unmarshal(b.Text, &t) != nil {
		return textView{}
	}
	return t
}

// read is the text that a person reads of e: its blocks, or else its text. Spaces
// without width are not seen. The lock is held.
func (s *Server) read(e *entry) string {
	return strings.ReplaceAll(s.written(e), "\u200b", "")
}

// written is read with the invisible characters. The lock is held.
func (s *Server) written(e *entry) string {
	if e.streaming {
		return s.plainMarkdown(e.markdown)
	}
	if len(e.blocks) == 0 {
		return s.plain(e.text)
	}
	var parts []string
	for _, raw := range e.blocks {
		var b blockView
		if json.Unmarshal(raw, &b) != nil {
			continue
		}
		for _, part := range s.readBlock(&b) {
			if part != "" {
				parts = append(parts, part)
			}
		}
	}
	return strings.Join(parts, "\n")
}

// readBlock is the text that a person reads of a block, without its buttons. The lock
// is held.
func (s *Server) readBlock(b *blockView) []string {
	parts := []string{s.shown(b.text())}
	inner := b.Fields
	switch b.Type {
	case "context":
		inner = append(inner, b.Elements...)
	case "rich_text":
		parts = append(parts, s.richPlain(b.Elements))
	case "image":
		parts = append(parts, b.AltText)
	case "table":
		for _, row := range b.Rows {
			var cells []string
			for _, cell := range row {
				cells = append(cells, s.cell(cell))
			}
			parts = append(parts, strings.Join(cells, " | "))
		}
	}
	for _, raw := range inner {
		var t textView
		if json.Unmarshal(raw, &t) == nil {
			parts = append(parts, s.shown(t))
		}
	}
	return parts
}

// cell is the text that a person reads of a table's cell. The lock is held.
func (s *Server) cell(raw json.RawMessage) string {
	var c struct {
		textView
		Elements []json.RawMessage `json:"elements"`
	}
	if json.Unmarshal(raw, &c) != nil {
		return ""
	}
	return c.Text + s.richPlain(c.Elements)
}

// richPlain is the text that a person reads of the elements of a rich text. The lock is
// held.
func (s *Server) richPlain(elements []json.RawMessage) string {
	var b strings.Builder
	for _, raw := range elements {
		var e struct {
			Type     string            `json:"type"`
			Text     string            `json:"text"`
			URL      string            `json:"url"`
			UserID   string            `json:"user_id"`
			Range    string            `json:"range"`
			Elements []json.RawMessage `json:"elements"`
		}
		if json.Unmarshal(raw, &e) != nil {
			continue
		}
		switch {
		case e.Type == "user":
			b.WriteString("@" + s.display(e.UserID))
		case e.Type == "broadcast":
			b.WriteString("@" + e.Range)
		case e.Type == "link" && e.Text == "":
			b.WriteString(e.URL)
		default:
			b.WriteString(e.Text + s.richPlain(e.Elements))
		}
	}
	return b.String()
}

// shown is the text that a person reads of a text object. The lock is held.
func (s *Server) shown(t textView) string {
	switch t.Type {
	case "mrkdwn":
		return s.plain(t.Text)
	case "markdown":
		return s.plainMarkdown(t.Text)
	}
	return t.Text
}

// control finds Slack's control sequences, each with a label or without:
// <@U…>, <#C…>, <!…>, <URL> (docs.slack.dev/messaging/formatting-message-text).
var control = regexp.MustCompile(`<([^<>|\s\\][^<>|\\]*)(?:\|([^<>]*))?>`)

// plain is mrkdwn as a person reads it: control sequences by their labels,
// formatting taken away, entities resolved. The lock is held.
func (s *Server) plain(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "```") {
		if i%2 == 1 {
			b.WriteString(strings.Trim(part, "\n"))
			continue
		}
		for j, piece := range strings.Split(part, "`") {
			if j%2 == 0 {
				piece = unformatted(quote.ReplaceAllString(piece, ""))
			}
			b.WriteString(piece)
		}
	}
	text = control.ReplaceAllStringFunc(b.String(), func(found string) string {
		m := control.FindStringSubmatch(found)
		return s.label(m[1], m[2])
	})
	return html.UnescapeString(text)
}

// label is the shown text of a control sequence. The lock is held.
func (s *Server) label(target, label string) string {
	switch {
	case label != "" && target[0] != '@' && target[0] != '#':
		return label
	case target[0] == '@':
		return "@" + s.display(target[1:])
	case target[0] == '#':
		if r := s.rooms[target[1:]]; label == "" && r != nil {
			label = r.name
		}
		return "#" + label
	case target[0] == '!':
		return "@" + target[1:]
	}
	return target
}

// quote finds the sign of a quoted line.
var quote = regexp.MustCompile(`(?m)^> ?`)

// These find bold, italic and struck text: their signs stand at the edges of words.
var (
	bold   = regexp.MustCompile(`(^|[^\pL\pN*])\*([^\s*](?:[^*\n]*[^\s*])?)\*($|[^\pL\pN*])`)
	italic = regexp.MustCompile(`(^|[^\pL\pN_])_([^\s_](?:[^_\n]*[^\s_])?)_($|[^\pL\pN_])`)
	struck = regexp.MustCompile(`(^|[^\pL\pN~])~([^\s~](?:[^~\n]*[^\s~])?)~($|[^\pL\pN~])`)
)

// unformatted takes the signs of formatting away.
func unformatted(text string) string {
	for _, style := range []*regexp.Regexp{bold, italic, struck} {
		for {
			next := style.ReplaceAllString(text, "$1$2$3")
			if next == text {
				break
			}
			text = next
		}
	}
	return text
}
