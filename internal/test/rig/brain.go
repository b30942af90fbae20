package rig

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley/pkg/providers"
)

const (
	askMark    = "nq"
	answerMark = "rq"
	nonceLen   = 12
	scriptMark = "do:"
	// How the agent tells its model that background work has ended.
	taskMark = "[background task]"
	// Lines of the answer hold that many of a [Script]'s words.
	wordsInLine = 5
)

// Script is an ask's wish to the model, written into the ask as do:JSON.
type Script struct {
	// Rounds are the calls of each of the model's answers before the last.
	Rounds [][]ScriptCall `json:"rounds,omitempty"`
	// Parts are put into the last answer, in bold, each followed by a block of code
	// with its [Script.Words].
	Parts []string `json:"parts,omitempty"`
	// Pad is about how many bytes of words follow each part.
	Pad int `json:"pad,omitempty"`
	// Quiet answers with the parts alone: for asks that go to a background agent or a
	// job, with answers that are not for the person's ask.
	Quiet bool `json:"quiet,omitempty"`
}

// Words are the words that follow one of the script's parts in the answer to the
// ask with that nonce. They are found nowhere else.
func (s Script) Words(nonce string, part int) []string {
	var words []string
	for size := 0; size < s.Pad; size += len(words[len(words)-1]) + 1 {
		words = append(words, fmt.Sprintf("w%s.%d.%d", nonce, part, len(words)))
	}
	return words
}

// ScriptCall is one tool call of a [Script].
type ScriptCall struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

// Text is the ask's text for a script. Words in the script are not asks: a call may
// carry another ask in its arguments.
func (s Script) Text() string {
	b, err := json.Marshal(s)
	if err != nil {
		return err.Error() // only values that JSON has no words for
	}
	return scriptMark + string(b)
}

// Ask is a whole ask: the script and the nonce.
func (s Script) Ask(nonce string) string { return s.Text() + " " + askMark + nonce }

// CallID is the id that the model gives to a call of an ask's script.
func CallID(nonce string, round, index int) string {
	return fmt.Sprintf("call_%s_%d_%d", nonce, round, index)
}

// Brain is a model that answers the asks of the suites. It keeps no state between
// requests but the tool results that it was told.
type Brain struct {
	mu      sync.Mutex
	results map[string]string
}

// NewBrain returns a brain without memory.
func NewBrain() *Brain { return &Brain{results: map[string]string{}} }

// Result is the model's last news of a call, and whether it had any.
func (b *Brain) Result(callID string) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.results[callID]
	return r, ok
}

// open is an ask that no last answer has followed yet.
type open struct {
	nonce  string
	script Script
	round  int // how many of its rounds were called
}

// Decide gives the next answer of a conversation: the calls that are due for the open
// asks, or one text that answers all of them and tells of background work that has
// ended, or NO_REPLY; and the nonces of the open asks.
func (b *Brain) Decide(messages []providers.Message) (resp *providers.LLMResponse, nonces []string) {
	var asks []*open
	var ended []string
	for i := range messages {
		switch m := &messages[i]; m.Role {
		case providers.RoleUser:
			if strings.HasPrefix(m.Content, taskMark) {
				ended = append(ended, untold(m.Content)...)
				continue
			}
			asks = appendAsks(asks, m.Content)
		case providers.RoleAssistant:
			if len(m.ToolCalls) == 0 {
				asks, ended = nil, nil
			}
			for _, c := range m.ToolCalls {
				called(asks, c.ID)
			}
		case providers.RoleTool:
			b.told(m.ToolCallID, m.Content)
		}
	}
	for _, o := range asks {
		nonces = append(nonces, o.nonce)
	}
	if calls := due(asks); len(calls) > 0 {
		return &providers.LLMResponse{ToolCalls: calls, FinishReason: providers.FinishToolCalls}, nonces
	}
	text := strings.Join(append(answers(asks), ended...), "\n")
	if text == "" {
		text = "NO_REPLY"
	}
	return &providers.LLMResponse{Content: text, FinishReason: providers.FinishStop}, nonces
}

// untold gives the result of a background task of which the person was not told.
func untold(text string) []string {
	marks := map[string]string{"has not been told": "\nResult:\n", "has not seen its report": "\nReport:\n"}
	for mark, begins := range marks {
		if head, result, ok := strings.Cut(text, begins); ok && strings.Contains(head, mark) {
			return []string{"ended: " + result}
		}
	}
	return nil
}

func (b *Brain) told(callID, result string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results[callID] = result
}

func appendAsks(asks []*open, text string) []*open {
	var script Script
	if before, after, has := strings.Cut(text, scriptMark); has {
		// Other text is no ask.
		if d := json.NewDecoder(strings.NewReader(after)); d.Decode(&script) == nil {
			text = before + after[d.InputOffset():]
		}
	}
	_, after, ok := strings.Cut(text, askMark)
	for ; ok; _, after, ok = strings.Cut(after, askMark) {
		if isNonce(after) {
			asks = append(asks, &open{nonce: after[:nonceLen], script: script})
		}
	}
	return asks
}

// isNonce says whether a text begins with a nonce. The mark alone does not decide: the
// id of a job or a task may hold its letters.
func isNonce(text string) bool {
	return len(text) >= nonceLen && strings.Trim(text[:nonceLen], "0123456789abcdef") == ""
}

func called(asks []*open, callID string) {
	for _, o := range asks {
		var round int
		rest, ok := strings.CutPrefix(callID, "call_"+o.nonce+"_")
		if !ok {
			continue
		}
		if _, err := fmt.Sscanf(rest, "%d", &round); err == nil {
			o.round = max(o.round, round+1)
		}
	}
}

func due(asks []*open) []providers.ToolCall {
	var calls []providers.ToolCall
	for _, o := range asks {
		if o.round >= len(o.script.Rounds) {
			continue
		}
		for i, c := range o.script.Rounds[o.round] {
			calls = append(calls, providers.ToolCall{
				ID: CallID(o.nonce, o.round, i), Type: "function", Name: c.Tool, Arguments: c.Args,
			})
		}
	}
	return calls
}

func answers(asks []*open) []string {
	var all []string
	for _, o := range asks {
		if o.script.Quiet {
			all = append(all, strings.Join(o.script.Parts, " "))
			continue
		}
		var b strings.Builder
		b.WriteString("answer " + answerMark + o.nonce)
		for n, part := range o.script.Parts {
			b.WriteString("\n\n**" + part + "** where 1 < 2 & _3_\n\n```text\n")
			for line := range slices.Chunk(o.script.Words(o.nonce, n), wordsInLine) {
				b.WriteString(strings.Join(line, " ") + "\n")
			}
			b.WriteString("```")
		}
		all = append(all, b.String())
	}
	return all
}
