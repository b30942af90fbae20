package engine_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/engine"
)

func TestEntryComesBackAsItWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		e := session.Entry{
			Seq:  rapid.Uint64().Draw(t, "seq"),
			Turn: text.Draw(t, "turn"),
			Message: providers.Message{
				Role:       rapid.SampledFrom([]string{"user", "assistant", "tool", "other"}).Draw(t, "role"),
				Content:    text.Draw(t, "content"),
				ToolCallID: text.Draw(t, "id"), Name: text.Draw(t, "name"), Reasoning: text.Draw(t, "reasoning"),
			},
		}
		if rapid.Bool().Draw(t, "timed") {
			e.Time = time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "s"), rapid.Int64Range(1, 1e9-1).Draw(t, "ns"))
		}
		if rapid.Bool().Draw(t, "calls") {
			e.Message.ToolCalls = []providers.ToolCall{
				{
					ID:        text.Draw(t, "call"),
					Name:      "x",
					Arguments: map[string]any{"a": text.Draw(t, "argument"), "n": rapid.Int64().Draw(t, "number")},
					Extra:     json.RawMessage(`{"s":1}`),
				},
				{ID: "2", Type: "function", Name: "y", RawArguments: text.Draw(t, "raw"), BadArguments: text.Draw(t, "bad")},
			}
			e.Message.Images = []providers.Image{{MIME: "image/png", Path: text.Draw(t, "path"), Size: rapid.Int64().Draw(t, "size")}}
			e.Message.Extra = json.RawMessage(`{"k":[1]}`)
		}
		payload, err := engine.EncodeEntry(&e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := engine.DecodeEntry(payload)
		if err != nil {
			t.Fatal(err)
		}
		for i := range e.Message.ToolCalls { // arguments are kept as text, with the numbers that they have
			if c := &e.Message.ToolCalls[i]; c.Arguments != nil {
				raw, err := json.Marshal(c.Arguments)
				if err != nil {
					t.Fatal(err)
				}
				c.Arguments, c.RawArguments = nil, string(raw)
			}
		}
		if d := cmp.Diff(e, got, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
		for cut := range len(payload) {
			if _, err := engine.DecodeEntry(payload[:cut]); err == nil {
				t.Fatalf("the first %d of %d bytes decode", cut, len(payload))
			}
		}
	})
}

func FuzzEntry(f *testing.F) {
	f.Add([]byte{1, 2, 1, 't', 4, 'u', 's', 'e', 'r', 2, 'h', 'i', 0})
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, payload []byte) {
		e, err := engine.DecodeEntry(payload)
		if err != nil {
			return
		}
		again, err := engine.EncodeEntry(&e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := engine.DecodeEntry(again); err != nil {
			t.Errorf("%x decodes to what does not: %v", payload, err)
		}
	})
}
