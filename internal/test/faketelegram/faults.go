package faketelegram

import (
	"net/http"
	"time"
)

// Rule says which requests are harmed, and how. Zero fields match everything.
type Rule struct {
	// Method is the method's name as the table writes it.
	Method string
	// Chat is the chat_id.
	Chat int64
	// Bot is the bot's id.
	Bot int64
	// If looks at the request itself. It must not call the server.
	If func(Request) bool
	// Skip lets so many matching requests pass first; Times bounds how many are
	// harmed after that, 0 means all.
	Skip, Times int

	Fault
}

// Fault is the fault of one request. The zero value is no fault.
type Fault struct {
	// Delay comes before everything else. A client that leaves meanwhile takes
	// its request with it.
	Delay time.Duration
	// DropBefore ends the connection without effect, DropAfter with it.
	DropBefore, DropAfter bool
	// HalfOpen has no effect and no answer, and keeps the connection until the client
	// leaves.
	HalfOpen bool
	// Code, when not 0, refuses the request without effect, in the Bot API's
	// form, with Description and the parameters RetryAfter (seconds) and MigrateTo.
	Code        int
	Description string
	RetryAfter  int
	MigrateTo   int64
	// Body, when not empty, is sent instead of the Bot API's form, as HTML, with status Code.
	Body string
	// Hold passes between effect and answer.
	Hold time.Duration
	// Cut, when above 0, ends the connection after so many bytes of the answer.
	Cut int
}

// TooManyRequests is 429 with retry_after, once; [Chat.Flood] and [Bot.Flood] refuse for a while.
func TooManyRequests(seconds int) Fault {
	no := tooMany(time.Duration(seconds) * time.Second)
	return Fault{Code: no.Code, Description: no.Description, RetryAfter: no.RetryAfter}
}

// BadGateway is 502 with the HTML body of a proxy.
func BadGateway() Fault {
	return Fault{
		Code: http.StatusBadGateway,
		Body: "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n" +
			"</body>\r\n</html>\r\n",
	}
}

// InternalError is 500 in the Bot API's form.
func InternalError() Fault {
	return Fault{Code: http.StatusInternalServerError, Description: "Internal Server Error"}
}

// Conflict is the 409 of a poll that another one ended.
func Conflict() Fault {
	return Fault{Code: http.StatusConflict, Description: wordConflict}
}

// Unauthorized is the 401 of a token that was revoked.
func Unauthorized() Fault {
	return Fault{Code: http.StatusUnauthorized, Description: wordUnauthorized}
}

// Blocked is the 403 after a person blocked the bot; see [Chat.Block] for a person who
// really does.
func Blocked() Fault {
	return Fault{Code: http.StatusForbidden, Description: wordBlocked}
}

// ParseError is the 400 of a text that cannot be parsed.
func ParseError() Fault {
	no := bad(wordEntities + "Unsupported start tag \"x\" at byte offset 0")
	return Fault{Code: no.Code, Description: no.Description}
}

// Refusal is a 400 with the given words.
func Refusal(words string) Fault {
	no := bad(words)
	return Fault{Code: no.Code, Description: no.Description}
}

// Harm adds a rule; the newest that matches wins. The returned function takes it away.
func (s *Server) Harm(r Rule) (heal func()) { return s.rules.Add(r.matches, r.Skip, r.Times, r.Fault) }

func (r *Rule) matches(req *Request) bool {
	return (r.Method == "" || r.Method == req.Method) &&
		(r.Chat == 0 || r.Chat == req.Chat) &&
		(r.Bot == 0 || r.Bot == req.Bot) &&
		(r.If == nil || r.If(*req))
}

// prevents says whether the request has no effect.
func (f *Fault) prevents() bool {
	return f.HalfOpen || f.DropBefore || f.Code != 0
}

// instead acts in the place of effect and answer.
func (f *Fault) instead(w http.ResponseWriter, r *http.Request) {
	switch {
	case f.HalfOpen:
		<-r.Context().Done()
	case f.DropBefore:
		panic(http.ErrAbortHandler)
	case f.Body != "":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Code)
		_, _ = w.Write([]byte(f.Body)) // a client that has gone does not care
	default:
		refuse(w, f.refusal())
	}
}

func (f *Fault) refusal() *refusal {
	return &refusal{Code: f.Code, Description: f.Description, RetryAfter: f.RetryAfter, MigrateTo: f.MigrateTo}
}
