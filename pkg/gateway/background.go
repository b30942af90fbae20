package gateway

import (
	"parley/pkg/agent/subagent"
	"parley/pkg/config"
	"parley/pkg/tools/remember"
	"parley/pkg/tools/spawn"
)

// background bounds the agents, and says which of their chat's tools they have: not
// those that speak there or belong to the chat itself, and to start further agents
// only where they may.
func background(b *config.Background) subagent.Limits {
	deepest := b.MaxDepth
	return subagent.Limits{
		Agents: b.Agents, PerChat: b.PerChat, PerTurn: b.PerTurn, MaxDepth: deepest,
		Offered: func(tool string, depth int) bool {
			switch tool {
			case "message", "send_file", "schedule", "tasks", remember.Name:
				return false
			case spawn.Spawn, spawn.Subagent:
				return depth < deepest
			default:
				return true
			}
		},
	}
}
