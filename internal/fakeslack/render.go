package fakeslack

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
)

// blockView is what is looked at of a block.
type blockView struct {
	Type      string            `json:"type"`
	BlockID   string            `json:"block_id"`
	Text      json.RawMessage   `json:"text"`
	Fields    []json.RawMessage `json:"fields"`
	Elements  []json.RawMessage `json:"elements"`
	Accessory json.RawMessage   `json:"accessory"`
}

// textView is a text object, or a markdown block's string.
type textView struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (b blockView) text() textView {
	var t textView
	if json.Unmarshal(b.Text, &t.Text) == nil {
		return textView{Type: "markdown", Text: t.Text}
	}
	if json.Unmarshal(b.Text, &t) != nil {
		return textView{}
	}
	return t
}

// read is what a person reads of e. The lock is held.
func (s *Server) read(e *entry) string {
	if len(e.blocks) == 0 {
		return s.plain(e.text)
	}
	var parts []string
	for _, raw := range e.blocks {
		var b blockView
		if json.Unmarshal(raw, &b) != nil {
			continue
		}
		if t := s.shown(b.text()); t != "" {
			parts = append(parts, t)
		}
		inner := b.Fields
		if b.Type == "context" {
			inner = append(inner, b.Elements...)
		}
		for _, raw := range inner {
			var t textView
			if json.Unmarshal(raw, &t) == nil && t.Text != "" {
				parts = append(parts, s.shown(t))
			}
		}
	}
	return strings.Join(parts, "\n")
}

func (s *Server) shown(t textView) string {
	switch t.Type {
	case "mrkdwn":
		return s.plain(t.Text)
	case "markdown":
		return s.plainMarkdown(t.Text)
	}
	return t.Text
}

// control finds Slack's control sequences: <@U…>, <#C…>, <!…>, <URL>, each with a label or without.
var control = regexp.MustCompile(`<([^<>|]+)(?:\|([^<>]*))?>`)

// plain is mrkdwn as a person reads it: control sequences by their labels,
// formatting taken away, entities resolved. The lock is held.
func (s *Server) plain(text string) string {
	text = control.ReplaceAllStringFunc(text, func(found string) string {
		m := control.FindStringSubmatch(found)
		switch m[1][0] {
		case '@':
			return "@" + s.display(m[1][1:])
		case '#':
			return "#" + m[2]
		case '!':
			if m[2] != "" {
				return m[2]
			}
			return "@" + m[1][1:]
		}
		if m[2] != "" {
			return m[2]
		}
		return m[1]
	})
	return html.UnescapeString(text)
}

func (s *Server) plainMarkdown(text string) string { return s.plain(text) }
