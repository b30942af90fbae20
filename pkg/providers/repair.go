package providers

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// For an empty tool result, which servers refuse.
	noOutput = "(no output)"
	// For a call that has no result.
	interruptedResult = `{"error":true,"type":"interrupted","message":"interrupted: it is unknown whether it took effect","details":{}}`
	// The longest that OpenAI takes.
	maxCallID   = 40
	maxToolName = 64
)

// Repair makes a stored history acceptable to a model's API, and returns an
// acceptable one unchanged. The given messages are not touched.
//
// In its result, each tool call has exactly one tool message, in call order and
// directly after its assistant message: a result in another place is moved there, a
// missing one is supplied as interrupted, and one without a call is dropped. Call ids
// are unique; a repeated, empty or overlong one is renamed in the call and in its
// result. Tool names are legal. Messages that are empty or have an unknown role are
// dropped, and text is valid UTF-8 without NUL.
func Repair(messages []Message) []Message {
	if sound(messages) {
		return slices.Clip(messages)
	}
	r := repair{ids: make(map[string]bool), open: make(map[string][]slot)}
	for i := range messages {
		r.add(messages[i])
	}
	out := make([]Message, 0, len(messages))
	for i := range r.groups {
		out = append(out, r.groups[i].message)
		out = append(out, r.groups[i].results...)
	}
	return out
}

// sound says that the history needs no repair: this is so for most conversations, and
// every request of a long one asks.
func sound(messages []Message) bool {
	ids := map[string]bool{}
	for i := 0; i < len(messages); {
		m := &messages[i]
		i++
		if !soundMessage(m) || len(m.ToolCalls) > len(messages)-i {
			return false
		}
		for j := range m.ToolCalls {
			c := &m.ToolCalls[j]
			if ids[c.ID] || !soundCall(c) || !answers(&messages[i+j], c) {
				return false
			}
			ids[c.ID] = true
		}
		i += len(m.ToolCalls)
	}
	return true
}

// soundMessage looks at everything of a message but its calls.
func soundMessage(m *Message) bool {
	switch m.Role {
	case RoleUser, RoleSystem:
		if len(m.ToolCalls) > 0 {
			return false
		}
	case RoleAssistant:
	default:
		return false
	}
	blank := len(m.ToolCalls) == 0 && strings.TrimSpace(m.Content) == ""
	return !blank && m.ToolCallID == "" && m.Name == "" && len(m.Images) == 0 && cleanText(m.Content) == m.Content
}

func soundCall(c *ToolCall) bool {
	return c.ID != "" && len(c.ID) <= maxCallID && cleanText(c.ID) == c.ID && c.Type == "function" && cleanName(c.Name) == c.Name &&
		c.BadArguments == "" && c.RawArguments != "" && utf8.ValidString(c.RawArguments) && !strings.Contains(c.RawArguments, `\`)
}

// answers says that m is the result of c, as it should be.
func answers(m *Message, c *ToolCall) bool {
	return m.Role == RoleTool && m.ToolCallID == c.ID && m.Name == c.Name && len(m.ToolCalls) == 0 && len(m.Images) == 0 &&
		m.Reasoning == "" && cleanText(m.Content) == m.Content && strings.TrimSpace(m.Content) != ""
}

// group is a message and, for an assistant's, the results of its calls.
type group struct {
	message Message
	results []Message
}

// slot is the place of one call's result.
type slot struct{ group, call int }

type repair struct {
	groups []group
	ids    map[string]bool   // in use in the result
	open   map[string][]slot // calls by the id that the history gave them
}

func (r *repair) add(m Message) {
	m.Content = cleanText(m.Content)
	m.Name = cleanText(m.Name)
	switch m.Role {
	case RoleTool:
		r.result(m)
	case RoleAssistant:
		m.ToolCallID, m.Name = "", ""
		if len(m.ToolCalls) > 0 || strings.TrimSpace(m.Content) != "" {
			r.assistant(m)
		}
	case RoleSystem, RoleUser:
		m.ToolCalls, m.ToolCallID, m.Name = nil, "", ""
		m.Images = usableImages(m.Images)
		if strings.TrimSpace(m.Content) != "" || len(m.Images) > 0 {
			r.groups = append(r.groups, group{message: m})
		}
	}
}

func (r *repair) assistant(m Message) {
	g := group{message: m}
	at := len(r.groups)
	if len(m.ToolCalls) > 0 {
		g.message.ToolCalls = make([]ToolCall, len(m.ToolCalls))
		g.results = make([]Message, len(m.ToolCalls))
	}
	// Calls of an earlier message are closed for the ids that are given out anew.
	fresh := make(map[string]bool, len(m.ToolCalls))
	for i := range m.ToolCalls {
		c := cleanCall(m.ToolCalls[i])
		if !fresh[c.ID] {
			fresh[c.ID] = true
			r.open[c.ID] = nil
		}
		r.open[c.ID] = append(r.open[c.ID], slot{at, i})
		c.ID = r.uniqueID(c.ID)
		g.message.ToolCalls[i] = c
		g.results[i] = Message{Role: RoleTool, Content: interruptedResult, ToolCallID: c.ID, Name: c.Name}
	}
	r.groups = append(r.groups, g)
}

// result gives a tool message to the first call of its id that is still without one.
func (r *repair) result(m Message) {
	id := cleanText(m.ToolCallID)
	waiting := r.open[id]
	if len(waiting) == 0 {
		return
	}
	r.open[id] = waiting[1:]
	g := &r.groups[waiting[0].group]
	i := waiting[0].call
	if strings.TrimSpace(m.Content) == "" {
		m.Content = noOutput
	}
	m.ToolCallID, m.Name = g.message.ToolCalls[i].ID, g.message.ToolCalls[i].Name
	m.ToolCalls, m.Images, m.Reasoning = nil, nil, ""
	g.results[i] = m
}

// uniqueID gives id where it can stand, or else one that is made from it, the
// same each time the same history is repaired.
func (r *repair) uniqueID(id string) string {
	if id == "" {
		id = "call"
	}
	if len(id) > maxCallID-8 && (len(id) > maxCallID || r.ids[id]) {
		sum := sha256.Sum256([]byte(id))
		id = "call_" + hex.EncodeToString(sum[:10])
	}
	unique := id
	for n := 2; r.ids[unique]; n++ {
		unique = id + "_" + strconv.Itoa(n)
	}
	r.ids[unique] = true
	return unique
}

func cleanCall(c ToolCall) ToolCall {
	c.ID = cleanText(c.ID)
	c.Type = "function"
	c.Name = cleanName(c.Name)
	if c.BadArguments != "" {
		c.RawArguments = cleanText(c.RawArguments)
		return c
	}
	// An escaped NUL or half of a surrogate pair is valid JSON, and yet refused, and
	// so is an object that was encoded twice.
	lower := strings.ToLower(c.RawArguments)
	if strings.Contains(lower, `\u0000`) || strings.Contains(lower, `\ud`) ||
		!utf8.ValidString(c.RawArguments) || strings.HasPrefix(strings.Trim(lower, jsonSpace), `"`) {
		if args, err := decodeAnyLetters(c.RawArguments); err == nil {
			c.Arguments = args // a history keeps the raw ones alone
		}
		c.RawArguments = ""
	}
	if c.RawArguments == "" {
		c.Arguments, _ = cleanValue(c.Arguments).(map[string]any)
	}
	if c.Arguments == nil {
		c.Arguments = map[string]any{}
	}
	return c
}

func cleanValue(v any) any {
	switch v := v.(type) {
	case string:
		return cleanText(v)
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[cleanText(k)] = cleanValue(e)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = cleanValue(e)
		}
		return list
	default:
		return v
	}
}

// cleanText makes s valid UTF-8 (which has no half surrogates) without NUL.
func cleanText(s string) string {
	if !utf8.ValidString(s) { // which is much faster than making it so
		s = strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return s
}

// cleanName makes a name that a server takes of one that the model made up.
func cleanName(s string) string {
	legal := strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '_'
	}, s)
	if legal == "" {
		return "unknown"
	}
	return legal[:min(len(legal), maxToolName)]
}

func usableImages(images []Image) []Image {
	usable := images[:0:0]
	for _, img := range images {
		if img.Path != "" || img.Open != nil || img.URL != "" {
			usable = append(usable, img)
		}
	}
	return usable
}
