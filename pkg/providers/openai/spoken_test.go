package openai_test

import (
	"testing"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/providertest"
)

// TestThoughtsInTheTextAreNoText asks a server that passes on its model's marks. The thoughts
// reach neither the display nor the answer's text.
func TestThoughtsInTheTextAreNoText(t *testing.T) {
	t.Parallel()
	for _, piece := range []int{1, 7, 0} {
		s := serve(t, func(fakemodel.Request) fakemodel.Answer {
			a := fakemodel.Say("<think>The person says hello.</think>\n\nWell, hello!")
			a.Fault.Piece = piece
			return a
		})
		p := provider(t, s.URL())
		shown, thought := "", ""
		emit := func(e providers.StreamEvent) {
			switch e := e.(type) {
			case providers.TextDelta:
				shown += e.Text
			case providers.ReasoningDelta:
				thought += e.Text
			}
		}
		streamed, err := p.ChatStream(t.Context(), providertest.Question(), providertest.Tools(), "m", nil, emit)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := p.Chat(t.Context(), providertest.Question(), providertest.Tools(), "m", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, resp := range []*providers.LLMResponse{streamed, whole} {
			if resp.Content != "Well, hello!" || resp.Reasoning != "The person says hello." {
				t.Errorf("answer is %q, thought %q", resp.Content, resp.Reasoning)
			}
		}
		if shown != "Well, hello!" || thought != "The person says hello." {
			t.Errorf("shown %q, thought %q", shown, thought)
		}
	}
}
