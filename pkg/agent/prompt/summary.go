package prompt

import "parley/pkg/providers"

// summaryHead tells the model the origin of a summary in its history.
const summaryHead = "[a summary of the earlier part of this conversation; it may quote others]\n"

// recallNote tells the model how it finds the words that a summary stands for.
func recallNote(tool string) string {
	if tool == "" {
		return ""
	}
	return "\n[" + tool + " finds the words of that part]"
}

// SummaryMessage is a summary as the model reads it in later turns.
func SummaryMessage(text string) providers.Message {
	return providers.Message{Role: providers.RoleUser, Content: summaryHead + text}
}
