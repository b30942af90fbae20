package gateway

// The fixed texts that people read of a gateway; a translation replaces this file.

// Messages in a chat to strangers and to paired people.
const (
	textPairingCode = "You do not have access yet. Send this code to the bot's administrator:\n\n`%s`\n\n" +
		"The code is valid for one hour. Messages that you send before you have access are not read."
	textDirectOnly = "You have access in direct messages only. I can answer here once the operator allows you or this chat in " +
		"the configuration."
)

// The first line on screen, and the reasons for the choice of the model.
const (
	textModelNamed  = "model: %s, because %s names it. To use another: change it in %s."
	textModelChosen = "model: %s, because /model has chosen it here. To use another: /model."
	textModelFound  = "model: %s, because %s.%s To use another: export OPENAI_API_KEY=..., or name it in %s (%s init writes one)."
	textModelsFail  = "a model cannot use tools"
	textModelLeft   = "%[1]s: not asked, because a key that models.%[1]s names is missing\n"
	textPageAt      = "\npage: %s; log in with: %s web open"
	textModelAlso   = " Also found: %s; /model switches."
)
