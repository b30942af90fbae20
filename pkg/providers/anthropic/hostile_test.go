package anthropic_test

import (
	"strings"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
	"parley/pkg/providers/providertest"
)

// TestTooManyBlocks refuses an answer of more blocks than answers have, whatever is in them.
func TestTooManyBlocks(t *testing.T) {
	t.Parallel()
	const many = 3000
	for name, body := range map[string]string{
		"texts":   events(started) + strings.Repeat(events(begin(0, `{"type":"text","text":""}`)), many) + events(stopped("end_turn"), last),
		"opaque":  events(started) + strings.Repeat(events(begin(0, `{"type":"later"}`)), many) + events(stopped("end_turn"), last),
		"nothing": events(started) + strings.Repeat(events(begin(0, `null`)), many) + events(stopped("end_turn"), last),
		"at once": events(`{"type":"message_start","message":{"content":[` + strings.Repeat("{},", many) + `{}]}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, url := script(t, reply{body: body})
			resp, err := provider(t, url).ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, nil)
			if f := failure(t, resp, err); f.Kind != providers.KindInvalid {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestALongPause: the parts of a paused answer are as long together as one answer may be.
func TestALongPause(t *testing.T) {
	t.Parallel()
	const piece = 1 << 20
	for _, stream := range []bool{true, false} {
		body := reply{body: says(strings.Repeat("a", piece), "pause_turn")}
		if !stream {
			body = reply{kind: "application/json", status: 200, body: `{"type":"message","stop_reason":"pause_turn","content":[` +
				`{"type":"text","text":"` + strings.Repeat("a", piece) + `"}]}`}
		}
		s, url := script(t, body)
		p := provider(t, url, func(o *anthropic.Options) { o.MaxBody = 5 * piece / 2 })
		resp, err := p.ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, nil)
		if err != nil || len(resp.Content) != 3*piece || len(s.requests()) != 3 {
			t.Errorf("stream %v: %v after %d requests", stream, err, len(s.requests()))
		}
	}
}

// TestOddDataBesideAnAnswer: the answer counts, in whatever form the data beside it comes.
func TestOddDataBesideAnAnswer(t *testing.T) {
	t.Parallel()
	piece := `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}`
	for name, body := range map[string]string{
		"no beginnings": events(piece, stopped("end_turn"), last),
		"no block":      events(started, begin(0, `null`), piece, end(0), stopped("end_turn"), last),
		"no type":       events(started, begin(0, `{"text":""}`), piece, end(0), stopped("end_turn"), last),
		"a usage in words": events(
			`{"type":"message_start","message":{"type":"message","model":7,"content":[],"usage":"none"}}`, piece,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":"12","output_tokens":3.0,`+
				`"cache_read_input_tokens":-5,"output_tokens_details":[]}}`, last,
		),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, url := script(t, reply{body: body})
			resp, err := provider(t, url).ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, nil)
			if err != nil || resp.Content != "hello" || len(resp.Extra) > 0 {
				t.Fatalf("%+v, %v", resp, err)
			}
			if u := resp.Usage; name == "a usage in words" && (u.PromptTokens != 12 || u.CompletionTokens != 3 || u.CachedTokens != 0) {
				t.Errorf("%+v", u)
			}
		})
	}
}
