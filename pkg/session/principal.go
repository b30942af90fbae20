package session

import "parley/pkg/channels"

// Principal is the person for whom work is done that outlasts its turn: a [Task], a [Job]
// or the call of an [Approval].
type Principal struct {
	Sender channels.Sender
	// Direct says whether the sender was alone with the bot.
	Direct bool
	// Level is the sender's when the work was asked for, in the words of policy. The work
	// has no more than that, and no more than the sender has when it is done.
	Level string
	// Follows says that the conversation had untrusted content when the work was asked for: what the
	// work would keep for later turns may be the word of that.
	Follows bool
	// Several says that the work was asked for in a turn that answered several people: it may be another one's wish.
	Several bool
}
