package offline

import (
	"strings"

	"parley/pkg/providers"
)

const (
	maxSummary     = 4000
	maxSummaryLine = 200
)

// summarise answers a request to summarise the conversation, which the system
// makes when a history has grown too long, and a person may make too. A program
// that understands nothing can only keep what was said: the lines that follow
// the request, or else the person's own messages.
func summarise(messages []providers.Message) (string, bool) {
	if len(messages) == 0 {
		return "", false
	}
	last := messages[len(messages)-1]
	if last.Role != providers.RoleUser && last.Role != providers.RoleSystem {
		return "", false
	}
	request, rest, _ := strings.Cut(strings.TrimSpace(last.Content), "\n")
	words := strings.ToLower(request)
	if !strings.Contains(words, "summar") || !strings.Contains(words, "conversation") && !strings.Contains(words, "history") {
		return "", false
	}
	var said []string
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		for i := range messages[:len(messages)-1] {
			if m := &messages[i]; m.Role == providers.RoleUser {
				said = append(said, strings.Join(strings.Fields(m.Content), " "))
			}
		}
	}
	return listed(said), true
}

// listed keeps the newest lines, each cut short.
func listed(said []string) string {
	size, first := 0, len(said)
	for i := range said {
		if len(said[i]) > maxSummaryLine {
			said[i] = short(said[i], maxSummaryLine)
		}
	}
	for first > 0 && size+len(said[first-1]) < maxSummary {
		first--
		size += len(said[first]) + 3
	}
	if first == len(said) {
		return "Nothing was said yet."
	}
	return "So far:\n- " + strings.Join(said[first:], "\n- ")
}
