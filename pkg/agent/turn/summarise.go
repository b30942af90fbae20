package turn

import (
	"parley/pkg/agent/budget"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/summary"
	"parley/pkg/tools"
)

// storesCuts reports whether a turn that ends with a result may move the beginning of a full
// history. A heartbeat without news leaves no trace, and the summary of each would be paid for.
// A model with a smaller context than the chat's, asked for one turn, shortens that alone. The
// conversation of a background agent that has reported is over.
func storesCuts(t *Turn, model *Model, res *tools.ToolLoopResult) bool {
	if isFree(t) {
		return false
	}
	if t.Input.Task != nil {
		return res.Asked
	}
	own, limit := ModelOf(t, RoleChat), t.Deps.Limits.ContextTokens
	return t.Input.Role != RoleHeartbeat && model.HistoryTokens(limit) >= own.HistoryTokens(limit)
}

// summarise has the part of the history before a cut summarised. The turn is committed.
func summarise(t *Turn, cut *prompt.Past) {
	from, past := cut.From, *cut
	past.From, past.Recall = 0, nil // and no state of the turn
	use := lateUsage(t)
	t.Deps.Prompts.Summaries.Begin(&summary.Request{
		Chat: t.Info.Chat, Session: t.Info.Session, Turn: t.Info.ID, Owner: t.Origin.Chat,
		From: from, Past: past, Model: SummaryModel(t, use), Usage: use, Log: t.Log(),
	})
}

// SummaryModel is the model for summaries of the turn's chat, which counts in an account.
func SummaryModel(t *Turn, use *budget.TurnUsage) summary.Model {
	m := ModelOf(t, RoleSummary)
	return summary.Model{
		Provider: use.Provider(m.Provider), Name: m.Name, Options: m.Options,
		Room: m.HistoryTokens(prompt.Reach(t.Deps.Limits.ContextTokens)),
	}
}
