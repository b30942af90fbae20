package gemini

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

const (
	// For an empty tool result.
	noOutput = "(no output)"
	// For a conversation that begins with the model: the protocol wants the first word to
	// be a person's.
	beginning = "(the beginning of this conversation is left out)"
	// For a picture of a kind that the models refuse.
	oddPicture = "[a picture of a kind that this model cannot see: %s]"
)

// The speakers of a conversation. Contents of one speaker that follow each other are
// one; the results of calls stay apart from a person's words, because the server counts
// them against the calls before.
const (
	speakerPerson  = "user"
	speakerModel   = "model"
	speakerResults = "results"
)

// contents writes the messages of a request.
type contents struct {
	*exchange.Body

	form     form
	mark     exchange.Mark
	pictures exchange.Pictures
	known    quirks

	speaker string // of the content that is open
	parts   int    // in it
	begun   int    // contents
	calls   map[string]openCall
}

// openCall is a call of the model's last message.
type openCall struct{ id, name string }

// write writes the value of "contents". The messages are without the instructions.
func (c *contents) write(messages []providers.Message) {
	c.Text = append(c.Text, '[')
	for i := range messages {
		m := &messages[i]
		switch m.Role {
		case providers.RoleAssistant:
			c.answer(m)
		case providers.RoleTool:
			c.result(m)
		default:
			c.question(m)
		}
	}
	if c.begun == 0 {
		c.text(speakerPerson, beginning, "")
	}
	c.close()
	c.Text = append(c.Text, ']')
}

// part begins a part of a speaker's content.
func (c *contents) part(speaker string) {
	if c.begun == 0 && speaker != speakerPerson {
		c.text(speakerPerson, beginning, "")
	}
	if speaker != c.speaker {
		c.close()
		if c.begun > 0 {
			c.Text = append(c.Text, ',')
		}
		role := speaker
		if speaker == speakerResults {
			role = speakerPerson
		}
		c.Text = append(c.Text, `{"role":"`...)
		c.Text = append(c.Text, role...)
		c.Text = append(c.Text, `","parts":[`...)
		c.speaker, c.parts = speaker, 0
		c.begun++
	}
	if c.parts > 0 {
		c.Text = append(c.Text, ',')
	}
	c.parts++
}

func (c *contents) close() {
	if c.speaker != "" {
		c.Text = append(c.Text, `]}`...)
	}
	c.speaker = ""
}

// text writes a part of text. The server refuses one that is empty and unsigned.
func (c *contents) text(speaker, text, signature string) {
	if strings.TrimSpace(text) == "" && signature == "" {
		return
	}
	c.part(speaker)
	c.Text = append(c.Text, `{"text":`...)
	c.Text = exchange.AppendString(c.Text, text)
	c.sign(signature)
	c.Text = append(c.Text, '}')
}

// sign adds a signature to the part that is open.
func (c *contents) sign(signature string) {
	if signature != "" {
		c.Text = append(c.Text, `,"thoughtSignature":`...)
		c.Text = exchange.AppendString(c.Text, signature)
	}
}

// question writes a person's message with its pictures.
func (c *contents) question(m *providers.Message) {
	for i := range m.Images {
		if size, ok := c.pictures.Carried(&m.Images[i]); ok {
			c.picture(&m.Images[i], size)
		}
	}
	c.text(speakerPerson, c.pictures.Text(m), "")
}

// picture writes a picture: its file, or its URL where it has no size.
func (c *contents) picture(img *providers.Image, size int64) {
	if !pictureKind(img.MIME) {
		c.text(speakerPerson, fmt.Sprintf(oddPicture, img.MIME), "")
		return
	}
	c.part(speakerPerson)
	if size == 0 {
		c.Text = append(c.Text, `{"fileData":{"mimeType":`...)
		c.Text = exchange.AppendString(c.Text, img.MIME)
		c.Text = append(c.Text, `,"fileUri":`...)
		c.Text = exchange.AppendString(c.Text, img.URL)
		c.Text = append(c.Text, `}}`...)
		return
	}
	c.Text = append(c.Text, `{"inlineData":{"mimeType":`...)
	c.Text = exchange.AppendString(c.Text, img.MIME)
	c.Text = append(c.Text, `,"data":"`...)
	c.Picture(img, size)
	c.Text = append(c.Text, `"}}`...)
}

// pictureKind says whether the models take pictures of a kind; they refuse others.
func pictureKind(mime string) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif":
		return true
	default:
		return false
	}
}

// answer writes an answer of the model, each signature with its part.
func (c *contents) answer(m *providers.Message) {
	c.calls = make(map[string]openCall, len(m.ToolCalls))
	extras := make([]callExtra, len(m.ToolCalls))
	for i := range m.ToolCalls {
		extras[i] = unwrapCall(c.mark, m.ToolCalls[i].Extra)
	}
	order := layoutOf(c.mark, m)
	if c.known.foreign {
		order, extras = unsign(order, extras)
	}
	if len(extras) > 0 && !signed(order, extras) && c.known.checks(c.mark.Model) {
		extras[0].Signature = skipCheck
	}
	text, thought, call := m.Content, m.Reasoning, 0
	for _, p := range order {
		switch p.Kind {
		case pieceText:
			c.text(speakerModel, text[:p.Bytes], p.Signature)
			text = text[p.Bytes:]
		case pieceThought:
			c.thought(thought[:p.Bytes], p.Signature)
			thought = thought[p.Bytes:]
		case pieceCall:
			c.call(&m.ToolCalls[call], extras[call])
			call++
		}
	}
}

// thought writes a signed thought. Those without a signature are for display.
func (c *contents) thought(text, signature string) {
	if signature == "" {
		return
	}
	c.part(speakerModel)
	c.Text = append(c.Text, `{"thought":true,"text":`...)
	c.Text = exchange.AppendString(c.Text, text)
	c.sign(signature)
	c.Text = append(c.Text, '}')
}

func (c *contents) call(call *providers.ToolCall, e callExtra) {
	open := openCall{id: e.ID, name: wireName(call.Name)}
	if open.id == "" && c.form.sendsIDs() {
		open.id = call.ID
	}
	if c.known.noIDs {
		open.id = ""
	}
	c.calls[call.ID] = open
	c.part(speakerModel)
	c.Text = append(c.Text, `{"functionCall":{`...)
	c.identify(open)
	c.Text = append(c.Text, `,"args":`...)
	c.Text = append(c.Text, argumentsOf(call)...)
	c.Text = append(c.Text, '}')
	c.sign(e.Signature)
	c.Text = append(c.Text, '}')
}

// identify writes the name of a call and, where it has one, its id.
func (c *contents) identify(o openCall) {
	c.Text = append(c.Text, `"name":`...)
	c.Text = exchange.AppendString(c.Text, o.name)
	if o.id != "" {
		c.Text = append(c.Text, `,"id":`...)
		c.Text = exchange.AppendString(c.Text, o.id)
	}
}

// result writes the result of a call.
func (c *contents) result(m *providers.Message) {
	open, ok := c.calls[m.ToolCallID]
	if !ok {
		return // the server refuses a result without its call
	}
	delete(c.calls, m.ToolCallID)
	output := m.Content
	if strings.TrimSpace(output) == "" {
		output = noOutput
	}
	c.part(speakerResults)
	c.Text = append(c.Text, `{"functionResponse":{`...)
	c.identify(open)
	c.Text = append(c.Text, `,"response":{"result":`...)
	c.Text = exchange.AppendString(c.Text, output)
	c.Text = append(c.Text, `}}}`...)
}

// argumentsOf gives the arguments as the model wrote them if that is an object.
func argumentsOf(c *providers.ToolCall) string {
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

// wireName makes a name legal, which a model of another protocol may have made up: it
// begins with a letter or an underscore.
func wireName(name string) string {
	if name == "" {
		return "unknown"
	}
	if c := name[0]; c == '-' || c >= '0' && c <= '9' {
		return "_" + name
	}
	return name
}

// unsign takes the signatures of a message away.
func unsign(l layout, calls []callExtra) (layout, []callExtra) {
	plain := layout{}
	for _, p := range l {
		plain = append(plain, piece{Kind: p.Kind, Bytes: p.Bytes})
	}
	for i := range calls {
		calls[i].Signature = ""
	}
	return plain, calls
}
