package mutants

// recallMutants break the search of a chat's past.
func recallMutants() []Mutant {
	const row, room = "search of a conversation", "pkg/history"
	const page, derived = "hostile: a page in the past", "the index of the past is derived data"
	return []Mutant{
		{
			Promise: page, Defect: "takes a page that is found for the words of people",
			File: "pkg/tools/recall/recall.go", Old: "if e.Outside {", New: "if e.Outside && e.Summary {",
			Dir: "pkg/agent", Test: "^TestASearchTaintsATurn$",
		},
		{
			Promise: row, Defect: "answers a search that asks for the same call again from memory",
			File: "pkg/tools/recall/recall.go", Old: "Volatile: true, Recalls: true", New: "Recalls: true",
			Dir: "pkg/tools/recall", Test: "^TestACallAgainGoesOn$",
		},
		{
			Promise: row, Defect: "names no tool in the summary",
			File: "pkg/agent/prompt/history.go", Old: "m.Content += recallNote(b.past.Recall())", New: "_ = recallNote(b.past.Recall())",
			Dir: "pkg/agent", Test: "^TestASearchTaintsATurn$",
		},
		{
			Promise: row, Defect: "reads an entry of another chat",
			File: room + "/search.go", Old: "of.Chat != from.Chat || ", New: `of.Chat == from.Chat+"/" || `,
			Dir: room, Test: "^TestChatsAreSeparate$",
		},
		{
			Promise: row, Defect: "searches all chats as one",
			File: room + "/catchup.go", Old: `return "words/" + chat`, New: `return "words/" + chat[:0]`,
			Dir: room, Test: "^Test",
		},
		{
			Promise: row, Defect: "shows a secret of the conversation",
			File: room + "/search.go", Old: "words.piece(h.o.Redact(TextOf(e)), hit.Number)", New: "words.piece(TextOf(e), hit.Number)",
			Dir: room, Test: "^TestASecretIsNeitherFoundNorShown$",
		},
		{
			Promise: row, Defect: "indexes a secret",
			File: room + "/catchup.go", Old: "text.ClipBytes(h.o.Redact(TextOf(e)), maxIndexed)", New: "text.ClipBytes(TextOf(e), maxIndexed)",
			Dir: room, Test: "^TestASecretIsNeitherFoundNorShown$",
		},
		{
			Promise: row, Defect: "brings the index up to date as long as it takes",
			File: room + "/catchup.go", Old: "context.WithTimeout(ctx, catchUpTime)", New: "context.WithTimeout(ctx, catchUpTime*9)",
			Dir: room, Test: "^TestBounds$",
		},
		{
			Promise: row, Defect: "passes over damaged entries in silence",
			File: room + "/catchup.go", Old: "m.bad += to - m.through - uint64(len(all))", New: "m.bad += 0",
			Dir: room, Test: "^TestDamage$",
		},
		{
			Promise: row, Defect: "finds its own searches",
			File: room + "/catchup.go", Old: "if e.Undone || isSearch(e) {", New: "if e.Undone {",
			Dir: room, Test: "^TestSearch$",
		},
		{
			Promise: derived, Defect: "trusts a mark of another store",
			File: room + "/catchup.go", Old: "fits = e != nil && e.Time.UnixNano() == m.time", New: "fits = e != nil",
			Dir: room, Test: "^TestARestoredStore$",
		},
		{
			Promise: derived, Defect: "stays damaged",
			File: room + "/history.go", Old: "if errors.Is(err, blocks.ErrDamaged) {", New: "if errors.Is(err, blocks.ErrDamaged) && ctx == nil {",
			Dir: room, Test: "^TestItCatchesUp$",
		},
		{
			Promise: derived, Defect: "keeps the words of what is forgotten in the file",
			File: room + "/history.go", Old: "return ix.Purge(ctx)", New: "return nil",
			Dir: room, Test: "^TestForget$",
		},
	}
}
