package mutants

// recallMutants break the search of a conversation.
func recallMutants() []Mutant {
	const row, agent, room = "search of a conversation", "pkg/agent", "pkg/tools/recall"
	const search, taint = room + "/search.go", "^TestASearchTaintsATurn$"
	return []Mutant{
		{
			Promise: row, Defect: "offers no search",
			File: agent + "/turn/turn.go", Old: "|| an.Recalls && t.Input.Whole ||", New: "|| an.Recalls ||",
			Dir: agent, Test: taint,
		},
		{
			Promise: row, Defect: "offers the search in a short conversation too",
			File: agent + "/turn/turn.go", Old: "t.Input.Whole = !h.Partial && !isFree(t)", New: "t.Input.Whole = !h.Partial && isFree(t)",
			Dir: agent, Test: taint,
		},
		{
			Promise: row, Defect: "names no tool in the summary",
			File: agent + "/prompt/history.go", Old: "m.Content += recallNote(b.past.Recall())", New: "_ = recallNote(b.past.Recall())",
			Dir: agent, Test: taint,
		},
		{
			Promise: row, Defect: "takes a page that is found for the words of people",
			File: room + "/recall.go", Old: "if e.Outside {", New: "if e.Outside && e.Summary {",
			Dir: agent, Test: taint,
		},
		{
			Promise: row, Defect: "shows a secret of the conversation",
			File: search, Old: "said = s.redact(said)", New: "_ = s.redact",
			Dir: room, Test: "^TestASecretIsNeitherFoundNorCut$",
		},
		{
			Promise: row, Defect: "searches as much as there is",
			File: search, Old: " && s.bytes < maxBytes", New: " && s.bytes < maxBytes*9",
			Dir: room, Test: "^TestBounds$",
		},
		{
			Promise: row, Defect: "searches as long as it takes",
			File: search, Old: "context.WithTimeout(ctx, maxTime)", New: "context.WithTimeout(ctx, maxTime*9)",
			Dir: room, Test: "^TestBounds$",
		},
		{
			Promise: row, Defect: "passes over damaged entries in silence",
			File: search, Old: "s.skipped += s.due - min(e.Seq, s.due)", New: "s.skipped += min(e.Seq, s.due) - min(e.Seq, s.due)",
			Dir: room, Test: "^TestDamage$",
		},
		{
			Promise: row, Defect: "finds its own searches",
			File: search, Old: "e.Message.Role == providers.RoleTool && e.Message.Name == Name",
			New: `e.Message.Role == providers.RoleTool && e.Message.Name == ""`,
			Dir: room, Test: "^TestSearch$",
		},
	}
}
