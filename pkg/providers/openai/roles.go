package openai

import (
	"slices"
	"strings"

	"parley/pkg/providers"
)

// unanswered stands for the model's answer where results are followed by a person's word.
const unanswered = "(no answer)"

// aboutRoles says whether a refusal is about the order of the speakers: the templates of
// some models take a person and the model by turns alone.
func aboutRoles(message string) bool {
	says := func(word string) bool { return strings.Contains(message, word) }
	return says("role") && (says("alternate") || says("unexpected") && says("after"))
}

// byTurns is a conversation in which the person and the model speak by turns: messages of
// one side that follow each other are one, and an answer stands between results and a person.
func byTurns(messages []providers.Message) []providers.Message {
	out := make([]providers.Message, 0, len(messages)+1)
	for i := range messages {
		m := messages[i]
		last := len(out) - 1
		switch {
		case last < 0:
		case out[last].Role == providers.RoleTool && m.Role == providers.RoleUser:
			out = append(out, providers.Message{Role: providers.RoleAssistant, Content: unanswered})
		case out[last].Role == m.Role && m.Role != providers.RoleTool && len(out[last].ToolCalls) == 0:
			m.Content = joined(out[last].Content, m.Content)
			m.Images = slices.Concat(out[last].Images, m.Images)
			out[last] = m
			continue
		}
		out = append(out, m)
	}
	return out
}

// joined is two texts as paragraphs of one.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
