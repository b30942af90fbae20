package config

import "time"

// Background bounds background agents: those that the tools spawn and subagent start.
type Background struct {
	Agents   int      `yaml:"agents" jsonschema:"minimum=1,maximum=1000" jsonschema_description:"How many background agents work at once, over all chats. One chat has half of these places at most. Default 32."`
	PerChat  int      `yaml:"per_chat" jsonschema:"minimum=1,maximum=1000" jsonschema_description:"How many one chat may have at a time, those that wait for their place included. Default 10."`
	PerTurn  int      `yaml:"per_turn" jsonschema:"minimum=1,maximum=100" jsonschema_description:"How many one answer may start. Default 5."`
	MaxDepth int      `yaml:"max_depth" jsonschema:"minimum=1,maximum=3" jsonschema_description:"How many deep agents may start each other. Default 2."`
	Deadline Duration `yaml:"deadline" min:"1m" max:"24h" jsonschema_description:"The longest that an agent may take. Default 1h."`
}

func defaultBackground() Background {
	return Background{Agents: 32, PerChat: 10, PerTurn: 5, MaxDepth: 2, Deadline: Duration(time.Hour)}
}
