package fakeslack

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// mention finds texts that notify somebody in mrkdwn and in a markdown block, in code
// as well: only entities are known to take the meaning away
// (docs.slack.dev/messaging/formatting-message-text).
var mention = regexp.MustCompile(`<(?:@([UW][A-Z0-9]+)|(!channel|!here|!everyone|!group)|!subteam\^([A-Z0-9]+))(?:\|[^<>]*)?>`)

// named finds texts that notify with link_names or parse=full.
var named = regexp.MustCompile(`@(channel|here|everyone)\b`)

// notifies is whom a message would notify, by its text and its blocks.
func (e *entry) notifies() []string {
	texts := []string{e.text, e.markdown}
	var all []string
	add := func(who string) {
		if who != "" && !slices.Contains(all, who) {
			all = append(all, who)
		}
	}
	for _, raw := range e.blocks {
		var v any
		if json.Unmarshal(raw, &v) == nil {
			collect(v, &texts, add)
		}
	}
	for _, text := range texts {
		for _, m := range mention.FindAllStringSubmatch(text, -1) {
			add(m[1] + m[2] + m[3])
		}
		if !e.linked {
			continue
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			add("!" + m[1])
		}
	}
	return all
}

// collect finds the texts in a block that are parsed, and whom rich text names.
func collect(v any, texts *[]string, add func(string)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			collect(item, texts, add)
		}
	case map[string]any:
		str := func(name string) string { s, _ := v[name].(string); return s }
		switch str("type") {
		case "plain_text", "raw_text", "text", "link":
			return
		case "user":
			add(str("user_id"))
		case "usergroup":
			add(str("usergroup_id"))
		case "broadcast":
			add("!" + str("range"))
		}
		if t := str("text"); t != "" {
			*texts = append(*texts, t)
		}
		for _, item := range v {
			if _, leaf := item.(string); !leaf {
				collect(item, texts, add)
			}
		}
	}
}

// Notified is whom the bot's messages have notified since the start, deleted and
// edited ones too: ids of users and user groups, and !channel, !here, !everyone.
func (s *Server) Notified() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notified)
}

// shows books the effect of a new version of the bot's message e on people. The lock is
// held.
func (s *Server) shows(e *entry) {
	if shown := s.read(e); len(e.versions) == 0 || e.versions[len(e.versions)-1] != shown {
		e.versions = append(e.versions, shown)
	}
	for _, who := range e.notifies() {
		if !slices.Contains(s.notified, who) {
			s.notified = append(s.notified, who)
		}
	}
}

// unfurl notes a violation where a message with a link would show its preview.
func (c *call) unfurl(e *entry) {
	if c.param("unfurl_links") == "false" && c.param("unfurl_media") == "false" {
		return
	}
	text := e.text + string(encode(e.blocks))
	if strings.Contains(text, "http://") || strings.Contains(text, "https://") {
		c.srv.Note(c.req.Method + " of a link without unfurl_links and unfurl_media being false")
	}
}
