package anthropic

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"parley/pkg/providers"
)

// quirks are the parameters that a model has refused.
type quirks struct {
	noSampling     bool  // the model takes no temperature and no top_p
	oneSampling    bool  // it takes one of both
	way            way   // how it thinks, where its name told it wrongly
	noEffort       bool  // the effort is not known to it
	thinksByItself bool  // without being asked to
	alwaysThinks   bool  // it cannot be kept from it
	noCache        bool  // cache markers are not known to it
	maxTokens      int64 // the longest answer; 0: not known
}

// The settings of thinking that a request had.
const (
	saidDisabled = "disabled"
	saidEnabled  = "enabled"
	saidAdaptive = "adaptive"
)

// marker is the end of a block up to which the server shall keep the request in its
// cache; empty for a server that does not know it.
func (k quirks) marker() string {
	if k.noCache {
		return ""
	}
	return `,"cache_control":{"type":"ephemeral"}`
}

// learn adds the refusal in err about q. It returns k itself if that is known already,
// or is about no parameter.
func (k quirks) learn(err error, q *question) quirks {
	message, ok := refusedText(err)
	if !ok || aboutMessages(message) {
		return k
	}
	has := func(word string) bool { return strings.Contains(message, word) }
	switch {
	case has("temperature") && has("top_p") && !k.oneSampling:
		k.oneSampling = true
	case has("temperature"), has("top_p"):
		k.noSampling = true
	case has("thinking") && has("tool_choice"):
		k.thinksByItself = true
	case has("thinking") && q.said != "":
		k = k.learnThinking(q.said)
	case has("effort"), has("output_config"):
		k.noEffort = true
	case has("max_tokens"):
		if n := limitBelow(message, q.limit); n > 0 {
			k.maxTokens = n
		}
	}
	return k
}

// refusedText is the text of a refusal of the request as such, in small letters.
func refusedText(err error) (string, bool) {
	refused, ok := errors.AsType[*providers.Error](err)
	if !ok || refused.Kind != providers.KindInvalid || refused.Status != http.StatusBadRequest {
		return "", false
	}
	return strings.ToLower(refused.Message), true
}

// aboutMessages says that a refusal names a place in the conversation.
func aboutMessages(message string) bool { return strings.Contains(message, "messages.") }

// learnThinking learns that a setting of thinking was refused: the other way is tried
// next, and after that the requests say no word about thinking.
func (k quirks) learnThinking(said string) quirks {
	switch {
	case said == saidDisabled:
		k.alwaysThinks = true
	case said == saidAdaptive && k.way == wayUnknown:
		k.way = wayBudget
	case said == saidEnabled && k.way == wayUnknown:
		k.way = wayEffort
	default:
		k.way = wayNothing
	}
	return k
}

// limitBelow reads the limit in a refusal such as "max_tokens: 8192 > 4096": the largest
// number below the one that was asked for, 0 without such a number.
func limitBelow(text string, asked int64) int64 {
	const least = 256 // a smaller one is no limit
	var limit int64
	for digits := range strings.FieldsFuncSeq(text, func(c rune) bool { return c < '0' || c > '9' }) {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n < asked && n >= least {
			limit = max(limit, n)
		}
	}
	return limit
}

// forget has the question asked again without earlier thinking, once, if the server
// refused that: another text than the server's own makes a signature wrong.
func (q *question) forget(err error) bool {
	message, ok := refusedText(err)
	if !ok || q.forgetful || !strings.Contains(message, "thinking") && !strings.Contains(message, "signature") {
		return false
	}
	q.forgetful = true
	return true
}

// plainly has the question asked again without cache markers, if the server refused one.
func (k quirks) plainly(err error) quirks {
	if message, ok := refusedText(err); ok && strings.Contains(message, "cache_control") {
		k.noCache = true
	}
	return k
}
