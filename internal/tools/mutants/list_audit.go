package mutants

func auditMutants() []Mutant {
	const dir, audit, memo, tampering = "pkg/tools", "audit log", "memory of a turn", "^TestTampering$"
	return []Mutant{
		{
			Promise: audit, Defect: "does not hold a row against the one before it",
			File: "pkg/audit/verify.go", Old: `case r.Prev != v.prev:`, New: `case r.Prev == "":`,
			Dir: "pkg/audit", Test: tampering,
		},
		{
			Promise: audit, Defect: "does not miss rows at the end",
			File: "pkg/audit/verify.go", Old: `case v.head.Seq >= next:`, New: `case v.head.Seq > next<<40:`,
			Dir: "pkg/audit", Test: tampering,
		},
		{
			Promise: audit, Defect: "takes a row for good whose content was changed",
			File: "pkg/audit/row.go", Old: `if hashOf(body) != r.Hash || r.Seq == 0 {`, New: `if hashOf(body) == "" || r.Seq == 0 {`,
			Dir: "pkg/audit", Test: tampering,
		},
		{
			Promise: audit, Defect: "closes the gap of missing rows at the next start",
			File: "pkg/audit/end.go", Old: `case h.Seq > e.seq:`, New: `case h.Seq > e.seq<<40:`,
			Dir: "pkg/audit", Test: tampering,
		},
		{
			Promise: "audit log: crash", Defect: "throws half a row away",
			File: "pkg/audit/end.go", Old: `io.NewSectionReader(f, from, 1<<62)`, New: `io.NewSectionReader(f, from, 0)`,
			Dir: "pkg/audit", Test: "^TestTornRowIsSetAside$",
		},
		{
			Promise: "audit log: no room", Defect: "says nothing of rows that were lost",
			File: "pkg/audit/writer.go", Old: `l.lost += n`, New: `l.lost += 0 * n`,
			Dir: "pkg/audit", Test: "^(TestFullQueueDropsAndSaysSo|TestFullDisk)$",
		},
		{
			Promise: "audit log: no room", Defect: "deletes without a row",
			File: "pkg/tools/auditor.go", Old: `if err := a.Begins(ctx, call); err != nil {`, New: `if err := a.Begins(ctx, call); err != nil && destructive == false {`,
			Dir: dir, Test: "^TestAuditor$",
		},
		{
			Promise: memo, Defect: "answers from memory after a change",
			File: "pkg/tools/internal/memory/memory.go", Old: `res.changes != c.changes {`, New: `res.changes > c.changes {`,
			Dir: dir, Test: "^(TestMemo|TestMemoEndsWithTheTurn)$",
		},
		{
			Promise: memo, Defect: "answers a clock from memory",
			File: "pkg/tools/calls.go", Old: `a.OpenWorld || a.Volatile || call.Async`, New: `a.OpenWorld || call.Async`,
			Dir: dir, Test: "^TestMemo$",
		},
		{
			Promise: memo, Defect: "forgets nothing when a message joins",
			File: "pkg/tools/internal/memory/memory.go", Old: `m.results = nil
}`, New: `_ = m.results
}`,
			Dir: dir, Test: "^TestMemoEndsWithTheTurn$",
		},
		{
			Promise: "counts of tools", Defect: "counts refused calls as runs",
			File: "pkg/tools/stats.go", Old: `case !out.begun:`, New: `case !out.begun && fail == "":`,
			Dir: dir, Test: "^TestStats$",
		},
	}
}
