package native

// Command is a command that a message may be, for a client that completes it.
type Command struct {
	Name string `json:"name"`
	// Does is what it does, in a line. Usage is how it is written, with its arguments.
	Does  string     `json:"does"`
	Usage string     `json:"usage"`
	Args  []Argument `json:"args"`
}

// Argument is a word behind a [Command].
type Argument struct {
	Name string `json:"name"`
	// Kind says what the word names.
	Kind string `json:"kind"`
	// Values are the words that there are, as far as they are the same in all chats of the caller.
	Values   []string `json:"values,omitempty"`
	Required bool     `json:"required,omitempty"`
}
