package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/shelf"
)

// chatRequest is the body of a chat completion, as far as it counts here.
type chatRequest struct {
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages"`
	Stream        bool          `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools      *[]chatTool     `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	N          *int            `json:"n"`
	Format     answerFormat    `json:"response_format"`
}

type chatMessage struct {
	Role      string     `json:"role"`
	Content   content    `json:"content"`
	ToolCalls []chatCall `json:"tool_calls"`
	CallID    string     `json:"tool_call_id"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

type chatTool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

// arguments are the text of an object; some clients send the object itself.
type arguments string

// UnmarshalJSON implements [json.Unmarshaler].
func (a *arguments) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		return json.Unmarshal(raw, (*string)(a))
	}
	*a = arguments(raw)
	return nil
}

// chatCompletions answers a conversation.
func (a *API) chatCompletions(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
	var q chatRequest
	read, f := a.o.Bodies.Decode(r, &q)
	defer read()
	if f != nil {
		return f
	}
	choice, f := a.choose(c, q.Model)
	if f != nil {
		return f
	}
	wish, f := q.wish()
	if f == nil {
		f = fits(wish, "messages")
	}
	if f == nil {
		f = answered(wish, "messages")
	}
	if f != nil {
		return f
	}
	wish.Model, wish.NoQuestions = choice, a.o.NoQuestions
	p, f := a.placeOf(r, c)
	if f == nil {
		f = a.holds(p, wish, "response_format")
	}
	if f == nil && !p.at.Passing() {
		newest(wish)
		f = a.match(r.Context(), p, wish, "messages")
	}
	if f == nil {
		f = p.settle(wish, &q, "messages")
	}
	if f != nil {
		return f
	}
	p.read = read
	id := "chatcmpl-" + digest(p.item())
	if q.Stream {
		return a.run(w, r, p, p.inbound(p.id, "", wish), newChatStream(r.Context(), w, p.chat(), id, &q))
	}
	return a.run(w, r, p, p.inbound(p.id, "", wish), &chatWhole{api: a, w: w, chat: p.chat(), id: id, model: q.Model})
}

// pictured is the body of a request that may show pictures.
type pictured interface{ pictures() []shelf.Picture }

// settle adds to a wish the sum of its request and the pictures that it shows.
func (p *place) settle(w *channels.Wish, q pictured, param string) *httpd.Refusal {
	if f := p.sum(w, q); f != nil {
		return f
	}
	return p.shows(w, q.pictures(), param)
}

// sum lets a key stand for one request alone.
func (p *place) sum(w *channels.Wish, q any) *httpd.Refusal {
	if !p.keyed {
		return nil
	}
	whole, err := json.Marshal(q)
	if err != nil {
		return bad("", fmt.Sprintf(textBody, err))
	}
	w.Sum = digest(string(whole))
	return nil
}

// wish is what the request asks of its turn.
func (q *chatRequest) wish() (*channels.Wish, *httpd.Refusal) {
	if q.N != nil && *q.N != 1 {
		return nil, bad("n", textChoices)
	}
	w := &channels.Wish{}
	if f := q.Format.take(w, "response_format"); f != nil {
		return nil, f
	}
	var system []string
	for i := range q.Messages {
		m := &q.Messages[i]
		if !m.Content.only(m.Role == roleUser) {
			return nil, bad(fmt.Sprintf("messages[%d].content", i), textContent)
		}
		s := channels.Said{Role: m.Role, Text: m.Content.text, Pictures: len(m.Content.pictures)}
		switch m.Role {
		case roleSystem, roleDeveloper:
			system = append(system, m.Content.text)
			continue
		case roleUser:
		case roleTool:
			s.CallID = m.CallID
		case roleAssistant:
			for j := range m.ToolCalls {
				call := &m.ToolCalls[j]
				s.Calls = append(s.Calls, channels.SaidCall{
					ID: call.ID, Name: call.Function.Name, Arguments: string(call.Function.Arguments),
				})
			}
		default:
			return nil, bad(fmt.Sprintf("messages[%d].role", i), textRole)
		}
		w.Said = append(w.Said, s)
	}
	w.Instructions = strings.Join(system, "\n\n")
	if f := q.tools(w); f != nil {
		return nil, f
	}
	return w, nil
}

// pictures are those of all messages.
func (q *chatRequest) pictures() (all []shelf.Picture) {
	for i := range q.Messages {
		all = append(all, q.Messages[i].Content.pictures...)
	}
	return all
}

// tools adds the tools and the choice among them to a wish.
func (q *chatRequest) tools(w *channels.Wish) *httpd.Refusal {
	var all []function
	if q.Tools != nil {
		all = []function{}
		for i, t := range *q.Tools {
			if t.Type != "function" {
				return bad(fmt.Sprintf("tools[%d].type", i), fmt.Sprintf(textTools, channels.MaxCallerTools))
			}
			all = append(all, t.Function)
		}
	}
	if f := takeTools(w, all); f != nil {
		return f
	}
	return takeChoice(w, q.ToolChoice)
}
