package outbound

// The fixed texts that people read in Slack; a translation replaces this file.

// textWorking stands behind the bot's name while it works on a message.
const textWorking = "is working on it…"

// textNotHere answers a slash command in a place without the bot. Its asker alone reads it.
const textNotHere = "I am not a member of this conversation, so my answer cannot arrive here. " +
	"Add me with /invite and my name, or ask me in a direct message."
