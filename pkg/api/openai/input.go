package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/shelf"
)

// responseRequest is the body of a response, as far as it counts here.
type responseRequest struct {
	Model        string          `json:"model"`
	Input        responseInput   `json:"input"`
	Instructions string          `json:"instructions"`
	Stream       bool            `json:"stream"`
	Tools        json.RawMessage `json:"tools"`
	ToolChoice   json.RawMessage `json:"tool_choice"`
	MaxToolCalls int             `json:"max_tool_calls"`
	Previous     string          `json:"previous_response_id"`
	Conversation conversation    `json:"conversation"`
	Background   bool            `json:"background"`
	Text         struct {
		Format answerFormat `json:"format"`
	} `json:"text"`
}

// responseInput is a text of the user, or a list of items.
type responseInput []responseItem

// UnmarshalJSON implements [json.Unmarshaler].
func (in *responseInput) UnmarshalJSON(raw []byte) error {
	if raw[0] != '"' {
		return json.Unmarshal(raw, (*[]responseItem)(in))
	}
	one := responseItem{Role: roleUser}
	if err := json.Unmarshal(raw, &one.Content.text); err != nil {
		return err
	}
	*in = responseInput{one}
	return nil
}

// responseItem is one item of the input.
type responseItem struct {
	Type      string    `json:"type"`
	Role      string    `json:"role"`
	Content   content   `json:"content"`
	CallID    string    `json:"call_id"`
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
	Output    content   `json:"output"`
	Approval  string    `json:"approval_request_id"`
	Approve   bool      `json:"approve"`
}

// conversation is the name of a chat, or an object with it.
type conversation string

// UnmarshalJSON implements [json.Unmarshaler].
func (c *conversation) UnmarshalJSON(raw []byte) error {
	var named struct {
		ID string `json:"id"`
	}
	if raw[0] == '{' {
		err := json.Unmarshal(raw, &named)
		*c = conversation(named.ID)
		return err
	}
	return json.Unmarshal(raw, (*string)(c))
}

// wish is what the request asks of its turn, and its answers to questions: those behind the last words of the assistant. The turn of an
// answer goes on with its call alone, so that no words follow them.
func (q *responseRequest) wish() (w *channels.Wish, answers []responseItem, f *httpd.Refusal) {
	switch {
	case q.Background:
		return nil, nil, bad("background", textBackground)
	case q.MaxToolCalls < 0:
		return nil, nil, bad("max_tool_calls", textToolCalls)
	}
	w = &channels.Wish{Rounds: q.MaxToolCalls}
	if f := q.Text.Format.take(w, "text.format"); f != nil {
		return nil, nil, f
	}
	system := []string{q.Instructions}
	for i := range q.Input {
		it := &q.Input[i]
		if !it.Content.only(it.Role == roleUser) || !it.Output.only(false) {
			return nil, nil, bad(fmt.Sprintf("input[%d].content", i), textContent)
		}
		switch {
		case it.Type == "mcp_approval_response":
			answers = append(answers, *it)
		case it.Role == roleSystem || it.Role == roleDeveloper:
			system = append(system, it.Content.text)
		case !it.take(w):
			return nil, nil, bad(fmt.Sprintf("input[%d]", i), textInput)
		case it.side() == roleAssistant: // the turn of these answers has said it
			answers = nil
		case len(answers) > 0 && it.side() == roleUser:
			return nil, nil, bad(fmt.Sprintf("input[%d]", i), textBehind)
		}
	}
	w.Instructions = strings.TrimSpace(strings.Join(system, "\n\n"))
	if f := q.tools(w); f != nil {
		return nil, nil, f
	}
	return w, answers, nil
}

// side is the one whose words an item has, or "".
func (it *responseItem) side() string {
	switch {
	case it.Role == roleAssistant, it.Type == "function_call":
		return roleAssistant
	case it.Role == roleUser, it.Type == "function_call_output":
		return roleUser
	default:
		return ""
	}
}

// take adds an item to the words; false for one that is not known. Items of the gateway's own
// calls come back as they were told: the chat knows them, or they are the client's word alone.
func (it *responseItem) take(w *channels.Wish) bool {
	switch it.Type {
	case "", "message":
		if it.Role != roleUser && it.Role != roleAssistant {
			return false
		}
		w.Said = append(w.Said, channels.Said{Role: it.Role, Text: it.Content.text, Pictures: len(it.Content.pictures)})
	case "function_call":
		if n := len(w.Said); n == 0 || w.Said[n-1].Role != roleAssistant {
			w.Said = append(w.Said, channels.Said{Role: roleAssistant})
		}
		s := &w.Said[len(w.Said)-1]
		s.Calls = append(s.Calls, channels.SaidCall{ID: it.CallID, Name: it.Name, Arguments: string(it.Arguments)})
	case "function_call_output":
		w.Said = append(w.Said, channels.Said{Role: roleTool, CallID: it.CallID, Text: it.Output.text})
	case "mcp_call", "mcp_approval_request", "mcp_list_tools", "reasoning":
	default:
		return false
	}
	return true
}

// shown is the part of the request that its answer shows.
func (q *responseRequest) shown() *responseRequest {
	return &responseRequest{Model: q.Model, Instructions: q.Instructions, Stream: q.Stream, Tools: q.Tools, Previous: q.Previous}
}

// pictures are those of all messages.
func (q *responseRequest) pictures() (all []shelf.Picture) {
	for i := range q.Input {
		all = append(all, q.Input[i].Content.pictures...)
	}
	return all
}

// listedTool is a tool of a request: a function, or the gateway as a server of tools.
type listedTool struct {
	function

	Type    string       `json:"type"`
	Label   string       `json:"server_label"`
	Allowed allowedTools `json:"allowed_tools"`
}

// allowedTools are names, or an object with them. Without names, which a missing field and null are, all are allowed.
type allowedTools struct {
	names []string
	// other says that the object chooses by something else than names.
	other bool
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *allowedTools) UnmarshalJSON(raw []byte) error {
	if raw[0] != '{' {
		return json.Unmarshal(raw, &t.names)
	}
	var filter struct {
		Names    []string `json:"tool_names"`
		ReadOnly *bool    `json:"read_only"`
	}
	err := json.Unmarshal(raw, &filter)
	t.names, t.other = filter.Names, filter.Names == nil || filter.ReadOnly != nil
	return err
}

// valid says whether a wish can have the names.
func (t *allowedTools) valid() bool {
	return !t.other && len(t.names) <= channels.MaxWishTools &&
		!slices.ContainsFunc(t.names, func(name string) bool { return !toolName.MatchString(name) })
}

// none says that the list is there and empty.
func (t *allowedTools) none() bool { return t.names != nil && len(t.names) == 0 }

// tools adds the tools and the choice among them to a wish.
func (q *responseRequest) tools(w *channels.Wish) *httpd.Refusal {
	var listed []listedTool
	var all []function
	if len(q.Tools) > channels.MaxSaidBytes { // the answer has them as they came
		return bad("tools", fmt.Sprintf(textTooLong, channels.MaxSaidBytes))
	}
	if len(q.Tools) > 0 && string(q.Tools) != "null" {
		if json.Unmarshal(q.Tools, &listed) != nil {
			return bad("tools", fmt.Sprintf(textTools, channels.MaxCallerTools))
		}
		if len(listed) == 0 {
			all = []function{}
		}
	}
	for i := range listed {
		switch t := &listed[i]; {
		case t.Type == "function":
			all = append(all, t.function)
		case t.Type == "mcp" && t.Label == serverLabel && t.Allowed.valid():
			w.Tools, w.NoTools = append(w.Tools, t.Allowed.names...), w.NoTools || t.Allowed.none()
		case t.Type == "mcp":
			return bad(fmt.Sprintf("tools[%d]", i), fmt.Sprintf(textServer, serverLabel))
		default:
			return bad(fmt.Sprintf("tools[%d].type", i), fmt.Sprintf(textTools, channels.MaxCallerTools))
		}
	}
	if f := takeTools(w, all); f != nil {
		return f
	}
	return takeChoice(w, q.ToolChoice)
}

// responses answers with the items of a turn.
func (a *API) responses(w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
	var q responseRequest
	read, f := a.o.Bodies.Decode(r, &q)
	defer read()
	if f != nil {
		return f
	}
	choice, f := a.choose(c, q.Model)
	if f != nil {
		return f
	}
	wish, answers, f := q.wish()
	if f != nil {
		return f
	}
	wish.Model = choice
	p, f := a.placeOf(r, c)
	if f != nil {
		return f
	}
	p.read = read
	own := p.at.Passing()
	if len(answers) > 0 {
		return a.decide(w, r, p, &q, answers)
	}
	if q.Previous != "" || q.Conversation != "" {
		if own, f = false, a.goesOn(r, p, &q); f != nil {
			return f
		}
	}
	if own {
		f = answered(wish, "input")
	} else {
		newest(wish)
	}
	if f == nil {
		f = cmp.Or(fits(wish, "input"), a.holds(p, wish, "text.format"))
	}
	if f == nil && !own {
		f = a.match(r.Context(), p, wish, "input")
	}
	if f == nil {
		f = p.settle(wish, &q, "input")
	}
	if f != nil {
		return f
	}
	return a.run(w, r, p, p.inbound(p.id, "", wish), newResponse(r.Context(), a, w, p, q.shown()))
}
