package openai

import (
	"encoding/json"

	"parley/pkg/providers/internal/exchange"
)

// frameReader decodes the frames of one stream, one after the other. The usual frame is
// read without reflection, into memory that the next one uses again.
type frameReader struct {
	chunk chunk
	// The parts to which the chunk points.
	choices [1]choice
	delta   delta
	calls   [1]callDelta
	index   exchange.Count
	usage   usage
}

// read decodes a frame. The chunk holds until the next call; its texts hold for good.
func (r *frameReader) read(frame []byte) (*chunk, error) {
	if r.scan(frame) {
		return &r.chunk, nil
	}
	c := &chunk{}
	if err := json.Unmarshal(frame, c); err != nil {
		return nil, exchange.Cut("a piece of the answer is not JSON", err)
	}
	return c, nil
}

// scan reads a frame of the usual kind: with one choice and one call at most, without
// data that goes back to the server, and with each field of its proper type. For any
// other it gives false.
func (r *frameReader) scan(frame []byte) bool {
	s := exchange.NewScan(frame)
	model := r.chunk.Model
	r.chunk = chunk{}
	s.Fields([]string{"model", "choices", "usage"}, func(name string) {
		switch {
		case name == "model":
			r.chunk.Model = exchange.LooseText(s.Same(string(model)))
		case s.Null():
		case name == "choices":
			r.scanChoices(&s)
		default:
			r.scanUsage(&s)
		}
	})
	return s.Done()
}

func (r *frameReader) scanChoices(s *exchange.Scan) {
	s.Array(func() {
		if len(r.chunk.Choices) > 0 {
			s.GiveUp()
			return
		}
		r.choices[0] = choice{}
		r.chunk.Choices = r.choices[:]
		c := &r.choices[0]
		s.Fields([]string{"index", "delta", "finish_reason", "message", "error"}, func(name string) {
			switch {
			case name == "index":
				c.Index = exchange.Count(s.Int())
			case name == "finish_reason":
				c.FinishReason = exchange.LooseText(s.Text())
			case s.Null():
			case name == "delta":
				c.Delta = &r.delta
				r.scanDelta(s)
			default:
				s.GiveUp()
			}
		})
	})
}

func (r *frameReader) scanDelta(s *exchange.Scan) {
	r.delta = delta{}
	d := &r.delta
	names := []string{"content", "refusal", "reasoning", "reasoning_content", "reasoning_details", "extra_content", "tool_calls"}
	s.Fields(names, func(name string) {
		switch name {
		case "content":
			d.Content.text = exchange.LooseText(s.Text())
		case "refusal":
			d.Refusal = exchange.LooseText(s.Text())
		case "reasoning":
			d.Reasoning = exchange.LooseText(s.Text())
		case "reasoning_content":
			d.ReasoningContent = exchange.LooseText(s.Text())
		case "tool_calls":
			r.scanCalls(s)
		default:
			if !s.Null() {
				s.GiveUp()
			}
		}
	})
}

func (r *frameReader) scanCalls(s *exchange.Scan) {
	if s.Null() {
		return
	}
	s.Array(func() {
		if len(r.delta.ToolCalls) > 0 {
			s.GiveUp()
			return
		}
		r.calls[0] = callDelta{}
		r.delta.ToolCalls = r.calls[:]
		c := &r.calls[0]
		s.Fields([]string{"index", "id", "function", "extra_content"}, func(name string) {
			switch {
			case name == "id":
				c.ID = exchange.LooseText(s.Text())
			case s.Null():
			case name == "index":
				r.index = exchange.Count(s.Int())
				c.Index = &r.index
			case name == "function":
				scanFunction(s, &c.Function)
			default:
				s.GiveUp()
			}
		})
	})
}

func scanFunction(s *exchange.Scan, f *functionDelta) {
	s.Fields([]string{"name", "arguments"}, func(name string) {
		if name == "name" {
			f.Name = exchange.LooseText(s.Text())
		} else {
			f.Arguments = arguments(s.Text())
		}
	})
}

func (r *frameReader) scanUsage(s *exchange.Scan) {
	r.usage = usage{}
	u := &r.usage
	r.chunk.Usage = u
	names := []string{
		"prompt_tokens", "completion_tokens", "total_tokens", "prompt_cache_hit_tokens",
		"prompt_tokens_details", "completion_tokens_details",
	}
	s.Fields(names, func(name string) {
		switch name {
		case "prompt_tokens":
			u.PromptTokens = exchange.Count(s.Int())
		case "completion_tokens":
			u.CompletionTokens = exchange.Count(s.Int())
		case "total_tokens":
			u.TotalTokens = exchange.Count(s.Int())
		case "prompt_cache_hit_tokens":
			u.CacheHitTokens = exchange.Count(s.Int())
		case "prompt_tokens_details":
			scanPrompt(s, u)
		default:
			scanCount(s, "reasoning_tokens", &u.CompletionDetails.ReasoningTokens)
		}
	})
}

// scanPrompt reads the details of the prompt, or null.
func scanPrompt(s *exchange.Scan, u *usage) {
	if s.Null() {
		return
	}
	s.Fields([]string{"cached_tokens", "cache_write_tokens"}, func(name string) {
		if d := &u.PromptDetails; name == "cached_tokens" {
			d.CachedTokens = exchange.Count(s.Int())
		} else {
			d.CacheWriteTokens = exchange.Count(s.Int())
		}
	})
}

// scanCount reads one field of an object, or null.
func scanCount(s *exchange.Scan, name string, count *exchange.Count) {
	if !s.Null() {
		s.Fields([]string{name}, func(string) { *count = exchange.Count(s.Int()) })
	}
}
