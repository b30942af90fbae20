package mutants

// operatorMutants break the promises of the section "The operator's commands".
func operatorMutants() []Mutant {
	const dir, admin = "cmd/gateway", "pkg/gateway/admin"
	const calls, looks = "operator: direct calls", "operator: looks"
	const words = "operator: words"
	return []Mutant{
		{
			Promise: "operator: exit codes", Defect: "loses the code on the way from the running gateway",
			File: admin + "/client.go", Old: "cmp.Or(line.Code, CodeFailed)", New: "cmp.Or(0*line.Code, CodeFailed)",
			Dir: dir, Test: "^TestSecondInstance$",
		},
		{
			Promise: "operator: exit codes", Defect: "takes any word for a kind of rows",
			File: dir + "/audit.go", Old: "case f.kind != \"\" && !slices.Contains(kinds, f.kind):",
			New: "case f.kind != \"\" && len(kinds) == 0 && !slices.Contains(kinds, f.kind):",
			Dir: dir, Test: "^TestScripts$/^operator$",
		},
		{
			Promise: words, Defect: "shows an approved question as open",
			File: admin + "/approvals.go", Old: "\t\tr.State = \"approved\"\n", New: "\t\tr.State = string(q.State)\n",
			Dir: dir, Test: "^TestTheOperatorsWordIsShown$",
		},
		{
			Promise: words, Defect: "deletes unasked",
			File: dir + "/forget.go", Old: "\t\t\tif !yes {", New: "\t\t\tif !yes && asJSON {",
			Dir: dir, Test: "^TestScripts$/^operator$",
		},
		{
			Promise: words, Defect: "shows the whole help where a page is not there",
			File: dir + "/cli.go", Old: "if err != nil || len(rest) > 0 {", New: "if err != nil && len(rest) > 1000 {",
			Dir: dir, Test: "^TestScripts$/^operator$",
		},
		{
			Promise: calls, Defect: "asks nobody",
			File: admin + "/toolcall.go", Old: "if req.Covered || g.request.Yes {", New: "if req.Covered || g.request.Tool != \"\" {",
			Dir: dir, Test: "^TestScripts$/^tool_call$",
		},
		{
			Promise: calls, Defect: "runs a call that has changed since it was shown",
			File: admin + "/toolcall.go", Old: "g.request.Shown == g.fingerprint(&req.Examination)", New: "g.request.Shown != \"\"",
			Dir: dir, Test: "^TestADirectCallAsksOnATerminal$",
		},
		{
			Promise: calls, Defect: "calls tools that are not offered in the chat",
			File: admin + "/toolcall.go", Old: "return g.Tools.Offered(at, name) })", New: "return name != \"\" || g.Tools.Offered(at, name) })",
			Dir: dir, Test: "^TestADirectCallInAnotherChat$",
		},
		{
			Promise: looks, Defect: "opens the store for writing",
			File: "pkg/gateway/app.go", Old: "\t\topen = local.Look\n", New: "",
			Dir: dir, Test: "^TestScripts$/^look$",
		},
		{
			Promise: looks, Defect: "makes the workspace",
			File: "pkg/gateway/app.go", Old: "\tif !a.o.Look {\n\t\tif err := workspace.Prepare",
			New: "\tif !a.o.Look || a.o.Operate {\n\t\tif err := workspace.Prepare",
			Dir: dir, Test: "^TestScripts$/^look$",
		},
		{
			Promise: looks, Defect: "makes a store to look for an id in it",
			File: "pkg/gateway/operations.go", Old: "\t\to.Look = !there\n", New: "\t\to.Look = o.Look && !there\n",
			Dir: dir, Test: "^TestScripts$/^look$",
		},
	}
}

// damageMutants break the reports to the operator about a damaged store.
func damageMutants() []Mutant {
	const dir, admin = "cmd/gateway", "pkg/gateway/admin"
	const damage = "operator: damaged store"
	return []Mutant{
		{
			Promise: damage, Defect: "ends with 0 where there is trouble",
			File: dir + "/status.go", Old: "case len(r.Trouble) > 0:", New: "case len(r.Trouble) > 0 && r.PID != 0:",
			Dir: dir, Test: "^TestScripts$/^damaged$",
		},
		{
			Promise: damage, Defect: "ends with 0 where no gateway is running",
			File: dir + "/status.go", Old: "case r.PID == 0:\n\t\treturn", New: "case r.PID < 0:\n\t\treturn",
			Dir: dir, Test: "^TestScripts$/^look$",
		},
		{
			Promise: damage, Defect: "does not read the records",
			File: "pkg/session/engine/engine.go", Old: "if err == nil && len(seen.Bad) > 0 {", New: "if err == nil && len(seen.Bad) < 0 {",
			Dir: dir, Test: "^TestScripts$/^damaged$",
		},
		{
			Promise: damage, Defect: "checks only the form of a running gateway's store",
			File: admin + "/store.go", Old: "return checked(emit)(g.Store.Check(ctx))",
			New: "r, err := g.Store.Check(ctx)\n\t\t\tr.Problems = nil\n\t\t\treturn checked(emit)(r, err)",
			Dir: dir, Test: "^TestStoreCheckOfARunningGateway$",
		},
	}
}

// troubleMutants break the promises about a full disk, and about restoring.
func troubleMutants() []Mutant {
	const dir, admin = "cmd/gateway", "pkg/gateway/admin"
	const disk, restore = "operator: full disk", "operator: restore"
	const snapshots = "pkg/session/bolt/snapshot.go"
	return []Mutant{
		{
			Promise: restore, Defect: "restores beside whoever uses the store",
			File: snapshots,
			Old: "func restore(ctx context.Context, dir, snap string, link func(from, to string) error, f Forgotten) error {\n" +
				"\tif f == nil {\n\t\tf = nobody{}\n\t}\n\treturn offline(ctx, dir, func() error {",
			New: "func restore(_ context.Context, dir, snap string, link func(from, to string) error, f Forgotten) error {\n" +
				"\tif f == nil {\n\t\tf = nobody{}\n\t}\n\treturn table.Guard(func() error {",
			Dir: dir, Test: "^TestRestoreBesideARunningGateway$",
		},
		{
			Promise: restore, Defect: "calls the store that was replaced damaged",
			File: snapshots, Old: "fileReplaced+\"-\"+", New: "fileDamaged+\"-\"+",
			Dir: dir, Test: "^TestTwoRestoresAtOnce$",
		},
		{
			Promise: restore, Defect: "moves the store away before the restored one is there",
			File: snapshots, Old: "\t\tif err := prepare(dir, snap,",
			New: "\t\tif err := os.Rename(filepath.Join(dir, fileDB), aside); err != nil {\n\t\t\treturn err\n\t\t}\n" +
				"\t\tif err := prepare(dir, snap,",
			Dir: dir, Test: "^TestARestoreThatFailsLeavesTheStore$",
		},
		{
			Promise: disk, Defect: "lets a piped chat wait",
			File: dir + "/trouble.go", Old: "\t\tif err != nil {\n\t\t\tstop(", New: "\t\tif err == nil {\n\t\t\tstop(",
			Dir: dir, Test: "^TestAFullDiskIsToldInAPipedChat$",
		},
		{
			Promise: disk, Defect: "tells nobody at the terminal",
			File: "pkg/session/engine/writer/state.go", Old: "\t\ts.trouble(err)\n", New: "",
			Dir: dir, Test: "^TestAFullDiskIsToldOnATerminal$",
		},
		{
			Promise: disk, Defect: "looks at the folder when it is too late",
			File: "pkg/session/bolt/dir.go", Old: "syscall.Access(dir, write|search)", New: "syscall.Access(dir, search)",
			Dir: dir, Test: "^TestAStateFolderThatCannotBeWritten$",
		},
	}
}

// unusableMutants break the reports about files of the state that cannot be used.
func unusableMutants() []Mutant {
	const dir, promise, test = "cmd/gateway", "operator: unusable files", "^TestStateThatCannotBeUsed$"
	return []Mutant{
		{
			Promise: promise, Defect: "begins without an audit log that can be written",
			File: "pkg/audit/log.go", Old: "if err := Writable(o.Dir); err != nil {",
			New: "if err := Writable(o.Dir); err != nil && o.SegmentBytes == 0 {",
			Dir: dir, Test: test + "/^audit_head_read-only$",
		},
		{
			Promise: promise, Defect: "says nothing in status",
			File: "pkg/gateway/admin/status.go",
			Old:  "st.WriteError, now.Unwritable, heldTrouble(st.Held)", New: "st.WriteError, now.Unwritable[:0], st.Held",
			Dir: dir, Test: test + "/^store_read-only$",
		},
		{
			Promise: promise, Defect: "names the folder for the file",
			File: "pkg/session/bolt/dir.go", Old: "\t\treturn e.Path, e.Err\n", New: "\t\treturn dir, e.Err\n",
			Dir: dir, Test: test + "/^lock_unreadable$",
		},
		{
			Promise: promise, Defect: "takes a failure at the start for one of the work",
			File: dir + "/runverbs.go", Old: "\t\t\tcode = e.Code\n", New: "\t\t\t_ = e.Code\n",
			Dir: dir, Test: test + "/^files_to_send_unreadable$",
		},
		{
			Promise: promise, Defect: "begins with a folder of files to send that cannot be written",
			File: "pkg/gateway/files/uploads.go", Old: "syscall.Access(o.dir, write|search)", New: "syscall.Access(o.dir, search&^write)",
			Dir: dir, Test: test + "/^files_to_send_read-only$",
		},
		{
			Promise: promise, Defect: "says of a store that cannot be read that it cannot be written",
			File: "pkg/session/bolt/snapshot.go", Old: "return lookError(path, err)", New: "return dirError(path, err)",
			Dir: dir, Test: test + "/^store_unreadable$",
		},
		{
			Promise: promise, Defect: "ends with the raw error of the audit log",
			File: "pkg/gateway/audittrail.go", Old: "return admin.WithCode(admin.CodeFailed, unaudited(t.stateDir, err))", New: "return err",
			Dir: dir, Test: "^TestAFullDiskOfTheAuditLog$",
		},
	}
}

// drainMutants let a piped chat end too early, or with the wrong exit code.
func drainMutants() []Mutant {
	const dir, promise, test = "pkg/session/engine", "operator: piped chat", "^TestConformance$/^drained$"
	return []Mutant{
		{
			Promise: promise, Defect: "ends before the answers have left",
			File: dir + "/drain/drain.go", Old: "range []table.Bucket{table.Inbox, table.Outbox} {", New: "range []table.Bucket{table.Inbox} {",
			Dir: dir, Test: test,
		},
		{
			Promise: promise, Defect: "waits for the chats of others",
			File: dir + "/drain/drain.go", Old: "return within(c.Address, at), nil",
			New: "return c.Address.Channel != \"\", nil",
			Dir: dir, Test: test,
		},
		{
			Promise: promise, Defect: "ends at the damaged chat of another channel",
			File: dir + "/drain/drain.go", Old: "if !errors.Is(err, session.ErrCorrupt) {", New: "if err != nil {",
			Dir: dir + "/drain", Test: "^TestDamageElsewhere$",
		},
		{
			Promise: promise, Defect: "takes a message that was set aside for a delivered one",
			File: dir + "/outbox/delivery.go", Old: "o.drains.Undelivered(t, lostBy)", New: "_ = lostBy",
			Dir: dir + "/drain", Test: "^TestDamagedRecordsEndTheWait$",
		},
		{
			Promise: promise, Defect: "ends before a task has reported",
			File: dir + "/drain/drain.go", Old: "busy = busy || within(task.Address, at)", New: "busy = busy || task.Address.Channel == \"\"",
			Dir: dir, Test: test,
		},
		{
			Promise: promise, Defect: "trusts a look that the begin or end of a task overlaps",
			File: dir + "/drain/drain.go", Old: "if w.turnOver() == before {", New: "if w.turnOver() >= before {",
			Dir: dir + "/drain", Test: "^TestTaskThat",
		},
		{
			Promise: "damaged store", Defect: "starts without a look at the pairing book and the moves",
			File: dir + "/table/format.go", Old: "range []Bucket{Pairs, Moves, Tokens} {", New: "range []Bucket{} {",
			Dir: dir, Test: "^TestDamagedBooks$",
		},
		{
			Promise: promise, Defect: "takes the failure of a job for one of a message",
			File: dir + "/drain/drain.go", Old: "if seq > w.Opened && kind != session.ItemSchedule {", New: "if seq > w.Opened && kind != \"\" {",
			Dir: dir, Test: test,
		},
		{
			Promise: promise, Defect: "keeps a refused message to itself",
			File: dir + "/outbox/delivery.go", Old: "if end.State != channels.Delivered {", New: "if end.State == \"\" {",
			Dir: dir, Test: test,
		},
	}
}

// readerMutants break the promises about answers that are read slowly.
func readerMutants() []Mutant {
	const dir, promise = "cmd/gateway", "operator: slow readers"
	return []Mutant{
		{
			Promise: promise, Defect: "fetches an export no faster than it is read",
			File: "pkg/gateway/admin/client.go", Old: "if op.Audited {", New: "if op.Audited || op.Name == ExportSession().Name {",
			Dir: dir, Test: "^TestAReaderMayPause$",
		},
		{
			Promise: promise, Defect: "puts later values before earlier ones",
			File: "pkg/gateway/admin/spool.go", Old: "if s.file == nil && s.size+len(raw) <= s.limit {", New: "if s.size+len(raw) <= s.limit {",
			Dir: "pkg/gateway/admin", Test: "^TestSpool$",
		},
		{
			Promise: "operator: long operations", Defect: "ends an operation when its request should have been read",
			File: "pkg/gateway/admin/server.go", Old: "	if err := s.run(r.Context(), &m, write); err != nil {",
			New: "	bounded, cancel := context.WithTimeout(r.Context(), requestTime)\n	defer cancel()\n" +
				"	if err := s.run(bounded, &m, write); err != nil {",
			Dir: "pkg/gateway/admin", Test: "^TestAnOperationTakesItsTime$",
		},
		{
			Promise: "operator: long operations", Defect: "waits for the rest of a request for ever",
			File: "pkg/gateway/admin/server.go", Old: "_ = conn.SetReadDeadline(time.Now().Add(requestTime))",
			New: "_ = conn.SetReadDeadline(time.Now().Add(1000 * requestTime))",
			Dir: "pkg/gateway/admin", Test: "^TestARequestHasATime$",
		},
	}
}

// hiddenMutants print characters that control a terminal.
func hiddenMutants() []Mutant {
	const dir, promise, test = "cmd/gateway", "operator: hidden characters", "^TestHiddenCharactersInOutput$"
	return []Mutant{
		{
			Promise: promise, Defect: "prints JSON as it is",
			File: dir + "/cli.go", Old: "fmt.Fprintf(plainJSON{h.out}, \"%s\\n\", raw)", New: "fmt.Fprintf(h.out, \"%s\\n\", raw)",
			Dir: dir, Test: test,
		},
		{
			Promise: promise, Defect: "prints rows of the audit log as they are",
			File: dir + "/audit.go", Old: "json.NewEncoder(plainJSON{out})", New: "json.NewEncoder(out)",
			Dir: dir, Test: test,
		},
		{
			Promise: promise, Defect: "prints errors as they are",
			File: dir + "/host.go", Old: "fmt.Fprintln(plain{h.err}, admin.Program()+\": \"", New: "fmt.Fprintln(h.err, admin.Program()+\": \"",
			Dir: dir, Test: test,
		},
		{
			Promise: promise, Defect: "lets a name make a row of its own",
			File: dir + "/verbs.go", Old: `"\n", "␊", "\t", "␉")`, New: `"\x00", "")`,
			Dir: dir, Test: "^TestRowsOfTables$",
		},
	}
}

// saidMutants make the reports to the operator untrue.
func saidMutants() []Mutant {
	const dir, words = "cmd/gateway", "operator: words"
	return []Mutant{
		{
			Promise: words, Defect: "prints a second word as taken that the store swallowed",
			File: "pkg/agent/approval/operator.go", Old: "case first.Decision != nil && *first.Decision == *item.Decision:",
			New: "case first.Decision != nil || item.Decision != nil:",
			Dir: dir, Test: "^TestTheOperatorsWordIsShown$",
		},
		{
			Promise: "operator: damaged store", Defect: "checks a store without the word of the last process",
			File: "pkg/session/bolt/check.go", Old: "\tif metDamage(dir) {", New: "\tif exists(dir, fileDamage) && lock == nil {",
			Dir: dir, Test: "^TestScripts$/^damaged$",
		},
		{
			Promise: words, Defect: "calls an audit log empty that was deleted",
			File: "pkg/gateway/admin/auditlog.go", Old: "case there:", New: "case there && from > 1:",
			Dir: dir, Test: "^TestScripts$/^audit$",
		},
	}
}
