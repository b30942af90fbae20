package providertest

// Request is the content of a request of any wire.
type Request struct {
	Model, System string
	Entries       []Entry
	Tools         []Tool
	// Choice is the demanded use of tools: auto, none, required or a tool's name; empty
	// where the request leaves it open.
	Choice    string
	MaxTokens int
	Thinking  bool
}

// Entry is the text of one role in a conversation. Results of tools are entries of their
// own; At tells which of them the wire has in one message.
type Entry struct {
	At    int
	Role  string // user, assistant or tool
	Text  string
	Calls []Call
	// ID and Name tell a result's call, where the wire names them.
	ID, Name string
	// Signatures are opaque texts that came with an answer, each with its place.
	Signatures []string
	// Pictures are URLs, of which those with data have the scheme data.
	Pictures []string
}

// Call is a call of a tool.
type Call struct {
	ID, Name  string
	Arguments any
	// Raw is the text of the arguments, where the wire has one.
	Raw string
}

// Tool is an offered tool.
type Tool struct {
	Name, Description string
	Schema            map[string]any
}
