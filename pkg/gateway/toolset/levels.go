package toolset

import (
	"context"
	"fmt"

	"parley/pkg/policy"
	"parley/pkg/tools"
)

// levelAuthorizer holds every call against the level of its turn.
type levelAuthorizer struct{}

// AuthorizeTool implements [tools.Authorizer].
func (levelAuthorizer) AuthorizeTool(_ context.Context, req tools.ToolRequest) error {
	have, need := policy.Level(req.Invocation.Level), policy.Level(req.Annotations.Level)
	if !have.Allows(need) {
		return fmt.Errorf("%s needs the right %s; this chat has %s", req.Tool, need, orNone(have))
	}
	return nil
}

func orNone(l policy.Level) policy.Level {
	if l == "" {
		return policy.LevelNone
	}
	return l
}
