package linking

// The sentences that people read in a chat and on the page.
const (
	textCode = "Type this code on the page within five minutes: `%s`\n\nWho types it there reads this chat on the page, from its beginning. " +
		"Give it to nobody else. %s ends that again."
	textOnPage   = "This chat is on the page already."
	textNoPage   = "This gateway serves no page: the operator switches it on with http.listen in the configuration."
	textUnlinked = "The page shows this chat no more."
	textNotThere = "No page shows this chat. %s makes a code for it."
	textWrong    = "no chat has this code, or it is used or over: write /link in the chat for a new one"
	textGroup    = "this code is that of a group: groups are shown to owners only"
	textFull     = "your page shows %d chats of other channels: take one away first"
	textUnknown  = "your page has no such chat"
	textOver     = "your login has ended"
	textInternal = "the gateway has failed at this request: its log says more"
)
