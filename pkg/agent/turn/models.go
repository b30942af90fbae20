package turn

import (
	"cmp"
	"maps"
	"slices"

	"parley/pkg/agent/caller"
	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// Role is the purpose for which a model is asked.
type Role string

// The roles.
const (
	// RoleChat answers messages and all that has no role of its own.
	RoleChat Role = "chat"
	// RoleSummary shortens a conversation.
	RoleSummary Role = "summary"
	// RoleVision answers messages with pictures where the chat's model takes none.
	RoleVision Role = "vision"
	// RoleDescribe tells in words what a picture shows, RoleTranscribe what is said in a
	// recording. Without a provider there is no model for it.
	RoleDescribe   Role = "describe"
	RoleTranscribe Role = "transcribe"
	// RoleTranslate translates texts.
	RoleTranslate Role = "translate"
	// RoleHeartbeat answers the heartbeat.
	RoleHeartbeat Role = "heartbeat"
	// RoleSubagent works in the background.
	RoleSubagent Role = "subagent"
	// RoleTool answers /tool: it calls exactly that tool, and costs nothing. Without a
	// provider the chat's model answers.
	RoleTool Role = "tool"
)

// Model is a model that answers.
type Model struct {
	Provider providers.LLMProvider
	// Name is the model's name for Provider; Options go along with every request.
	Name    string
	Options map[string]any
	// Choice is the name by which a chat may choose it, or "".
	Choice string
	// ToolChoice is tool_choice for the requests of turns, as [providers.LLMProvider] has
	// it. "required" and a tool's name hold for the first answer to a message.
	ToolChoice any
	// Images says that the model takes pictures.
	Images bool
	// Schema says that the model's server holds an answer to a JSON Schema, and Object that it
	// does to one which takes any object.
	Schema, Object bool
	// Context is how many tokens a request and its answer may have; 0 is unknown.
	Context int
}

// HistoryTokens is how much of a conversation a request to the model carries: the limit, or
// half of the context where that is less. The instructions, the tools, the turn and the
// answer have the other half.
func (m Model) HistoryTokens(limit int) int {
	const half = 2
	if m.Context <= 0 {
		return limit
	}
	return min(limit, m.Context/half)
}

// Title is the model for people: by its name, and that of its choice where this differs,
// because several choices may have the same name on their servers.
func (m Model) Title() string {
	if m.Choice == "" || m.Choice == m.Name {
		return m.Name
	}
	return m.Name + " (" + m.Choice + ")"
}

// Models choose the model of each turn. The methods are called from many goroutines.
type Models interface {
	// For is the model for a role in the chat at an address. Chosen is the name of the
	// choice that the chat has made, or "".
	For(role Role, at channels.Address, chosen string) Model
	// Choices are the models from which a chat may choose, in their order.
	Choices() []Choice
}

// Choice is a model that a chat may choose: its name there, and that of its model.
type Choice struct{ Name, Model string }

// For implements [Models]: a model by itself is the only one for all that it can do.
func (m Model) For(role Role, _ channels.Address, _ string) Model {
	if role == RoleTool || role == RoleTranscribe || role == RoleDescribe && !m.Images {
		return Model{}
	}
	return m
}

// Choices implements [Models]: there is nothing to choose.
func (Model) Choices() []Choice { return nil }

// ModelOf is the model for a role in the chat for which the turn works.
func ModelOf(t *Turn, role Role) Model {
	return t.Deps.Models.For(role, t.Origin.Address, caller.Model(Wish(t), t.Info.Model))
}

// Own is the model that answers the turn, whatever its messages hold.
func Own(t *Turn) Model {
	role := cmp.Or(t.Input.Role, RoleChat)
	if t.Input.Task != nil {
		role = RoleSubagent
	}
	return ModelOf(t, role)
}

// modelFor is the model that answers the turn, which begins with users.
func modelFor(t *Turn, users []providers.Message) Model {
	m := Own(t)
	if m.Images || !slices.ContainsFunc(users, func(m providers.Message) bool { return len(m.Images) > 0 }) {
		return m
	}
	if seeing := ModelOf(t, RoleVision); seeing.Images {
		return seeing
	}
	return m
}

// optionsFor go along with every request of the turn.
func optionsFor(t *Turn, m *Model, offered *tools.ToolRegistry) map[string]any {
	options := map[string]any{providers.OptionTurn: t.Info.ID}
	maps.Copy(options, m.Options)
	if choice := choiceFor(t, caller.Choice(Wish(t), m.ToolChoice), offered); choice != nil {
		options["tool_choice"] = choice
	} else if caller.Demands(Wish(t)) && !isFree(t) {
		t.live.told.Notice(events.CodeNoTools, textNoTools)
	}
	caller.Format(Wish(t), options)
	return options
}

// choiceFor is a tool choice for the turn, or nil. One that the offered tools cannot
// fulfil is left out: the message is answered all the same.
func choiceFor(t *Turn, choice any, offered *tools.ToolRegistry) any {
	can := true
	switch choice := choice.(type) {
	case string:
		if choice != choiceRequired {
			return choice
		}
		can = len(offered.List()) > 0 || len(caller.Tools(Wish(t))) > 0
	case map[string]any:
		name, _ := choice["name"].(string)
		can = offered.Enabled(name) || caller.Runs(Wish(t), name)
	}
	if !can || isFree(t) || t.Info.Items[0].Inbound == nil {
		return nil
	}
	return choice
}

// choiceRequired is the choice that makes the model call a tool.
const choiceRequired = "required"
