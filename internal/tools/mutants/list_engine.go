package mutants

// engineMutants break the store.
func engineMutants() []Mutant {
	const dir = "pkg/session/engine"
	return []Mutant{
		{
			Promise: "R2", Defect: "lets a turn come true whose message was not stored",
			File: dir + "/early.go", Old: "\t\ta.turn.Fail(writer.ErrNotStored)\n", New: "\t\t_ = writer.ErrNotStored\n",
			Dir: dir, Test: "^TestFullDiskAtWithALimit$/^append$",
		},
		{
			Promise: "early turns of new chats", Defect: "gives the number of a chat that was not stored to another",
			File: dir + "/writer/batch.go", Old: "if len(b.t.Fresh) > 0 {", New: "if len(b.t.Fresh) > len(b.writes) {",
			Dir: dir, Test: "^TestFullDiskAtWithALimit$/^begin$",
		},
		{
			Promise: "early turns of new chats", Defect: "lets a new chat begin a budget of its own",
			File: dir + "/writer/read.go", Old: "w.loans.over(k)", New: "k",
			Dir: dir, Test: "^TestChatOfOneRequestThatBeginsIsBilledToItsPerson$",
		},
		{
			Promise: "R1", Defect: "says stored before it is",
			File: dir + "/writer/writer.go", Old: "return <-done", New: "return nil",
			Dir: dir, Test: "^TestConformance$/^(inbox|recovery)$",
		},
		{
			Promise: "R2", Defect: "accepts an id twice",
			File: dir + "/inbox.go", Old: "if t.Has(table.Seen, id) {", New: "if t.Has(table.Seen, id) && id == nil {",
			Dir: dir, Test: "^TestConformance$/^inbox$/^an_id_is_accepted_once$",
		},
		{
			Promise: "poison", Defect: "runs a turn under the clean mark of the last process",
			File: dir + "/turn.go", Old: "if !ib.w.State.Begun() {", New: "if !ib.w.State.Begun() && ctx == nil {",
			Dir: dir, Test: "^TestConformance$/^recovery$/^the_first_crash_after_an_orderly_end_counts_too$",
		},
		{
			Promise: "R2", Defect: "leaves answered items in the inbox",
			File: dir + "/commit.go", Old: "if err := x.Delete(table.Inbox, key); err != nil {", New: "if err := t.Failed(); err != nil {",
			Dir: dir, Test: "^TestConformance$/^recovery$/^a_committed_turn_does_not_run_again$",
		},
		{
			Promise: "R2", Defect: "lets a turn write whose items are gone",
			File: dir + "/commit.go", Old: "if gone {", New: "if gone && x == nil {",
			Dir: dir, Test: "^TestConformance$/^(turn|sessions)$",
		},
		{
			Promise: "R3", Defect: "runs two lanes for one chat",
			File: "pkg/session/engine/lane/lane.go", Old: "l.running, l.queued, l.newest = true, false, newest",
			New: "l.running, l.queued, l.newest = true, false, newest\n\t\tdelete(s.lanes, chat)",
			Dir: dir, Test: "^TestConformance$/^(inbox|outbox)$",
		},
		{
			Promise: "R4", Defect: "does not know that a marked message may be out",
			File: dir + "/outbox/delivery.go",
			Old:  "if d.rec.Mark != 0 && d.rec.Mark != o.w.State.Epoch() {",
			New:  "if d.rec.Mark != 0 && d.rec.Mark == 0 {",
			Dir:  dir, Test: "^TestConformance$/^outbox$/^a_crash_makes_a_marked_message_unknown",
		},
		{
			Promise: "R4", Defect: "queues one message twice",
			File: dir + "/outbox/put.go", Old: "if x.Has(table.Sent, id) {", New: "if x.Has(table.Sent, id) && id == nil {",
			Dir: dir, Test: "^TestConformance$/^outbox$/^an_id_is_queued_once",
		},
		{
			Promise: "R6", Defect: "completes a task twice",
			File: dir + "/tasks.go", Old: "if task.State != session.TaskRunning {\n\t\t\treturn nil\n\t\t}\n\t\tfirst = true", New: "first = true",
			Dir: dir, Test: "^TestConformance$/^background$/^a_task_ends_once",
		},
		{
			Promise: "poison", Defect: "does not count the processes that a turn has ended",
			File: dir + "/suspects.go", Old: "rec.Lost++", New: "rec.Lost += 0",
			Dir: dir, Test: "^TestConformance$/^recovery$/^(crashes_count|a_poison_item)",
		},
		{
			Promise: "R11", Defect: "counts an orderly end as a crash",
			File: dir + "/engine.go", Old: "t.Meta.Clean = true", New: "t.Meta.Clean = false",
			Dir: dir, Test: "^TestConformance$/^recovery$/^an_orderly_end_counts_nothing$",
		},
	}
}

// storeMutants break the store's promises beside R1 to R11.
func storeMutants() []Mutant {
	const dir, file = "pkg/session/engine", "pkg/session/bolt"
	return []Mutant{
		{
			Promise: "full disk", Defect: "takes a failed commit for a good one",
			File: file + "/store.go", Old: "if err := table.Guard(b.Commit); err != nil {",
			New: "if err := table.Guard(b.Commit); err != nil && db == nil {",
			Dir: dir, Test: "^TestFullDisk$",
		},
		{
			Promise: "flipped bit", Defect: "does not check its records",
			File: dir + "/table/record.go", Old: "return crc32.Update(c, t, payload)", New: "return c - c",
			Dir: dir, Test: "^TestFlippedBit$",
		},
		{
			Promise: "newer store", Defect: "opens a store of a newer version",
			File: dir + "/table/format.go", Old: "if m.Schema > schema {", New: "if m.Schema > schema+1000 {",
			Dir: dir, Test: "^TestNewerSchema$",
		},
		{
			Promise: "store: earlier builds", Defect: "makes the id of a task's item in another form",
			File: "pkg/session/ids.go",
			Old:  `func TaskItemID(task string) string { return "task/" + task }`,
			New:  `func TaskItemID(task string) string { return "tasks/" + task }`,
			Dir:  "pkg/session", Test: "^TestIDs$",
		},
		{
			Promise: "store: earlier builds", Defect: "keeps the numbers from an earlier build",
			File: file + "/filetx.go", Old: "string(key) == table.NumberKey && len(value) >= table.NumberLen {",
			New: "string(key) == table.NumberKey && len(value) < table.NumberLen {",
			Dir: dir, Test: "^TestNumbersGoOn$",
		},
		{
			Promise: "store: earlier builds", Defect: "begins again with the numbers of an earlier build",
			File: file + "/filetx.go", Old: "return t.in(table.Meta).Sequence() }", New: "return t.in(table.Meta).Sequence() * 0 }",
			Dir: dir, Test: "^TestNumbersGoOn$",
		},
		{
			Promise: "store: earlier builds", Defect: "stores the items that a step took under another name",
			File: dir + "/table/record.go", Old: "`json:\"taken,omitempty\"`", New: "`json:\"took,omitempty\"`",
			Dir: dir + "/table", Test: "^TestForms$",
		},
		{
			Promise: "store: earlier builds", Defect: "swaps two fields of a record that has no names",
			File: dir + "/table/codec.go", Old: "appendTexts(b, s.Reason), s.Time)", New: "appendTexts(b, string(s.State)), s.Time)",
			Dir: dir + "/table", Test: "^TestForms$",
		},
		{
			Promise: "store: earlier builds", Defect: "lists a job under another key",
			File: dir + "/table/keys.go", Old: "{ return append(TimeKey(t), IDKey(id)...) }", New: "{ return append(TimeKey(t), id...) }",
			Dir: dir + "/table", Test: "^TestForms$",
		},
		{
			Promise: "store: earlier builds", Defect: "reads the creator of a task under another name",
			File: "pkg/session/forms.go", Old: "`json:\"creator\"`", New: "`json:\"maker\"`",
			Dir: "pkg/session/engine", Test: "^TestOldStore$",
		},
		{
			Promise: "store: any ordered store", Defect: "leaves removals out of the write sets",
			File: "pkg/session/kv/kvtest/recorder.go",
			Old:  "r.set = append(r.set, Write{Bucket: b, Key: bytes.Clone(key)})",
			New:  "_ = bytes.Clone(key)",
			Dir:  "pkg/session/engine", Test: "^TestConformanceInMemory$/^turn$",
		},
		{
			Promise: "store: any ordered store", Defect: "forgets to remove keys from the file",
			File: file + "/filetx.go", Old: "{ return t.in(b).Delete(key) }", New: "{ _ = t.in(b); return nil }",
			Dir: file, Test: "^TestStoreSuite$",
		},
		{
			Promise: "R10", Defect: "keeps a goroutine for each chat that ever had work",
			File: dir + "/lane/workers.go", Old: "if s.ended || len(s.idle) >= mostIdle {", New: "if s.ended {",
			Dir: dir + "/lane", Test: "^TestFewGoroutinesWait$",
		},
		{
			Promise: "early deliveries", Defect: "lets a message leave that was not stored",
			File: dir + "/outbox/delivery.go", Old: "if d.stored.err != nil {", New: "if d.stored.err != nil && d.o == nil {",
			Dir: dir, Test: "^TestMessageThatWasNotStoredDoesNotLeave$",
		},
	}
}
