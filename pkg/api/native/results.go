package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// result is what a program says that a call of its own tool gave.
type result struct {
	id, text string
	failed   bool
}

// said is the result as the next turn reads it: content from outside.
func (r *result) said() channels.Said {
	if r.failed {
		r.text = "error: " + r.text
	}
	return channels.Said{Role: providers.RoleTool, CallID: r.id, Text: r.text}
}

// textOf is a JSON value as a text: a string itself, anything else as it is written.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var short bytes.Buffer
	if json.Compact(&short, raw) != nil {
		return string(raw)
	}
	return short.String()
}

// waiting are the calls of the newest answer that has a call with some id.
type waiting struct {
	turn string
	// calls wait for the caller; brought have the result of a later turn. Answered are the results of
	// all, by their calls.
	calls, brought []string
	answered       map[string]string
	wish           *channels.Wish
}

// lookBack is how far behind the end of a chat a call is looked for.
const lookBack = 500

// waitingFor finds the calls of the answer with the call of an id. Calls that were told to
// another program are unknown, as those are that never were.
func waitingFor(ctx context.Context, a *API, p *place, id string) (*waiting, *httpd.Refusal) {
	info, err := a.o.Store.Lookup(ctx, p.at)
	if errors.Is(err, session.ErrNotFound) {
		return nil, notFound()
	}
	if err != nil {
		return nil, a.fault(err)
	}
	w := &waiting{answered: map[string]string{}}
	if err := w.find(ctx, a, info.Session, id); err != nil {
		return nil, a.fault(err)
	}
	program, err := a.o.Store.ProgramOf(ctx, info.Chat, w.turn)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return nil, a.fault(err)
	}
	if err != nil || !program.Calls || program.Credential != p.caller.Credential {
		return nil, notFound()
	}
	w.wish = program.Wish
	return w, nil
}

// find reads the conversation back to the answer with a call.
func (w *waiting) find(ctx context.Context, a *API, conversation, id string) error {
	var calls []providers.ToolCall
	turns, moved, left := map[string]string{}, false, lookBack
	err := a.o.Store.Back(ctx, conversation, 0, func(e session.Entry) bool {
		m := &e.Message
		moved = moved || e.Undone
		switch {
		case e.Summary:
		case m.Role == providers.RoleTool:
			if _, newer := w.answered[m.ToolCallID]; !newer {
				w.answered[m.ToolCallID], turns[m.ToolCallID] = m.Content, e.Turn
			}
		case hasCall(m, id):
			w.turn, calls = e.Turn, m.ToolCalls
			return false
		default:
			moved = true
		}
		left--
		return left > 0
	})
	for i := range calls {
		switch turn, ok := turns[calls[i].ID]; {
		case ok && turn != w.turn:
			w.brought = append(w.brought, calls[i].ID)
		case !ok && !moved:
			w.calls = append(w.calls, calls[i].ID)
		}
	}
	return err
}

func hasCall(m *providers.Message, id string) bool {
	for i := range m.ToolCalls {
		if m.ToolCalls[i].ID == id {
			return true
		}
	}
	return false
}

// settle says what becomes of a result: it waits, it is there already, or it is late.
func (w *waiting) settle(r result) (waits bool, f *httpd.Refusal) {
	if slices.Contains(w.calls, r.id) {
		return true, nil
	}
	if text, ok := w.answered[r.id]; ok && text == r.said().Text {
		return false, nil
	}
	return false, conflict(textLate)
}

func conflict(message string) *httpd.Refusal {
	return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: message}
}

// gathered are the results that came for a turn, until all are there.
type gathered struct {
	turn    string
	results map[string]result
}

// said are the results that are there, in the order of the calls.
func (g *gathered) said(calls []string) (all []channels.Said) {
	for _, id := range calls {
		if one, ok := g.results[id]; ok {
			all = append(all, one.said())
		}
	}
	return all
}

// gather takes one result in. Once the last one that waits is there, all are stored, as the
// next message of the chat: ids are those which are stored then, or were before.
func gather(ctx context.Context, a *API, p *place, g *gathered, r result) (item string, ids []string, f *httpd.Refusal) {
	w, f := waitingFor(ctx, a, p, r.id)
	if f != nil {
		return "", nil, f
	}
	waits, f := w.settle(r)
	if f != nil || !waits {
		return session.InboundItemID(p.at, resultID(p, w.turn)), []string{r.id}, f
	}
	if g.turn != w.turn {
		*g = gathered{w.turn, map[string]result{}}
	}
	if before, ok := g.results[r.id]; ok && before != r {
		return "", nil, conflict(textOtherResult)
	}
	g.results[r.id] = r
	wish := channels.Wish{}
	if w.wish != nil {
		wish = *w.wish
	}
	wish.Said = g.said(w.calls)
	if f := tooLong(&wish); f != nil {
		delete(g.results, r.id)
		return "", nil, f
	}
	if len(wish.Said) < len(w.calls) {
		return "", nil, nil // another one is to come
	}
	s, f := storeResults(ctx, a, p, w.turn, &wish)
	*g = gathered{}
	return s.Message, w.calls, f
}

// tooLong refuses what a program brings along, where that is too much.
func tooLong(w *channels.Wish) *httpd.Refusal {
	if w.SaidSize() <= channels.MaxSaidBytes {
		return nil
	}
	said := fmt.Sprintf(textLongResults, channels.MaxSaidBytes)
	return &httpd.Refusal{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: said}
}

// resultID is the id of the results of a turn's calls: they count once, however they come.
func resultID(p *place, turn string) string {
	return "result/" + keyOf(p.caller.Credential, p.at.Chat, turn)
}

// storeResults stores the results of all calls of a turn, once.
func storeResults(ctx context.Context, a *API, p *place, turn string, wish *channels.Wish) (stored, *httpd.Refusal) {
	whole, err := json.Marshal(wish.Said)
	if err != nil {
		return stored{}, a.fault(err)
	}
	wish.Sum = keyOf(string(whole))
	id := resultID(p, turn)
	item, mark := session.InboundItemID(p.at, id), a.o.Hub.Mark(p.at)
	switch err := a.o.Post(ctx, p.inbound(channels.KindMessage, id, "", wish)); {
	case errors.Is(err, session.ErrTaken):
		return stored{}, conflict(textOtherResult)
	case err != nil:
		return stored{}, a.fault(err)
	}
	return stored{Message: item, After: a.behind(ctx, p, item, mark)}, nil
}

// answerCalls stores the results of a conversation that is sent again, with the words of the person
// behind them.
func answerCalls(ctx context.Context, a *API, p *place, q *request, t *tail) (s stored, f *httpd.Refusal) {
	w, f := waitingFor(ctx, a, p, t.results[0].id)
	if f != nil {
		return s, f
	}
	given, again := map[string]channels.Said{}, 0
	for _, r := range t.results {
		waits, f := w.settle(r)
		if f != nil {
			return s, f
		}
		if !waits {
			again++
		}
		if _, twice := given[r.id]; !twice {
			given[r.id] = r.said()
		}
	}
	if again == len(t.results) { // the same request, whose answer was lost
		item := session.InboundItemID(p.at, resultID(p, w.turn))
		if t.text == "" {
			return stored{Message: item, After: a.behind(ctx, p, item, a.o.Hub.Mark(p.at))}, nil
		}
		switch _, err := a.o.Store.TurnOf(ctx, item); {
		case err == nil: // the store tells whether its words are the same
			w.calls = w.brought
		case !errors.Is(err, session.ErrNotFound):
			return s, a.fault(err)
		}
	}
	for _, id := range w.calls {
		said, ok := given[id]
		if !ok {
			return s, bad("messages", fmt.Sprintf(textUnanswered, id))
		}
		q.brought.Said = append(q.brought.Said, said)
	}
	if len(q.brought.Said) == 0 {
		return s, conflict(textLate)
	}
	if t.text != "" {
		q.brought.Said = append(q.brought.Said, channels.Said{Role: providers.RoleUser, Text: t.text})
	}
	wish, f := a.wish(ctx, p, q)
	if f != nil {
		return s, f
	}
	return storeResults(ctx, a, p, w.turn, wish)
}

// tail is what a conversation has behind the last message of the assistant.
type tail struct {
	text    string
	results []result
}

// sentMessage is a message of a conversation that a program sends again.
type sentMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	CallID  string          `json:"tool_call_id,omitempty"`
	Failed  bool            `json:"is_error,omitempty"`
}

// maxSent is how many messages a conversation has.
const maxSent = 10_000

// conversation reads the messages of a request: the chat has all but the newest.
func (q *request) conversation() (*tail, *httpd.Refusal) {
	t := &tail{}
	var instructions, texts []string
	if len(q.Messages) > maxSent {
		return nil, bad("messages", fmt.Sprintf(textMessages, maxSent))
	}
	for i := range q.Messages {
		m := &q.Messages[i]
		text, f := m.text()
		if f != nil {
			return nil, f
		}
		switch m.Role {
		case "system", "developer":
			instructions = append(instructions, text)
		case providers.RoleUser:
			texts = append(texts, text)
		case providers.RoleTool:
			t.results = append(t.results, result{m.CallID, text, m.Failed})
		case providers.RoleAssistant:
			texts, t.results = nil, nil
		default:
			return nil, bad("messages", textRole)
		}
	}
	if q.Message != "" {
		texts = append(texts, q.Message)
	}
	t.text = strings.TrimSpace(strings.Join(texts, "\n\n"))
	q.brought.Instructions = strings.Join(instructions, "\n\n")
	if len(q.brought.Instructions) > channels.MaxSaidBytes/2 {
		return nil, bad("messages", textLong)
	}
	return t, nil
}

// text is the content of a message: null, a text, parts of text, and for a result any value.
func (m *sentMessage) text() (string, *httpd.Refusal) {
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	switch {
	case len(m.Content) == 0 || string(m.Content) == "null":
		return "", nil
	case m.Content[0] == '"' || m.Role == providers.RoleTool:
		return textOf(m.Content), nil
	case json.Unmarshal(m.Content, &parts) != nil:
		return "", bad("messages", textContent)
	}
	var text strings.Builder
	for _, p := range parts {
		if p.Type != "text" {
			return "", bad("messages", textContent)
		}
		text.WriteString(p.Text)
	}
	return text.String(), nil
}
