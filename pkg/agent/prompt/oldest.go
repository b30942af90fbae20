package prompt

import (
	"slices"
	"time"

	"parley/pkg/providers"
)

const (
	// How long a session rests whose oldest part could not be summarised, and how many
	// sessions rest at most.
	restFor    = time.Minute
	maxResting = 1000
	// Of an entry in a request for a summary, so many tokens stay at least, and the note
	// about the omitted part has about as many.
	leastOfEntry = 48
	noteTokens   = 16
)

// Rest lets a session rest for a minute: its oldest part could not be summarised.
func (r *Reader) Rest(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.resting) >= maxResting {
		for s, until := range r.resting {
			if !time.Now().Before(until) {
				delete(r.resting, s)
			}
		}
	}
	if len(r.resting) < maxResting {
		r.resting[session] = time.Now().Add(restFor)
	}
}

// Rests says whether a session does.
func (r *Reader) Rests(session string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	until, found := r.resting[session]
	if found && !time.Now().Before(until) {
		delete(r.resting, session)
		return false
	}
	return found
}

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
