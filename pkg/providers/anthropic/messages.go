package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// The conversation is encoded here and put before the SDK's text: most of it are plain
// texts, which need no reflection, pictures are read while the request is sent, and the
// tools' schemas come encoded.

const (
	// The text of an empty tool result, which the server refuses.
	noOutput = "(no output)"
	// The person's part in a conversation that begins with the model's, and in one that
	// ends with it: the protocol wants a person's word at both ends.
	beginning = "(the beginning of this conversation is left out)"
	proceed   = "(go on)"
)

// The texts in place of a picture that the server refuses, and the most bytes of one that
// it takes: they are 5 MiB in base64.
const (
	oddPicture   = "[a picture of a kind that this model cannot see: %s]"
	largePicture = "[a picture that is too large for this model]"
	maxPicture   = 5 << 20 / 4 * 3
)

// pictureKinds are the kinds of pictures that the server takes.
func pictureKinds() []string { return []string{"image/jpeg", "image/png", "image/gif", "image/webp"} }

// writer writes the messages of a request.
type writer struct {
	*exchange.Body

	mark     exchange.Mark
	pictures exchange.Pictures
	known    quirks
	// forgetful leaves earlier thinking out.
	forgetful bool

	role     string // of the message that is open
	begun    int    // messages
	blocks   int    // of the open message
	markable bool   // the last block may have a marker
}

// write writes the value of "messages". The messages are without the instructions.
func (w *writer) write(messages []providers.Message, unfinished []part) {
	w.Text = append(w.Text, '[')
	old := oldHistory(messages)
	for i := range messages {
		m := &messages[i]
		switch m.Role {
		case providers.RoleAssistant:
			w.answer(m)
		case providers.RoleTool:
			w.result(m)
		default:
			w.question(m)
		}
		if i == old {
			w.cache()
		}
	}
	w.cache()
	for i := range unfinished {
		w.opaque(unfinished[i].opaque)
	}
	if w.begun == 0 || w.role == providers.RoleAssistant && len(unfinished) == 0 {
		w.text(providers.RoleUser, proceed)
	}
	w.close()
	w.Text = append(w.Text, ']')
}

// oldHistory is the index of the last message that the next turn begins with, too: the one
// before the gateway's notes, or before the newest message of a person. It is -1 if there
// is no such message.
func oldHistory(messages []providers.Message) int {
	newest := 0
	for i := range slices.Backward(messages) {
		switch {
		case messages[i].Aside:
			return i - 1
		case messages[i].Role == providers.RoleUser && newest == 0:
			newest = i
		}
	}
	return newest - 1
}

// block begins a block of a role. Messages of one role that follow each other are one.
func (w *writer) block(role string) {
	if w.begun == 0 && role != providers.RoleUser {
		w.text(providers.RoleUser, beginning)
	}
	if role != w.role {
		w.close()
		if w.begun > 0 {
			w.Text = append(w.Text, ',')
		}
		w.Text = append(w.Text, `{"role":"`...)
		w.Text = append(w.Text, role...)
		w.Text = append(w.Text, `","content":[`...)
		w.role, w.blocks = role, 0
		w.begun++
	}
	if w.blocks > 0 {
		w.Text = append(w.Text, ',')
	}
	w.blocks++
	w.markable = true
}

func (w *writer) close() {
	if w.role != "" {
		w.Text = append(w.Text, `]}`...)
	}
	w.role = ""
}

// cache marks the end of the last block.
func (w *writer) cache() {
	if !w.markable {
		return
	}
	w.markable = false
	w.Text = append(w.Text[:len(w.Text)-1], w.known.marker()...)
	w.Text = append(w.Text, '}')
}

// text writes a block of text. The server refuses a blank one.
func (w *writer) text(role, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	w.block(role)
	w.Text = append(w.Text, `{"type":"text","text":`...)
	w.Text = exchange.AppendString(w.Text, text)
	w.Text = append(w.Text, '}')
}

// opaque writes a block of an answer as it came.
func (w *writer) opaque(raw json.RawMessage) {
	w.block(providers.RoleAssistant)
	w.Text = append(w.Text, raw...)
	w.markable = false
}

// answer writes an earlier answer.
func (w *writer) answer(m *providers.Message) {
	var l layout
	if !w.forgetful {
		l = unwrap(w.mark, m)
	}
	for _, p := range partsOf(m, l) {
		switch p.kind {
		case kindText:
			w.text(providers.RoleAssistant, p.text)
		case kindCall:
			w.call(&m.ToolCalls[p.call])
		default:
			w.opaque(p.opaque)
		}
	}
}

func (w *writer) call(c *providers.ToolCall) {
	w.block(providers.RoleAssistant)
	w.Text = append(w.Text, `{"type":"tool_use","id":`...)
	w.Text = exchange.AppendString(w.Text, wireID(c.ID))
	w.Text = append(w.Text, `,"name":`...)
	w.Text = exchange.AppendString(w.Text, c.Name)
	w.Text = append(w.Text, `,"input":`...)
	w.Text = append(w.Text, inputOf(c)...)
	w.Text = append(w.Text, '}')
}

// inputOf gives the arguments as the model wrote them if that is an object. Undecodable
// ones are left out: the server takes an object alone.
func inputOf(c *providers.ToolCall) string {
	if c.BadArguments != "" {
		return "{}"
	}
	if raw := strings.TrimSpace(c.RawArguments); strings.HasPrefix(raw, "{") && json.Valid([]byte(raw)) {
		return raw
	}
	b, err := json.Marshal(c.Arguments)
	if err != nil || c.Arguments == nil {
		return "{}"
	}
	return string(b)
}

// wireID gives the id of a call as the protocol takes it. Ids of other servers may have
// other letters; such a one is translated, the same in the call and in its result.
func wireID(id string) string {
	legal := id != "" && strings.IndexFunc(id, func(c rune) bool {
		return c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}) < 0
	if legal {
		return id
	}
	const bytes = 12
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:bytes])
}

// result writes the result of a call. All results of an answer are in one message.
func (w *writer) result(m *providers.Message) {
	content := m.Content
	if strings.TrimSpace(content) == "" {
		content = noOutput
	}
	w.block(providers.RoleUser)
	w.Text = append(w.Text, `{"type":"tool_result","tool_use_id":`...)
	w.Text = exchange.AppendString(w.Text, wireID(m.ToolCallID))
	w.Text = append(w.Text, `,"content":`...)
	w.Text = exchange.AppendString(w.Text, content)
	w.Text = append(w.Text, '}')
}

// question writes a person's message with its pictures.
func (w *writer) question(m *providers.Message) {
	for i := range m.Images {
		if size, ok := w.pictures.Carried(&m.Images[i]); ok {
			w.picture(&m.Images[i], size)
		}
	}
	w.text(providers.RoleUser, w.pictures.Text(m))
}

// picture writes a picture: its file, or its URL where it has no size.
func (w *writer) picture(img *providers.Image, size int64) {
	switch {
	case size > maxPicture:
		w.text(providers.RoleUser, largePicture)
		return
	case size > 0 && !slices.Contains(pictureKinds(), img.MIME):
		w.text(providers.RoleUser, fmt.Sprintf(oddPicture, img.MIME))
		return
	}
	w.block(providers.RoleUser)
	if size == 0 {
		w.Text = append(w.Text, `{"type":"image","source":{"type":"url","url":`...)
		w.Text = exchange.AppendString(w.Text, img.URL)
		w.Text = append(w.Text, `}}`...)
		return
	}
	w.Text = append(w.Text, `{"type":"image","source":{"type":"base64","media_type":`...)
	w.Text = exchange.AppendString(w.Text, img.MIME)
	w.Text = append(w.Text, `,"data":"`...)
	w.Picture(img, size)
	w.Text = append(w.Text, `"}}`...)
}
