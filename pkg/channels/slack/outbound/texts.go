package outbound

// The fixed texts that people read in Slack; a translation replaces this file.

// textWorking stands behind the bot's name while it works on a message.
const textWorking = "is working on it…"
