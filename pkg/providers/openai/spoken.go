package openai

import (
	"context"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
	"parley/pkg/providers/internal/spoken"
	"parley/pkg/providers/kinds"
)

// heard sends one request and reads its answer. Markup in the answer's text becomes reasoning
// and, in the forms of the model's row, calls.
func (p *Provider) heard(
	ctx context.Context, q *question, s *settings, body *exchange.Body, k quirks,
) (*providers.LLMResponse, error) {
	reader := spoken.NewReader(habits(k.row), q.messages, q.tools, q.emit)
	asked := *q
	asked.emit = reader.Emit
	resp, err := p.once(ctx, &asked, s, body)
	if err != nil {
		return nil, err
	}
	return reader.Finish(resp), nil
}

// habits are a row's ways with markup.
func habits(row *kinds.Traits) spoken.Habits {
	h := spoken.Habits{Opened: row.Opened}
	for _, form := range row.Spoken {
		h.Calls |= spoken.Named(string(form))
	}
	return h
}
