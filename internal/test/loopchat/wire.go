package loopchat

import (
	"strings"
	"time"
)

// Update is one message of a person, or a press of a button.
type Update struct {
	ID        int64  `json:"id"`
	Chat      string `json:"chat"`
	Thread    string `json:"thread,omitempty"`
	Sender    string `json:"sender"`
	Text      string `json:"text"`
	MessageID string `json:"message_id"`
	// Press is the data of the button that was pressed below MessageID; else empty.
	Press     string    `json:"press,omitempty"`
	Mentioned bool      `json:"mentioned,omitempty"`
	Time      time.Time `json:"time"`
}

// Updates is the answer to GET /updates?offset=N&timeout=SECONDS.
type Updates struct {
	Updates []Update `json:"updates"`
}

// SendRequest is the body of POST /send.
type SendRequest struct {
	Chat    string `json:"chat"`
	Thread  string `json:"thread,omitempty"`
	Text    string `json:"text"`
	ReplyTo string `json:"reply_to,omitempty"`
	// Edits is the message that takes this text and these buttons; if the chat has no
	// such message, it is a new one.
	Edits   string   `json:"edits,omitempty"`
	Buttons []Button `json:"buttons,omitempty"`
}

// Button is a button that a person may press below a message.
type Button struct {
	Label string `json:"label"`
	Data  string `json:"data"`
}

// SendResponse is the answer to POST /send: a message id with 200, else an
// error, with 429 also the seconds to wait and whether all chats must.
type SendResponse struct {
	MessageID  string  `json:"message_id,omitempty"`
	Error      string  `json:"error,omitempty"`
	RetryAfter float64 `json:"retry_after,omitempty"`
	Account    bool    `json:"account,omitempty"`
}

// GroupPrefix is how the id of a chat with several people begins; every other
// chat is direct, and its one person has the chat's id.
const GroupPrefix = "group"

// Direct says whether a chat has one person only.
func Direct(chat string) bool { return !strings.HasPrefix(chat, GroupPrefix) }
