package summary

import (
	"slices"

	"parley/pkg/providers"
)

// Of an entry in a request for a summary, so many tokens stay at least, and the note about
// the omitted part has about as many.
const (
	leastOfEntry = 48
	noteTokens   = 16
)

// Fit shortens the longest of messages until all of them have as many tokens together, so
// that a model with a small context reads something of each. Where even the beginnings
// have no room, the oldest messages are left out.
func Fit(messages []providers.Message, tokens int) []providers.Message {
	sizes := make([]int, len(messages))
	total := 0
	for i := range messages {
		sizes[i] = providers.EstimateTokens(messages[i])
		total += sizes[i]
	}
	if total <= tokens {
		return messages
	}
	most := max(longest(sizes, tokens), leastOfEntry)
	out := slices.Clone(messages)
	left := tokens
	for i := len(out) - 1; i >= 0; i-- {
		if sizes[i] > most {
			out[i] = providers.Shorten(out[i], most-noteTokens)
			sizes[i] = providers.EstimateTokens(out[i])
		}
		if left -= sizes[i]; left < 0 {
			return out[i+1:]
		}
	}
	return out
}

// longest is the size that entries may have so that all of them fit, with some room to
// spare.
func longest(sizes []int, tokens int) int {
	sorted := slices.Sorted(slices.Values(sizes))
	left := tokens - tokens/16
	for i, n := range sorted {
		if share := left / (len(sorted) - i); n > share {
			return share
		}
		left -= n
	}
	return tokens
}
