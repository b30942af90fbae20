package offline

import (
	"strings"

	"parley/pkg/providers"
)

const (
	maxSummary     = 4000
	maxSummaryLine = 200
)

// summarise answers a request to summarise the conversation, which the system makes
// when a history has grown too long, and a person may make too. A program without
// understanding can only keep the words: the lines that follow the request, or else
// the person's own messages.
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
		said = linesOf(messages[:len(messages)-1])
	}
	return listed(said), true
}

// summaryHead begins every summary, so that the next one can take it up.
const summaryHead = "So far:\n- "

// linesOf gives the person's words, one line a message, and the lines of an earlier
// summary.
func linesOf(messages []providers.Message) []string {
	var said []string
	for i := range messages {
		m := &messages[i]
		switch earlier, found := strings.CutPrefix(m.Content, summaryHead); {
		case m.Role == providers.RoleAssistant && found:
			said = append(said, strings.Split(earlier, "\n- ")...)
		case m.Role == providers.RoleUser && !strings.HasPrefix(m.Content, "(the conversation so far was replaced"):
			said = append(said, strings.Join(strings.Fields(m.Content), " "))
		}
	}
	return said
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
		return textNothingSaid
	}
	return summaryHead + strings.Join(said[first:], "\n- ")
}
