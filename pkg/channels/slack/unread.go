package slack

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// What is of no use is kept for whoever runs the app: it may be a kind of event that
// Slack has invented since.

// unreadable is the kind of what cannot be decoded, oversized of what is too large.
const (
	unreadable = "unreadable"
	oversized  = "oversized"
)

// keepUnread hands on an event that nothing is made of, and logs its kind the first
// time.
func (c *Channel) keepUnread(ev *event) {
	if ev.unread == "" {
		return
	}
	if c.unread.first(ev.unread) {
		c.log.Info().Str("kind", ev.unread).Msg("an envelope of no use came: it is kept, and no other of its kind is logged")
	}
	if c.opt.Unread != nil {
		c.opt.Unread(ev.unread, ev.raw)
	}
}

// kind puts together what tells of a kind; what is no word is left out.
func kind(words ...string) string {
	var all []string
	for _, w := range words {
		if isID(w) {
			all = append(all, w)
		}
	}
	if len(all) == 0 {
		return unreadable
	}
	return strings.Join(all, " ")
}

// maxKept is the largest payload that is kept with an item.
const maxKept = 64 << 10

// secretFields are what Slack sends along to act with: no record holds them.
const secretFields = " token response_url response_urls bot_access_token workflow_token action_token trigger_id upload_url "

// bare is a payload without what could be acted with. What is no JSON becomes a
// string.
func bare(raw []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		v = string(raw)
	}
	strip(v)
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}

// strip removes secrets, in whatever case they are written and however deep.
func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if strings.Contains(secretFields, " "+strings.ToLower(name)+" ") {
				delete(v, name)
				continue
			}
			strip(value)
		}
	case []any:
		for _, value := range v {
			strip(value)
		}
	}
}

// kept is the payload that stays with an item; nil where it is too large. Most name
// no secret and stay as they are.
func kept(raw []byte) json.RawMessage {
	if len(raw) > maxKept {
		return nil
	}
	lower := bytes.ToLower(raw)
	for field := range strings.FieldsSeq(secretFields) {
		if bytes.Contains(lower, []byte(field)) {
			return bare(raw)
		}
	}
	if bytes.Contains(lower, []byte(`\u00`)) { // a name may be spelled so
		return bare(raw)
	}
	return raw
}

// kinds are those that were logged.
type kinds struct {
	mu  sync.Mutex
	all map[string]bool
}

// first tells whether a kind is new. After a hundred none is.
func (k *kinds) first(kind string) bool {
	const most = 100
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all[kind] || len(k.all) == most {
		return false
	}
	if k.all == nil {
		k.all = map[string]bool{}
	}
	k.all[kind] = true
	return true
}
