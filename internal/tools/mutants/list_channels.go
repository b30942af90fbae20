package mutants

func channelMutants() []Mutant {
	const ingress, delivering, egress, dir = "pkg/channels/ingress.go", "pkg/channels/delivering.go", "pkg/channels/egress.go", "pkg/channels"
	const ephemeral = dir + "/ephemeral.go"
	return []Mutant{
		{
			Promise: "R1", Defect: "acknowledges what the store refused",
			File: ingress, Old: `return nil, fmt.Errorf("accept %d items: %w", len(passed), err)`, New: `return nil, nil`,
			Dir: dir, Test: "^TestIngressAcknowledgesNothingThatIsNotStored$",
		},
		{
			Promise: "full disk", Defect: "acknowledges whom it could not decide on",
			File: ingress, Old: `if d.Err != nil {`, New: `if d.Err != nil && d.Allow {`,
			Dir: dir, Test: "^TestIngressAcknowledgesNothingThatIsNotDecided$",
		},
		{
			Promise: "strangers", Defect: "asks about messages only",
			File: ingress, Old: `in.Overheard = !d.Allow`, New: `in.Overheard = !d.Allow && in.Kind == KindMessage`,
			Dir: dir, Test: "^TestIngressAsksAboutEveryKind$",
		},
		{
			Promise: "chat text", Defect: "lets NUL and invalid UTF-8 in",
			File: "pkg/channels/normalise.go", Old: `in.Text = cut(cleanText(in.Text), MaxText)`, New: `in.Text = cut(in.Text, MaxText)`,
			Dir: dir, Test: "^TestIngressNormalises$",
		},
		{
			Promise: "R4", Defect: "forgets the stored receipts after a restart",
			File: egress, Old: `receipts: slices.Clone(info.Receipts),`, New: `receipts: slices.Clone(info.Receipts[:0]),`,
			Dir: dir, Test: "^TestEgressResumesWithTheStoredPlan$",
		},
		{
			Promise: "R4", Defect: "sends again although a receipt is known",
			File: egress, Old: `beyond := len(p.receipts) > len(info.Receipts) ||`, New: `beyond :=`,
			Dir: dir, Test: "^TestEgressNeverSendsAgainWhatItHasAReceiptFor$",
		},
		{
			Promise: "R4", Defect: "repeats an unknown message without end",
			File: delivering, Old: "if r.known.ambiguous > 0 {\n\t\tr.unsettled(reason)",
			New: "if r.known.ambiguous > 99 {\n\t\tr.unsettled(reason)",
			Dir: dir, Test: "^TestEgressSendsAnUnknownMessageOnceMore$",
		},
		{
			Promise: "R4", Defect: "does not count an unknown attempt durably",
			File: delivering, Old: `r.d.Ambiguous(ctx, len(r.known.receipts)); err != nil`, New: `ctx.Err(); err != nil`,
			Dir: dir, Test: "^TestEgressSendsAnUnknownMessageOnceMore$",
		},
		{
			Promise: "R4", Defect: "sends before the plan is stored",
			File: delivering, Old: `r.d.Plan(ctx, r.parts); err != nil`, New: `r.d.Plan(ctx, r.parts); err != nil && len(r.parts) == 0`,
			Dir: dir, Test: "^TestEgressSendsNothingWhosePlanIsNotStored$",
		},
		{
			Promise: "R9", Defect: "sends text that was not redacted",
			File: egress, Old: `text = e.opt.Redact(cleanText(text))`, New: `text = cleanText(text)`,
			Dir: dir, Test: "^TestEgressRedactsBeforeItCuts$",
		},
		{
			Promise: "platform limits", Defect: "comes back before the platform said",
			File: ephemeral, Old: `after := jitter(min(se.RetryAfter, maxRetryAfter))`, New: `after := jitter(min(se.RetryAfter, maxRetryAfter)) / 4`,
			Dir: dir, Test: "^TestEgressObeysRetryAfterOfOneChat$",
		},
		{
			Promise: "platform limits", Defect: "shows drafts and typing in a chat that must wait",
			File: "pkg/channels/chatpacer.go", Old: `g.closed() || l.closedFor() > 0 {`, New: `g.closed() || l.closedFor() > maxRetryAfter {`,
			Dir: dir, Test: "^TestNothingIsShownWhereMessagesWait$",
		},
		{
			Promise: "platform limits", Defect: "lets messages go on when a draft was told to wait",
			File: ephemeral, Old: `ok && se.Class == SendRateLimited && se.RetryAfter > 0 {`, New: `ok && se.Class == SendRateLimited && se.RetryAfter > maxRetryAfter {`,
			Dir: dir, Test: "^TestAWaitOfWhatIsShownHoldsMessagesToo$",
		},
		{
			Promise: "platform down", Defect: "gives up what cannot be sent now",
			File: delivering, Old: "case SendTransient:\n\t\tr.rest(pause)", New: "case SendTransient:\n\t\tr.unsettled(reason)",
			Dir: dir, Test: "^TestEgressRetriesATransientFailureWithoutEnd$",
		},
		{
			Promise: "hanging chat", Defect: "lets sends that hang keep their places",
			File: egress, Old: "defer time.AfterFunc(slowSend, release).Stop()\n", New: "",
			Dir: dir, Test: "^TestEgressLetsHangingChatsDelayNobody$",
		},
	}
}

func consoleMutants() []Mutant {
	const file, dir = "pkg/channels/console/sanitize.go", "pkg/channels/console"
	return []Mutant{
		{
			Promise: "terminal control", Defect: "shows control bytes as they are",
			File: file, Old: `b.WriteRune(pictures + r)`, New: `b.WriteRune(r)`,
			Dir: dir, Test: "^TestSanitize$",
		},
		{
			Promise: "terminal control", Defect: "shows C1 controls as they are",
			File: file, Old: "case r <= 0x9f:\n\t\treturn true", New: "case r <= 0x9f:\n\t\treturn false",
			Dir: dir, Test: "^TestSanitize$",
		},
	}
}

// fileMutants break the way of files out.
func fileMutants() []Mutant {
	const delivering, sendfile, dir = "pkg/channels/delivering.go", "pkg/channels/sendfile.go", "pkg/channels"
	return []Mutant{
		{
			Promise: "files out", Defect: "sends a file as a text",
			File: sendfile, Old: `s, _ := e.opt.Channel.(FileSender)`, New: `s, _ := Channel(nil).(FileSender)`,
			Dir: dir, Test: "^TestEgressSendsFilesInOrder$",
		},
		{
			Promise: "files out", Defect: "says nothing of a file that was refused",
			File: delivering, Old: `if se.Class == SendRefused && r.sender != nil {`, New: `if se.Class == SendGone && r.sender != nil {`,
			Dir: dir, Test: "^TestEgressSaysThatAFileWasRefused$",
		},
		{
			Promise: "files kept", Defect: "keeps what has been sent",
			File: sendfile, Old: `if r.info.Outbound.File == nil || r.egress.opt.Files == nil {`, New: `if r.info.Outbound.File != nil || r.egress.opt.Files == nil {`,
			Dir: dir, Test: "^TestEgressSendsFilesInOrder$",
		},
		{
			Promise: "files kept", Defect: "removes what still waits to be sent",
			File: "pkg/gateway/files/uploads.go", Old: `errors.Is(err, session.ErrNotFound) ||`, New: `errors.Is(err, session.ErrNotFound) || errors.Is(err, context.Canceled) ||`,
			Dir: "pkg/gateway/files", Test: "^TestSweepKeepsWhatMayStillLeave$",
		},
		{
			Promise: "files out", Defect: "sends the caption without the file",
			File: "pkg/agent/turn/outgoing.go", Old: `queued{text: caption, file: file}`, New: `queued{text: file.Name}`,
			Dir: "pkg/agent", Test: "^TestAFileLeavesWithTheEndOfItsCall$",
		},
	}
}

// questionMutants break questions with buttons.
func questionMutants() []Mutant {
	const dir, desk = "pkg/channels", "pkg/channels/console"
	return []Mutant{
		{
			Promise: "what is asked", Defect: "asks with a text that comes in several messages",
			File: dir + "/ask.go", Old: `n != 1 {`, New: `n == 0 {`,
			Dir: dir, Test: "^TestQuestionsThatCannotBeAsked$",
		},
		{
			Promise: "what is asked", Defect: "shows what hides or turns round as it is",
			File: "pkg/visible/visible.go", Old: `return unicode.IsPrint(r) &&`, New: `return (unicode.IsPrint(r) || unicode.Is(unicode.Cf, r)) &&`,
			Dir: "pkg/visible", Test: "^TestVisible$",
		},
		{
			Promise: "questions", Defect: "refuses a question that may be there",
			File: dir + "/ask.go", Old: `case r.known.ambiguous > 0:`, New: `case r.known.ambiguous > 99:`,
			Dir: dir, Test: "^TestAQuestionThatMayBeThereIsNotRefused$",
		},
		{
			Promise: "console: questions", Defect: "lets a key answer what nobody saw",
			File: desk + "/screen.go", Old: "\t\tc.drop(q)\n", New: "",
			Dir: desk, Test: "^TestAQuestionThatWasNotShownIsNotOpen$",
		},
		{
			Promise: "console: questions", Defect: "answers the oldest question",
			File: desk + "/questions.go", Old: `q = c.questions[len(c.questions)-1]`, New: `q = c.questions[0]`,
			Dir: desk, Test: "^TestTheNewestOpenQuestionIsAnswered$",
		},
	}
}
