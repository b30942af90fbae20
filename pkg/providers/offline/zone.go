package offline

import (
	"encoding/json"
	"maps"
	"strings"

	"parley/pkg/providers"
)

// askZone is the question to the person if a schedule needs a time zone.
const askZone = textWhichZone

// argumentsOf are a call's arguments. Of one that comes out of a history only their
// text is known. They are nil where they cannot be read.
func argumentsOf(tc providers.ToolCall) map[string]any {
	if tc.Arguments != nil {
		return tc.Arguments
	}
	args, _ := providers.DecodeArguments(tc.RawArguments)
	return args
}

// wantsZone gives the arguments of a call that failed for want of a time zone.
func wantsZone(tc providers.ToolCall, result string) (map[string]any, bool) {
	if tc.Name != scheduleTool {
		return nil, false
	}
	args := argumentsOf(tc)
	if _, given := args["timezone"]; args == nil || given {
		return nil, false
	}
	var e struct {
		Error   bool
		Message string
	}
	return args, json.Unmarshal([]byte(result), &e) == nil && e.Error &&
		strings.Contains(e.Message, "time zone") && strings.Contains(e.Message, "ask the person")
}

// zoneless gives the calls of the last turn that wait for the person's time zone:
// until they are made again, or the person speaks of something else. An answer that
// the model did not understand is no word on something else.
func zoneless(messages []providers.Message) []call {
	var out, open []call
	made := map[string]providers.ToolCall{}
	for i := range messages {
		switch m := &messages[i]; {
		case m.Role == providers.RoleTool:
			tc := made[m.ToolCallID]
			if args, ok := wantsZone(tc, m.Content); ok {
				open = append(open, call{name: tc.Name, args: args})
			}
		case m.Role == providers.RoleAssistant && len(m.ToolCalls) == 0:
			if open != nil || !strings.HasPrefix(m.Content, noZone) && !strings.Contains(m.Content, misunderstood) {
				out = open
			}
			open = nil
			clear(made)
		default:
			for _, tc := range m.ToolCalls {
				made[tc.ID] = tc
			}
		}
	}
	return out
}

// understand is the answer to a message in this turn.
func (t *turn) understand(g *grammar, m providers.Message) []piece {
	if len(t.zoneless) == 0 || m.Role != providers.RoleUser || g.relayed.MatchString(m.Content) {
		return g.understand(m)
	}
	zone, place := g.places.where(g.plain(g.prefix.ReplaceAllString(g.unaddressed(strings.TrimSpace(m.Content)), "")))
	switch {
	case zone != "":
		var out []piece
		for _, c := range t.zoneless {
			args := maps.Clone(c.args)
			args["timezone"] = zone
			out = append(out, use(c.name, args)...)
		}
		return out
	case place != "":
		return say(unknownZone(place))
	}
	out := g.understand(m)
	if len(out) == 1 && out[0].unknown {
		return say(misunderstood + ". " + askZone)
	}
	return out
}
