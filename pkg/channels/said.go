package channels

import (
	"encoding/json"
	"strings"
)

// Said is one message of the conversation that a program brings along with its request.
// Those of the assistant and of tools are claims: nobody here wrote them.
type Said struct {
	// Role is "user", "assistant" or "tool".
	Role string `json:"role"`
	Text string `json:"text,omitempty"`
	// Calls are those of an assistant's message; CallID is the call that a tool's answers.
	Calls  []SaidCall `json:"calls,omitempty"`
	CallID string     `json:"call_id,omitempty"`
	// Pictures is how many of the files of the [Inbound] belong to it; they stand there in the
	// order of the messages.
	Pictures int `json:"pictures,omitempty"`
}

// SaidCall is a call of a tool in a [Said]. Arguments are the text of a JSON object.
type SaidCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// CallerTool is a tool that the program brings along. Parameters are a JSON Schema object.
type CallerTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	// Bound is the tool of the gateway that runs under this name, or "": the program runs it.
	Bound string `json:"bound,omitempty"`
}

// The bounds of what a program brings along.
const (
	// MaxSaid is how many messages, and MaxSaidBytes how much of them and of the tools
	// together; MaxCallerTools is how many tools.
	MaxSaid        = 2048
	MaxSaidBytes   = 1 << 20
	MaxCallerTools = 128
)

// Claimed says that the words hold messages of the assistant or of tools.
func (w *Wish) Claimed() bool {
	if w == nil {
		return false
	}
	for i := range w.Said {
		if w.Said[i].Role != saidUser {
			return true
		}
	}
	return false
}

// UserWords are the words of the person among those that the program brings along.
func (w *Wish) UserWords() string {
	if w == nil {
		return ""
	}
	var all []string
	for i := range w.Said {
		if w.Said[i].Role == saidUser {
			all = append(all, w.Said[i].Text)
		}
	}
	return strings.Join(all, "\n")
}

// Lasting is the part of a wish that goes for what follows from its turn: all but the words.
func (w *Wish) Lasting() *Wish {
	if w == nil || len(w.Said) == 0 {
		return w
	}
	lasting := *w
	lasting.Said = nil
	return &lasting
}

// The roles of a [Said].
const (
	saidUser      = "user"
	saidAssistant = "assistant"
	saidTool      = "tool"
)

// validSaid says whether the words and the tools can be stored.
func (w *Wish) validSaid() bool {
	if len(w.Said) > MaxSaid || len(w.Caller) > MaxCallerTools || !cleanID(w.Model) {
		return false
	}
	if len(w.Schema) > 0 && !json.Valid(w.Schema) {
		return false
	}
	for i := range w.Said {
		if !w.Said[i].valid() {
			return false
		}
	}
	for i := range w.Caller {
		if !w.Caller[i].valid() {
			return false
		}
	}
	return w.SaidSize() <= MaxSaidBytes
}

// SaidSize is what counts for [MaxSaidBytes].
func (w *Wish) SaidSize() int {
	size := len(w.Instructions) + len(w.Schema)
	for i := range w.Said {
		size += len(w.Said[i].Text)
		for _, c := range w.Said[i].Calls {
			size += len(c.Arguments)
		}
	}
	for i := range w.Caller {
		size += len(w.Caller[i].Description) + len(w.Caller[i].Parameters)
	}
	return size
}

func (t *CallerTool) valid() bool {
	return t.Name != "" && len(t.Name) <= maxToolName && cleanID(t.Name) && len(t.Bound) <= maxToolName && cleanID(t.Bound) &&
		(len(t.Parameters) == 0 || json.Valid(t.Parameters))
}

func (s *Said) valid() bool {
	for i := range s.Calls {
		if !cleanID(s.Calls[i].ID) || !cleanID(s.Calls[i].Name) {
			return false
		}
	}
	return (s.Role == saidUser || s.Role == saidAssistant || s.Role == saidTool) && cleanID(s.CallID)
}

// cleaned has words that can be stored and shown.
func (w *Wish) cleaned() *Wish {
	if w == nil || len(w.Said) == 0 && w.Instructions == "" && len(w.Caller) == 0 {
		return w
	}
	c := *w
	c.Instructions = cleanText(c.Instructions)
	c.Said = append([]Said(nil), w.Said...)
	for i := range c.Said {
		c.Said[i].Text = cleanText(c.Said[i].Text)
		c.Said[i].Calls = append([]SaidCall(nil), c.Said[i].Calls...)
		for j := range c.Said[i].Calls {
			c.Said[i].Calls[j].Arguments = cleanText(c.Said[i].Calls[j].Arguments)
		}
	}
	c.Caller = append([]CallerTool(nil), w.Caller...)
	for i := range c.Caller {
		c.Caller[i].Description = cleanText(c.Caller[i].Description)
	}
	return &c
}

// No id of a chat of a person's own begins so.
const (
	PassingID = "once-" // a chat that was made for one request
	LinkedID  = "link-" // a chat of another channel on the page
)

// Passing says that the chat was made for one request, behind the name of its person: it
// has no files, its person's use counts in [Address.Purse], and it is forgotten in time.
func (a Address) Passing() bool {
	return strings.HasPrefix(a.Chat[strings.LastIndexByte(a.Chat, '.')+1:], PassingID) && strings.Contains(a.Chat, ".")
}

// Purse is the chat with the budget that counts for a chat: its own mostly.
func (a Address) Purse() Address {
	if !a.Passing() {
		return a
	}
	return Address{Channel: a.Channel, Account: a.Account, Chat: a.Chat[:strings.LastIndexByte(a.Chat, '.')] + ".once"}
}
