package tools

// ExactTool is an optional extension for tools that keep numbers which no float64
// gives back, such as the id 9007199254740993. In the arguments of Execute and Examine
// a number is a float64 where that keeps its value; any other number is a json.Number,
// which only an ExactTool gets. A call of another tool with such a number is refused.
//
// Tools made by [New], [NewExamined] and [NewAsync] are exact as far as their structs
// are: an int64, a json.Number and a json.RawMessage keep numbers that a float64 changes.
type ExactTool interface {
	Tool
	// TakesExact returns nil if the tool runs with exactly the numbers of args, else why
	// it would change one. It is asked before any person is asked for approval, on the
	// value as it was registered, and only about arguments that fit the schema and hold
	// a json.Number. The error is best an [*Error].
	TakesExact(args map[string]any) error
}
