package command

// Command is a command of the chat, and its effect.
type Command struct {
	// Name is the command without its slash.
	Name, Does string
	Args       []Arg
	// Needs is what the channel of its chat must have; "" for most.
	Needs Need

	// like are words for which people look it up.
	like []string
}

// Arg is a word that follows a command.
type Arg struct {
	// Name stands for the word in a description: NAME.
	Name string
	Kind ArgKind
	// Values are the words that there are, where these are the same in all chats.
	Values []string
	// Required: without it the command only says how it is written.
	Required bool
}

// ArgKind says what an [Arg] names, for a client that completes it.
type ArgKind string

// The kinds of arguments.
const (
	ArgModel        ArgKind = "model"        // a model that the chat may choose
	ArgConversation ArgKind = "conversation" // a conversation that the chat left behind
	ArgCount        ArgKind = "count"        // a number
	ArgTool         ArgKind = "tool"         // a tool of the chat
	ArgTask         ArgKind = "task"         // a background task
	ArgSchedule     ArgKind = "schedule"     // a schedule
	ArgGrant        ArgKind = "grant"        // a permission in advance
	ArgFact         ArgKind = "fact"         // a fact that the chat remembers
	ArgWord         ArgKind = "word"         // one of Values
	ArgJSON         ArgKind = "json"         // an object in JSON
)

// Need is something that not each channel has.
type Need string

// The needs.
const (
	// NeedsPage is that of commands about the page in the browser, as seen from another channel.
	NeedsPage Need = "page"
	// NeedsClipboard is that of a command which a client carries out: it reads the last answer by
	// the API, and no gateway reaches a clipboard.
	NeedsClipboard Need = "clipboard"
)

// List lists the commands in the order of /help. It is the one table: menus of platforms, clients
// and help texts are made of it.
func List() []Command {
	return []Command{
		{Name: "help", Does: textDoesHelp, like: []string{"commands", "menu"}},
		{Name: "new", Does: textDoesNew, like: []string{"clear", "reset", "restart"}},
		{
			Name: "resume", Does: textDoesResume, Args: []Arg{{Name: "NUMBER", Kind: ArgConversation}},
			like: []string{"conversations", "sessions", "continue", "back", "chats"},
		},
		{Name: "history", Does: textDoesHistory, Args: []Arg{{Name: "NUMBER", Kind: ArgCount}}, like: []string{"log", "show"}},
		{Name: retryCommand, Does: textDoesRetry, like: []string{"again", "regenerate", "redo", "repeat"}},
		{Name: "undo", Does: textDoesUndo, like: []string{"delete", "remove", "rewind"}},
		{Name: "stop", Does: textDoesStop, like: []string{"abort", "halt"}},
		{Name: "status", Does: textDoesStatus, like: []string{"approvals", "whoami"}},
		{Name: "model", Does: textDoesModel, Args: []Arg{{Name: "NAME", Kind: ArgModel, Values: []string{usualModel}}}},
		{Name: "usage", Does: textDoesUsage, like: []string{"cost", "costs", "tokens", "budget"}},
		{Name: "compact", Does: textDoesCompact, like: []string{"summarise", "summarize", "summary"}},
		{Name: "schedule", Does: textDoesSchedule, like: []string{"jobs", "cron", "reminders", "remind"}, Args: []Arg{
			{Name: "remove|pause|resume", Kind: ArgWord, Values: []string{verbRemove, verbPause, verbResume}},
			{Name: "ID", Kind: ArgSchedule},
		}},
		{Name: "tasks", Does: textDoesTasks, like: []string{"agents", "background"}},
		{Name: "cancel", Does: textDoesCancel, Args: []Arg{{Name: "ID", Kind: ArgTask, Required: true}}, like: []string{"kill"}},
		{
			Name: "revoke", Does: textDoesRevoke, Args: []Arg{{Name: "ID", Kind: ArgGrant}},
			like: []string{"grants", "permissions", "disallow", "allowed"},
		},
		{
			Name: "memory", Does: textDoesMemory, like: []string{"facts", "remember", "forget"},
			Args: []Arg{{Name: "list|remove", Kind: ArgWord, Values: []string{verbList, verbRemove}}, {Name: "ID", Kind: ArgFact}},
		},
		{Name: "tools", Does: textDoesTools, Args: []Arg{{Name: "NAME", Kind: ArgTool}}},
		{Name: "forget", Does: textDoesForget, like: []string{"erase", "wipe", "purge"}},
		{Name: "copy", Does: textDoesCopy, Needs: NeedsClipboard, like: []string{"clipboard"}},
		{Name: "link", Does: textDoesLink, Needs: NeedsPage},
		{Name: "unlink", Does: textDoesUnlink, Needs: NeedsPage},
		{Name: toolCommand, Does: textDoesTool, Args: []Arg{
			{Name: "NAME", Kind: ArgTool, Required: true}, {Name: "JSON", Kind: ArgJSON, Required: true},
		}},
	}
}

// The verbs of /schedule and /memory, as their rooms read them.
const (
	verbList   = "list"
	verbRemove = "remove"
	verbPause  = "pause"
	verbResume = "resume"
)

// toolCommand is the one command that is a message's turn.
const toolCommand = "tool"

// Usage is the command with its arguments, behind the text that a person types for it.
func (c *Command) Usage(typed string) string {
	for i := range c.Args {
		a := &c.Args[i]
		if a.Required {
			typed += " " + a.Name
		} else {
			typed += " [" + a.Name + "]"
		}
	}
	return typed
}
