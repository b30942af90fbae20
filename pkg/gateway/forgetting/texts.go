package forgetting

// The fixed texts that people read in a chat; a translation replaces this file.
const (
	textForgotten = "This chat is forgotten: its conversations, files, schedules, tasks and permissions are deleted. " +
		"Within the hour no file of the gateway has its words any more, older snapshots included. " +
		"What you see here is the copy of this app: delete it there."
	textSharedStays = " The files in the folder that the owners share stay."
)
