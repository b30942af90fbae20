package mutants

import "slices"

// slackOutMutants break Slack's way out.
func slackOutMutants() []Mutant {
	return slices.Concat(slackSendMutants(), slackElsewhereMutants(), slackShowMutants())
}

// slackSendMutants break how messages and files leave.
func slackSendMutants() []Mutant {
	const dir = "pkg/channels/slack"
	const web, out = dir + "/api", dir + "/outbound"
	const client, errs = web + "/client.go", web + "/errors.go"
	const post, receipt, files = out + "/post.go", out + "/receipt.go", out + "/files.go"
	return []Mutant{
		{
			Promise: "slack: rate limit on one channel", Defect: "comes back long before Slack said",
			File: client, Old: `* time.Second
	}
	return e`, New: `* time.Millisecond
	}
	return e`,
			Dir: dir, Test: "^TestOneLimitedChannelLetsOthersGoOn$",
		},
		{
			Promise: "slack: rate limit on one channel", Defect: "keeps every channel waiting for one",
			File: "pkg/channels/wire/floods.go", Old: `floodChats = 3`, New: `floodChats = 1`,
			Dir: dir, Test: "^TestOneLimitedChannelLetsOthersGoOn$",
		},
		{
			Promise: "slack: what is there", Defect: "takes an error that may come after the effect for a refusal",
			File: errs, Old: `e.Has("internal_error", "fatal_error")`, New: `e.Has("fatal_error")`,
			Dir: dir, Test: "^TestSendClasses$",
		},
		{
			Promise: "slack: what is there", Defect: "an answer that the library cannot read is none",
			File: client, Old: `if err != nil && w.err == nil && w.body == nil {`, New: `if err != nil && w.err == nil {`,
			Dir: dir, Test: "^TestAnAnswerInAnotherFormIsAMessageThatIsThere$",
		},
		{
			Promise: "slack: tokens", Defect: "logs what a server calls an error",
			File: client, Old: `Name: word(w.hide(answer.Error))`, New: `Name: answer.Error`,
			Dir: dir, Test: "^TestNoTokenInAnyError$",
		},
		{
			Promise: "slack: tokens", Defect: "gives the token to whoever has a file",
			File: web + "/files.go", Old: `if !ours {`, New: `if !ours && u.Scheme == "" {`,
			Dir: web, Test: "^TestFilesComeFromSlackAlone$",
		},
		{
			Promise: "slack: huge message", Defect: "what Slack cuts off is lost",
			File: receipt, Old: `if got == "" || !cut ||`, New: `if got != "" || !cut ||`,
			Dir: dir, Test: "^TestSendSendsWhatSlackDidNotKeep$",
		},
		{
			Promise: "slack: threads", Defect: "an answer leaves its thread",
			File: post, Old: `options = append(options, slack.MsgOptionTS(p.to.Thread))`, New: `options = append(options, slack.MsgOptionTS(""))`,
			Dir: dir, Test: "^TestSendStaysInItsThread$",
		},
		{
			Promise: "slack: previews", Defect: "links unfurl",
			File: post, Old: `slack.MsgOptionDisableLinkUnfurl()`, New: `slack.MsgOptionEnableLinkUnfurl()`,
			Dir: dir, Test: "^TestSendShowsMarkdown$",
		},
		{
			Promise: "slack: questions", Defect: "the buttons stay below an answered question",
			File: post, Old: `if len(blocks) > 0 || p.edits != "" {`, New: `if len(blocks) > 0 {`,
			Dir: dir, Test: "^TestAQuestionWithoutMarkdownBlocks$",
		},
		{
			Promise: "slack: files out", Defect: "an upload that nobody sees may be there",
			File: files, Old: `se := u.fileError(chat, err)
	if se.Class == channels.SendAmbiguous {`, New: `se := u.fileError(chat, err)
	if se.Class == channels.SendGone {`,
			Dir: dir, Test: "^TestSendFileFaults$",
		},
		{
			Promise: "slack: files out", Defect: "the end of a long caption is lost",
			File: files, Old: `for i := 1; i < len(caption); i++ {`, New: `for i := 1; i < 0; i++ {`,
			Dir: dir, Test: "^TestSendFileWithALongCaption$",
		},
	}
}

// slackShowMutants break how an answer grows, and how work shows.
func slackShowMutants() []Mutant {
	const dir = "pkg/channels/slack"
	const out = dir + "/outbound"
	const post, receipt, live, stream, activity = out + "/post.go", out + "/receipt.go", out + "/live.go", out +
		"/stream.go", out + "/activity.go"
	return []Mutant{
		{
			Promise: "slack: streaming", Defect: "a stream that another process began cannot be finished",
			File: post, Old: `case refusal.Streaming() && !p.stopped:`, New: `case refusal.Streaming() && p.edits == "":`,
			Dir: dir, Test: "^TestARestartInTheMiddleOfAStream$",
		},
		{
			Promise: "slack: streaming", Defect: "appends all of it again",
			File: stream, Old: `slack.MsgOptionMarkdownText(more)`, New: `slack.MsgOptionMarkdownText(text + more[:0])`,
			Dir: dir, Test: "^TestAnAnswerIsStreamed$",
		},
		{
			Promise: "slack: streaming", Defect: "shows what may yet become markup",
			File: stream, Old: `if i := strings.IndexAny(block[last:], "*_~`, New: `if i := strings.IndexAny(block[last:], "_~`,
			Dir: out, Test: "^TestWhatIsSteadyStays$",
		},
		{
			Promise: "slack: streaming", Defect: "asks for a stream again and again",
			File: stream, Old: `u.anywhere = true`, New: `u.anywhere = false`,
			Dir: dir, Test: "^TestWhereSlackTakesNoStreams$",
		},
		{
			Promise: "slack: growing answers", Defect: "lets a late edit stand over the answer",
			File: live, Old: `if wait <= 0 {`, New: `if wait > 0 {`,
			Dir: dir, Test: "^TestALateEditDoesNotOutlastTheAnswer$",
		},
		{
			Promise: "slack: working state", Defect: "the reaction stays when the answer is there",
			File: activity, Old: `if p.reacted != "" {
		a.marks.unmark`, New: `if p.reacted == "" {
		a.marks.unmark`,
			Dir: dir, Test: "^TestWorkElsewhereIsAReaction$",
		},
		{
			Promise: "slack: working state", Defect: "the reaction stays when a turn ends without an answer",
			File: out + "/marks.go", Old: `timer.Reset(reactionIdle)`, New: `timer.Reset(24 * reactionIdle)`,
			Dir: dir, Test: "^TestAReactionDoesNotOutlastTheWork$",
		},
		{
			Promise: "slack: growing answers", Defect: "an answer that an edit has no room for is lost",
			File: post, Old: `case refusal.Has("edit_window_closed"), refusal.NoRoom():`, New: `case refusal.Has("edit_window_closed"):`,
			Dir: dir, Test: "^TestAPreviewThatMayNotBeFinished$",
		},
		{
			Promise: "slack: growing answers", Defect: "what is below an edit is sent again and again",
			File: live, Old: `p.edits != "" && !p.short &&`, New: `p.edits != "" &&`,
			Dir: dir, Test: "^TestARestBelowAnEditIsCountedOnce$",
		},
		{
			Promise: "slack: rate limit on one channel", Defect: "a limit of edits holds every message",
			File: receipt, Old: ` && e.Method == "chat.postMessage"`, New: ``,
			Dir: dir, Test: "^TestALimitOfEditsHoldsNoMessages$",
		},
		{
			Promise: "slack: working state", Defect: "asks for a status that the app may not set again and again",
			File: activity, Old: `if a.statuses.off() {`, New: `if !a.statuses.on() {`,
			Dir: dir, Test: "^TestWorkWhereTheAppMayShowNone$",
		},
	}
}

// slackElsewhereMutants break the answer to commands in places without the bot.
func slackElsewhereMutants() []Mutant {
	const dir = "pkg/channels/slack"
	const out = dir + "/outbound"
	return []Mutant{
		{
			Promise: "slack: commands elsewhere", Defect: "is silent where its answer cannot arrive",
			File: out + "/commands.go", Old: `refusal.Has("not_in_channel", "channel_not_found")`, New: `refusal.Has("is_archived")`,
			Dir: dir, Test: "^TestACommandWhereTheBotIsNotIsToldSo$",
		},
		{
			Promise: "slack: commands elsewhere", Defect: "tells people without access too",
			File: dir + "/inbound/intake.go", Old: `for _, f := range forget {
			f()`, New: `for _, f := range forget {
			_ = f`,
			Dir: dir, Test: "^TestACommandWhereTheBotIsNotIsToldSo$",
		},
	}
}
