package senses

import (
	"context"
	"errors"

	"parley/pkg/agent/errand"
	"parley/pkg/agent/turn"
	"parley/pkg/providers"
	"parley/pkg/tools/senses"
)

// Models ask for the tools, through the turn of the running call. It implements [senses.Models].
type Models struct{ Turns *turn.Running }

var _ senses.Models = Models{}

// Ask implements [senses.Models].
func (m Models) Ask(ctx context.Context, key string, q senses.Question) (*providers.LLMResponse, error) {
	role := map[senses.Purpose]turn.Role{
		senses.ToTranscribe: turn.RoleTranscribe, senses.ToDescribe: turn.RoleDescribe, senses.ToTranslate: turn.RoleTranslate,
	}[q.Purpose]
	t, call, err := m.Turns.Of(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := errand.Run(ctx, t, &errand.Errand{Role: role, Key: "call/" + call + "/" + key, Messages: q.Messages, Options: q.Options})
	if errors.Is(err, errand.ErrNoModel) {
		err = senses.ErrNoModel
	}
	return resp, err
}
