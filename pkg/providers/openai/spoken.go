package openai

import (
	"context"

	sdk "github.com/sashabaranov/go-openai"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
	"parley/pkg/providers/internal/spoken"
)

// heard sends one request and reads its answer. Markup in the answer's text becomes reasoning.
func (p *Provider) heard(
	ctx context.Context, q *question, req sdk.ChatCompletionRequest, messages *exchange.Body,
) (*providers.LLMResponse, error) {
	reader := spoken.NewReader(spoken.Habits{}, q.messages, q.tools, q.emit)
	asked := *q
	asked.emit = reader.Emit
	resp, err := p.once(ctx, &asked, req, messages)
	if err != nil {
		return nil, err
	}
	return reader.Finish(resp), nil
}
