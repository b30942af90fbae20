package counts

import (
	"fmt"
	"strings"
	"time"
)

// Summary is a line for a person.
type Summary struct {
	Runs, Memory   uint64
	Total, Longest time.Duration
	// Refused and Failed are in the order of the kinds.
	Refused, Failed []Kind
}

// Kind is how often one kind of failure was counted.
type Kind struct {
	Name  string
	Count uint64
}

// Line is the compact form: "3 calls, 1 refused, 2 failed (1 busy, 1 timeout), 12ms on average, 30ms at most".
func (s Summary) Line() string {
	parts := []string{fmt.Sprintf("%d calls", s.Runs)}
	if s.Runs == 1 {
		parts[0] = "1 call"
	}
	if s.Memory > 0 {
		parts = append(parts, fmt.Sprintf("%d from memory", s.Memory))
	}
	parts = appendKinds(parts, "refused", s.Refused)
	parts = appendKinds(parts, "failed", s.Failed)
	if s.Runs > 0 {
		average := s.Total / time.Duration(s.Runs) //nolint:gosec // no gateway makes 2^63 calls
		parts = append(parts, short(average)+" on average, "+short(s.Longest)+" at most")
	}
	return strings.Join(parts, ", ")
}

func appendKinds(parts []string, ended string, kinds []Kind) []string {
	var sum uint64
	var words []string
	for _, k := range kinds {
		if k.Count > 0 {
			sum += k.Count
			words = append(words, fmt.Sprintf("%d %s", k.Count, k.Name))
		}
	}
	if sum == 0 {
		return parts
	}
	return append(parts, fmt.Sprintf("%d %s (%s)", sum, ended, strings.Join(words, ", ")))
}

// short rounds a time to the three digits that a person reads.
func short(d time.Duration) string {
	const digits = 1000
	step := time.Duration(1)
	for d >= digits*step {
		step *= 10
	}
	return d.Round(step).String()
}
