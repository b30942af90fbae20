package offline

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"parley/pkg/providers"
)

// maxAsked is how many messages one answer covers; a turn holds no more.
const maxAsked = 20

// turn is everything since the last answer to the person.
type turn struct {
	rounds []round
	// first says that the model has not answered in this conversation with a person
	// before.
	first bool
	// lectured says that the conversation has the long answer to a message that the
	// model did not understand.
	lectured bool
	ids      map[string]bool
	salt     uint32
	// results of calls by their id.
	results map[string]providers.Message
	// looked says that the model has looked for the tools that were not offered.
	looked bool
	// zoneless are calls of the turn before that failed for want of a time zone, for
	// which the person was asked.
	zoneless []call
}

// round is some messages of the person, or of the system, and the calls that the
// model made because of them; the last round may still be without calls.
type round struct {
	asked []providers.Message
	calls []providers.ToolCall
}

// readTurn finds the messages since the last assistant message without calls.
func (p *Provider) readTurn(messages []providers.Message) *turn {
	t := &turn{first: true, ids: map[string]bool{}, results: map[string]providers.Message{}}
	t.zoneless = zoneless(messages)
	start, led := 0, true
	for i := range messages {
		m := &messages[i]
		switch {
		case m.Role == providers.RoleSystem && led:
			start = i + 1
			t.first = t.first && !strings.Contains(m.Content, agentMark)
			continue
		case m.Role == providers.RoleAssistant && len(m.ToolCalls) == 0:
			start, t.first = i+1, false
			t.lectured = t.lectured || strings.Contains(m.Content, misunderstood+":")
		}
		led = false
		for _, c := range m.ToolCalls {
			t.ids[c.ID] = true
		}
	}
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%d", len(messages))
	current := round{}
	for i := start; i < len(messages); i++ {
		m := messages[i]
		_, _ = fmt.Fprintf(h, "\x00%s\x00%s", m.Role, m.Content)
		switch m.Role {
		case providers.RoleAssistant:
			if looks(m.ToolCalls) { // the round goes on, with more tools
				t.looked = true
				continue
			}
			current.calls = m.ToolCalls
			t.rounds = append(t.rounds, current)
			current = round{}
		case providers.RoleTool:
			t.results[m.ToolCallID] = m
		default:
			if !isLimitNotice(m.Content) {
				current.asked = append(current.asked, m)
			}
		}
	}
	current.asked = current.asked[max(0, len(current.asked)-maxAsked):]
	t.rounds = append(t.rounds, current)
	t.salt = h.Sum32()
	return t
}

// agentMark stands in the instructions of a background agent. The report of such an agent
// does not describe the model.
const agentMark = "You are a background agent"

// isLimitNotice knows the sentence with which the loop asks for a last answer.
func isLimitNotice(text string) bool {
	return strings.HasPrefix(strings.ToLower(text), "iteration limit reached")
}

// calls are the tool calls of the open round.
func (t *turn) calls(g *grammar, c choice) ([]providers.ToolCall, error) {
	var out []providers.ToolCall
	add := func(asked, n int, wanted call) error {
		tc, err := wanted.toolCall(t.id(asked, n))
		out = append(out, tc)
		return err
	}
	open := t.rounds[len(t.rounds)-1]
	var missing []string
	for i := range open.asked {
		n := 0
		for _, p := range t.understand(g, open.asked[i]) {
			if p.call == nil {
				continue
			}
			if !c.has(p.call.name) {
				missing = append(missing, p.call.name)
				continue
			}
			if err := add(i, n, *p.call); err != nil {
				return nil, err
			}
			n++
		}
	}
	if len(missing) > 0 && !t.looked && c.has(finder) {
		return t.look(missing)
	}
	if c.required && len(out) == 0 {
		text := ""
		if len(open.asked) > 0 {
			text = open.asked[len(open.asked)-1].Content
		}
		// The index lies beyond every message: the result stands for itself.
		if err := add(len(open.asked), 0, c.invent(text)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// finder is the tool that finds those which are not offered at first.
const finder = "find_tools"

// look is the call that finds tools. The calls of the round follow in the next answer.
func (t *turn) look(names []string) ([]providers.ToolCall, error) {
	tc, err := call{name: finder, args: map[string]any{"query": strings.Join(names, ", ")}}.toolCall(t.id(-1, 0))
	return []providers.ToolCall{tc}, err
}

// looks reports whether an answer was that call, and not one that a person has asked for.
func looks(calls []providers.ToolCall) bool {
	return len(calls) == 1 && calls[0].Name == finder && askedOf(calls[0].ID) < 0
}

// id names the n-th call for the asked-th message of the open round, so that
// the answer to its result finds the message again.
func (t *turn) id(asked, n int) string {
	for salt := t.salt; ; salt++ {
		if id := fmt.Sprintf("call_%08x_%d_%d", salt, asked, n); !t.ids[id] {
			t.ids[id] = true
			return id
		}
	}
}

// askedOf reads the message's number back from the id of a call; -1 where
// another model made the call.
func askedOf(id string) int {
	parts := strings.Split(id, "_")
	if len(parts) != 4 || parts[0] != "call" || len(parts[1]) != 8 {
		return -1
	}
	n, err := strconv.Atoi(parts[2])
	if err != nil {
		return -1
	}
	return n
}

// answer tells everything that the turn has found out, message by message.
func (t *turn) answer(g *grammar, a about, c choice) string {
	var out []string
	introduced := false
	for _, r := range t.rounds {
		byMessage := map[int][]providers.ToolCall{}
		for _, tc := range r.calls {
			n := askedOf(tc.ID)
			if n >= len(r.asked) {
				n = -1
			}
			byMessage[n] = append(byMessage[n], tc)
		}
		for i := range r.asked {
			texts, intro := t.answerOne(t.understand(g, r.asked[i]), byMessage[i], len(byMessage[-1]) > 0, c)
			out = append(out, texts...)
			introduced = introduced || intro
		}
		for _, tc := range byMessage[-1] {
			out = append(out, t.told(tc))
		}
	}
	silent := len(out)
	out = slices.DeleteFunc(out, func(s string) bool { return s == noReply })
	switch {
	case len(out) == 0 && silent > 0:
		return noReply
	case len(out) == 0:
		return a.introduction()
	}
	if t.first && !introduced {
		out = append(out, a.introduction())
	}
	return strings.Join(out, "\n\n")
}

// answerOne answers one message: with its plain pieces as they are, and the results
// of its calls. With elsewhere set, another model made calls for it.
func (t *turn) answerOne(pieces []piece, made []providers.ToolCall, elsewhere bool, c choice) (out []string, introduced bool) {
	for _, p := range pieces {
		introduced = introduced || p.introduces
		switch {
		case p.unknown && t.lectured:
			out = append(out, unknownAgain)
		case p.call == nil:
			t.lectured = t.lectured || p.unknown
			out = append(out, p.text)
		case len(made) > 0 && made[0].Name == p.call.name:
			out = append(out, t.told(made[0]))
			made = made[1:]
		case !elsewhere:
			out = append(out, unavailable(p.call.name, c))
		}
	}
	return out, introduced
}

func (t *turn) told(tc providers.ToolCall) string {
	m, ok := t.results[tc.ID]
	if !ok {
		return fmt.Sprintf(textNoResult, tc.Name)
	}
	if strings.HasPrefix(m.Content, "waiting for approval ") {
		return noReply // the question says it
	}
	return render(tc, m.Content)
}

func unavailable(name string, c choice) string {
	switch _, offered := c.offered[name]; {
	case c.forbidden:
		return fmt.Sprintf(textNoMoreCalls, name)
	case offered:
		return fmt.Sprintf(textOnlyTool, name, c.only)
	case len(c.names) == 0:
		return fmt.Sprintf(textNoTools, name)
	default:
		return fmt.Sprintf(textOtherTools, name, strings.Join(c.names, ", "))
	}
}
