package mutants

// browserMutants break the page as a browser shows it.
func browserMutants() []Mutant {
	const dir, page = "internal/test/browser", "pkg/web/static"
	return []Mutant{
		{
			Promise: "browser: a conversation", Defect: "answers each question with a denial",
			File: page + "/conversation.js", Old: "approvals/${id}`, { decision })", New: "approvals/${id}`, { decision: \"deny\" })",
			Dir: dir, Test: "^TestAPersonAndTheirAssistant$",
		},
		{
			Promise: "browser: nothing lost", Defect: "does not read a chat anew whose events are gone",
			File: page + "/stream.js", Old: `s.addEventListener("reset"`, New: `s.addEventListener("reset-none"`,
			Dir: dir, Test: "^TestNothingIsLostAndNothingTwice$",
		},
		{
			Promise: "browser: stop", Defect: "stops nothing",
			File: page + "/conversation.js", Old: "/page/chats/${chat}/stop", New: "/page/chats/${chat}/seen",
			Dir: dir, Test: "^TestStop$",
		},
		{
			Promise: "browser: login", Defect: "shows the chat on after a revocation",
			File: page + "/stream.js", Old: "instanceof Refused && e.status === 401", New: "instanceof Refused && e.status === 499",
			Dir: dir, Test: "^TestLoginByACode$",
		},
		{
			Promise: "browser: no credential", Defect: "lets scripts read the session",
			File: "pkg/httpd/login/routes.go", Old: "HttpOnly: true,", New: "HttpOnly: false,",
			Dir: dir, Test: "^TestThePageHasNoCredential$",
		},
		{
			Promise: "browser: hostile texts", Defect: "loads the targets of links as pictures",
			File: page + "/markdown.js", Old: `noreferrer">${x}</a>`, New: `noreferrer"><img src=${s.h} alt="" />${x}</a>`,
			Dir: dir, Test: "^TestHostileMarkdown$",
		},
		{
			Promise: "browser: keyboard", Defect: "takes the details of a call from the keyboard",
			File: page + "/entries.js", Old: "    <summary>\n", New: "    <summary tabindex=\"-1\">\n",
			Dir: dir, Test: "^TestByKeyboardAlone$",
		},
		{
			Promise: "browser: accessibility", Defect: "has a field without a name",
			File: page + "/composer.js", Old: `aria-label="Message" placeholder="Write a message"`, New: "",
			Dir: dir, Test: "^TestAccessibility$",
		},
		{
			Promise: "browser: files", Defect: "takes a whole upload for a broken one",
			File: page + "/files.js", Old: "request.status === 201", New: "request.status === 200",
			Dir: dir, Test: "^TestFilesUpAndDown$",
		},
		{
			Promise: "browser: reminders", Defect: "tells nobody of news in other chats",
			File: page + "/conversation.js", Old: "    rowChanged(row);\n", New: "",
			Dir: dir, Test: "^TestAReminderArrivesWhileTyping$",
		},
		{
			Promise: "browser: search", Defect: "searches the list alone",
			File: page + "/sidebar.js", Old: "useOlder(wanted);", New: "useOlder(\"\");",
			Dir: dir, Test: "^TestSearchReachesOldChats$",
		},
		{
			Promise: "browser: linked chats", Defect: "keeps a chat open whose link has ended",
			File: page + "/stream.js", Old: "get(isLinked(chat) ? `/page/chats/${chat}` : \"/page/me\")", New: "get(\"/page/me\")",
			Dir: dir, Test: "^TestAChatOfTelegramOnThePage$",
		},
		{
			Promise: "browser: commands", Defect: "reads the chat anew at the next visit alone",
			File: page + "/conversation.js", Old: "stream.current.reread();", New: "",
			Dir: dir, Test: "^TestCommandsChangeTheOpenChat$",
		},
		{
			Promise: "browser: commands", Defect: "overlooks a message that joins a turn",
			File: page + "/stream.js", Old: `"turn", "joined",`, New: `"turn",`,
			Dir: dir, Test: "^TestAMessageThatJoinsATurn$",
		},
		{
			Promise: "browser: panels and views", Defect: "stops no task",
			File: page + "/panel.js", Old: "tasks/${t.id}/cancel", New: "tasks/${t.id}/none",
			Dir: dir, Test: "^TestThePanelOfAChatOnThePage$",
		},
	}
}
