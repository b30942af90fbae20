package providers

const (
	messageTokens = 4    // the server's overhead for every message
	imageTokens   = 1000 // a picture of usual size, whatever its bytes
)

// EstimateTokens guesses how many tokens m costs, without a tokenizer: four
// bytes of prose or three bytes of tool output and arguments to a token. Ids and
// names count as far as [Repair] keeps them.
func EstimateTokens(m Message) int {
	prose, machine := len(m.Content), 0
	if m.Role == RoleTool {
		prose, machine = 0, len(m.Content)
	}
	machine += len(m.Extra)
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		machine += min(len(c.ID), maxCallID) + min(len(c.Name), maxToolName) + len(c.RawArguments) + len(c.Extra)
		if c.RawArguments == "" {
			machine += argumentBytes(c.Arguments)
		}
	}
	return messageTokens + (prose+proseBytes-1)/proseBytes + (machine+machineBytes-1)/machineBytes + imageTokens*len(m.Images)
}

// argumentBytes is about how long v is as JSON.
func argumentBytes(v any) int {
	n := 2
	switch v := v.(type) {
	case string:
		n += len(v)
	case map[string]any:
		for k, e := range v {
			n += len(k) + 4 + argumentBytes(e)
		}
	case []any:
		for _, e := range v {
			n += 1 + argumentBytes(e)
		}
	default:
		n += 4
	}
	return n
}
