package native

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// request is the body of a new message.
type request struct {
	Message string `json:"message"`
	// Messages are the conversation as the program has it, up to the message. Calls in it are claims:
	// those of the store count.
	Messages []sentMessage `json:"messages,omitempty"`
	// EnableTools of false and an empty list of Tools take all tools away.
	EnableTools *bool           `json:"enable_tools"`
	Tools       wanted          `json:"tools"`
	Rounds      *int            `json:"max_tool_iterations"`
	Choice      json.RawMessage `json:"tool_choice"`
	// Model answers instead of the one of the chat.
	Model string `json:"model,omitempty"`
	// Files are the ids of uploads of the chat.
	Files []string `json:"files,omitempty"`
	// Alone makes the message a turn of its own, also where it could join the one that is running.
	Alone bool `json:"alone,omitempty"`

	brought Brought
	keyed   bool // its id is the client's
}

// sum is the same for two requests only where they ask for the same.
func (q *request) sum() (string, *httpd.Refusal) {
	whole, err := json.Marshal(q)
	if err == nil && !q.brought.empty() {
		var more []byte
		more, err = json.Marshal(q.brought)
		whole = append(whole, more...)
	}
	if err != nil {
		return "", bad("", fmt.Sprintf(textBody, err))
	}
	sum := sha256.Sum256(whole)
	return hex.EncodeToString(sum[:sumBytes]), nil
}

// sumBytes is how much of a hash tells keys and requests apart.
const sumBytes = 16

// stored is the answer to a new message: its id, and the id from which its events follow.
type stored struct {
	Chat    string `json:"chat"`
	Message string `json:"message"`
	After   string `json:"after"`
}

// post stores a message of a person.
func (a *API) post(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	var q request
	if f := httpd.Decode(r, &q); f != nil {
		return f
	}
	if strings.HasPrefix(p.id, channels.PassingID) {
		return bad("chat", textPassing)
	}
	id, f := inboundID(r, p)
	if f != nil {
		return f
	}
	q.keyed = len(r.Header.Values(keyHeader)) > 0
	t := &tail{}
	if q.Messages != nil {
		if t, f = q.conversation(); f != nil {
			return f
		}
		q.Message = t.text
	}
	var s stored
	if len(t.results) > 0 {
		if len(q.Files) > 0 {
			return bad("files", textOwnFiles)
		}
		s, f = answerCalls(r.Context(), a, p, &q, t)
	} else {
		s, f = say(r.Context(), a, p, id, &q)
	}
	if f != nil {
		return f
	}
	s.Chat = r.PathValue("chat")
	return a.accepted(w, s)
}

// say stores a message under its key, which takes no other one where it is the client's.
func say(ctx context.Context, a *API, p *place, id string, q *request) (s stored, f *httpd.Refusal) {
	if q.Message == "" && len(q.brought.Said) == 0 && len(q.brought.Pictures) == 0 && len(q.Files) == 0 {
		return s, bad("message", textNoMessage)
	}
	if f := a.mayCommand(p, q.Message); f != nil {
		return s, f
	}
	wish, f := a.wish(ctx, p, q)
	if f != nil {
		return s, f
	}
	if q.keyed {
		if wish.Sum, f = q.sum(); f != nil {
			return s, f
		}
	}
	m := p.inbound(channels.KindMessage, id, q.Message, wish)
	m.Solo = q.Alone
	item, after := session.InboundItemID(p.at, id), a.o.Hub.Mark(p.at)
	if m.Attachments, f = (filing{a}).filesFor(ctx, p, q, item); f != nil {
		return s, f
	}
	switch err := a.o.Post(ctx, m); {
	case errors.Is(err, session.ErrTaken):
		return s, conflict(textOtherBody)
	case err != nil:
		return s, a.fault(err)
	}
	return stored{Message: item, After: a.behind(ctx, p, item, after)}, nil
}

// behind is the id from which a program follows its message. One that is sent again may be
// answered already: its events are before the mark, or are gone, and none would come.
func (a *API) behind(ctx context.Context, p *place, item, mark string) string {
	if begun, ok := a.o.Hub.MarkOf(p.at, item); ok {
		return begun
	}
	if _, err := a.o.Store.Waits(ctx, item); errors.Is(err, session.ErrNotFound) {
		return events.Lost
	}
	return mark
}

// mayCommand refuses commands for which a token lacks a right: a message that is one does the same
// as the route that asks for the right.
func (a *API) mayCommand(p *place, text string) *httpd.Refusal {
	if !p.program {
		return nil
	}
	switch name, arg := a.o.Command(text); name {
	case commandTool:
		if !p.caller.May(httpd.RightCallTools) {
			return forbidden(textNoCallTools)
		}
	case commandModel:
		if _, ok := listed(p.caller.Models, arg); arg != "" && !ok {
			return forbidden(fmt.Sprintf(textNoModel, arg))
		}
	}
	return nil
}

// The commands that need a right of a token's own.
const (
	commandTool  = "tool"
	commandModel = "model"
	commandStop  = "stop" // the page has a button for it
)

// model is the model of a request: the named one, where its caller may choose it. A token with a
// list has no other: where the chat's is not in the list, the first of the list that there is
// answers.
func (a *API) model(ctx context.Context, p *place, name string) (string, *httpd.Refusal) {
	if name == "" && p.program && len(p.caller.Models) == 0 {
		return "", nil
	}
	own, err := a.modelAt(ctx, p)
	if err != nil {
		return "", a.fault(err)
	}
	all := a.o.Models()
	may := all
	if p.program {
		may = p.caller.Models
	}
	if name != "" {
		chosen, ok := listed(may, name)
		if ok {
			chosen, ok = listed(all, chosen)
		} else if len(may) == 0 && strings.EqualFold(name, own) {
			return "", nil
		}
		if !ok {
			return "", forbidden(fmt.Sprintf(textNoModel, name))
		}
		return chosen, nil
	}
	if _, ok := listed(may, own); ok || len(may) == 0 {
		return "", nil
	}
	for _, other := range may {
		if chosen, ok := listed(all, other); ok {
			return chosen, nil
		}
	}
	return "", forbidden(fmt.Sprintf(textNoModel, own))
}

// modelAt is the name of the model that answers in a chat.
func (a *API) modelAt(ctx context.Context, p *place) (string, error) {
	info, err := a.o.Store.Lookup(ctx, p.at)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return "", err
	}
	return a.o.ModelAt(p.at, info.Model), nil
}

// listed finds a name in a list; people write it in small and large letters.
func listed(all []string, name string) (string, bool) {
	i := slices.IndexFunc(all, func(m string) bool { return strings.EqualFold(m, name) })
	if i < 0 {
		return "", false
	}
	return all[i], true
}

// stop ends the running turn of a chat.
func (a *API) stop(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	id, f := inboundID(r, p)
	if f != nil {
		return f
	}
	if err := a.o.Post(r.Context(), p.inbound(channels.KindMessage, id, "/"+commandStop, &channels.Wish{})); err != nil {
		return a.fault(err)
	}
	return a.answer(w, http.StatusAccepted, stored{
		Chat: r.PathValue("chat"), Message: session.InboundItemID(p.at, id), After: a.o.Hub.Mark(p.at),
	})
}

// inbound is something that the person of a place sends. The wish has the level and the name of the
// credential.
func (p *place) inbound(kind channels.Kind, id, text string, wish *channels.Wish) channels.Inbound {
	wish.Level, wish.Credential = string(p.caller.Level), p.caller.Credential
	return channels.Inbound{
		ID: id, Kind: kind, Address: p.at, Sender: p.sender, Text: text, Direct: true, MessageID: id, Time: time.Now(), Wish: wish,
	}
}

// wish reads the options of a request, with its model. They only narrow.
func (a *API) wish(ctx context.Context, p *place, q *request) (*channels.Wish, *httpd.Refusal) {
	w := &channels.Wish{Tools: q.Tools.names}
	w.NoTools = q.EnableTools != nil && !*q.EnableTools || q.Tools.none()
	offered := offeredFor(ctx, a, p, q)
	if f := q.Tools.check(offered); f != nil {
		return nil, f
	}
	if q.Rounds != nil {
		if *q.Rounds < 1 || *q.Rounds > a.o.Rounds {
			return nil, bad("max_tool_iterations", fmt.Sprintf(textRounds, a.o.Rounds))
		}
		w.Rounds = *q.Rounds
	}
	if f := choose(w, q.Choice); f != nil {
		return nil, f
	}
	w.Said, w.Caller, w.Instructions = q.brought.Said, q.brought.Caller, q.brought.Instructions
	if !w.NoTools {
		w.Caller = append(w.Caller, q.Tools.own...)
	}
	var f *httpd.Refusal
	w.Model, f = a.model(ctx, p, q.Model)
	return w, cmp.Or(tooLong(w), bound(w, offered), f)
}

// bound refuses the choice of a tool that there is not; one that the program has under a name of
// its own is the gateway's.
func bound(w *channels.Wish, offered []string) *httpd.Refusal {
	if w.Choice != channels.ChoiceTool {
		return nil
	}
	i := slices.IndexFunc(w.Caller, func(t channels.CallerTool) bool { return t.Name == w.Tool })
	switch {
	case i >= 0 && w.Caller[i].Bound != "":
		w.Tool = w.Caller[i].Bound
	case i < 0 && !slices.Contains(offered, w.Tool):
		return bad("tool_choice", fmt.Sprintf(textToolName, w.Tool))
	}
	return nil
}

// offeredFor are the tools that a request may name; it is not asked for one that names none.
func offeredFor(ctx context.Context, a *API, p *place, q *request) []string {
	if !q.Tools.given && len(q.Choice) == 0 {
		return nil
	}
	return a.offered(ctx, p)
}

// choose reads tool_choice. Without a choice among tools there are none.
func choose(w *channels.Wish, raw json.RawMessage) *httpd.Refusal {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var word string
	var named struct {
		Name string `json:"name"`
	}
	switch {
	case json.Unmarshal(raw, &word) == nil && (word == channels.ChoiceAuto || word == channels.ChoiceRequired):
		w.Choice = word
	case word == channels.ChoiceNone:
		w.NoTools = true
	case json.Unmarshal(raw, &named) == nil && named.Name != "":
		w.Choice, w.Tool = channels.ChoiceTool, named.Name
	default:
		return bad("tool_choice", textChoice)
	}
	return nil
}

// keyHeader has the client's key of a message.
const keyHeader = "Idempotency-Key"

// inboundID is the key of a message: the client's, within its credential and its chat, or a new one.
func inboundID(r *http.Request, p *place) (string, *httpd.Refusal) {
	keys := r.Header.Values(keyHeader)
	if len(keys) == 0 {
		return "post/" + rand.Text(), nil
	}
	const longest = 200
	if len(keys) > 1 || keys[0] == "" || len(keys[0]) > longest {
		return "", bad(keyHeader, textKey)
	}
	return "key/" + keyOf(p.caller.Credential, r.Method+r.URL.Path, p.at.Chat, keys[0]), nil
}

// keyOf is one key for several parts.
func keyOf(parts ...string) string {
	sum := sha256.New()
	for _, s := range parts {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(s), s)
	}
	return hex.EncodeToString(sum.Sum(nil)[:sumBytes])
}
