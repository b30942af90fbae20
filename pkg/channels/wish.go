package channels

import "encoding/json"

// Wish is what a message asks of the turn that answers it. It only takes away: no field
// gives a turn more rights than it has without. It is stored with the message, so a turn
// that goes on after a crash has the same.
type Wish struct {
	// NoTools takes all tools away. Tools, where it is not empty, are the names of those
	// that stay.
	NoTools bool     `json:"no_tools,omitempty"`
	Tools   []string `json:"tools,omitempty"`
	// Rounds is the most model rounds with tools, where that is below the limit of the
	// gateway; 0 is none.
	Rounds int `json:"rounds,omitempty"`
	// Choice is "auto", "none" or "required", or "tool" for the one that Tool names; "" is
	// the model's own.
	Choice string `json:"choice,omitempty"`
	Tool   string `json:"tool,omitempty"`
	// Level is the most that the turn may use, where the credential of the message has less
	// than its person; "" leaves the person's own.
	Level string `json:"level,omitempty"`
	// Credential names the token or the session that brought the message, or "": it approves
	// no call of the turn that it started.
	Credential string `json:"credential,omitempty"`
	// Sum tells what was asked from anything else under the same id, or is "": the store
	// refuses an item whose id was taken with another one.
	Sum string `json:"sum,omitempty"`
	// Said, where it is not empty, is the message in place of its Text: the conversation as
	// its program tells it, oldest first. Instructions stand behind those of the operator.
	Said         []Said `json:"said,omitempty"`
	Instructions string `json:"instructions,omitempty"`
	// Caller are tools that the program runs: they are offered beside those that stay, and
	// take the place of one with the same name.
	Caller []CallerTool `json:"caller,omitempty"`
	// Model is the name of the choice of a model, where it is not that of the chat.
	Model string `json:"model,omitempty"`
	// Schema is the JSON Schema of the answer's text, or nil; Strict wants it held to the letter.
	Schema json.RawMessage `json:"schema,omitempty"`
	Strict bool            `json:"strict,omitempty"`
	// NoQuestions refuses a call that a person would have to allow, and asks nobody.
	NoQuestions bool `json:"no_questions,omitempty"`
}

// The words of [Wish.Choice].
const (
	ChoiceAuto     = "auto"
	ChoiceNone     = "none"
	ChoiceRequired = "required"
	ChoiceTool     = "tool"
)

// Handed is the part of a wish that work in the background has, which a turn with the wish
// starts: its model, and the credential that it is done for. Nil: there is neither.
func (w *Wish) Handed() *Wish {
	if w == nil || w.Model == "" && w.Credential == "" {
		return nil
	}
	return &Wish{Model: w.Model, Credential: w.Credential}
}

// MaxWishTools is how many tools a [Wish] may name.
const MaxWishTools = 128

// maxToolName is the longest name of a tool.
const maxToolName = 64

// valid says whether a wish can be stored: names of tools are as short as tools have them.
func (w *Wish) valid() bool {
	if w == nil {
		return true
	}
	if len(w.Tools) > MaxWishTools || w.Rounds < 0 || len(w.Tool) > maxToolName || !cleanID(w.Tool) || !cleanID(w.Choice) ||
		!cleanID(w.Level) || !cleanID(w.Credential) || !cleanID(w.Sum) || !w.validSaid() {
		return false
	}
	for _, name := range w.Tools {
		if name == "" || len(name) > maxToolName || !cleanID(name) {
			return false
		}
	}
	return true
}
