package check

// The prompt.
const (
	textSystem   = "This is a check of your tools. Answer in one short sentence."
	textSums     = "Use the tool add for 17 and 25, and for 3 and 4. Call it for both at once, then tell me both results."
	textHello    = "Say hello."
	textPicture  = "Which colour has this picture? Answer with one word."
	textAdd      = "Adds two numbers. The sums of this tool are in a unit of its own: repeat them as they are."
	textMultiply = "Multiplies two numbers."
)

// The words of the table.
const (
	textModel  = "model"
	textFailed = "%s: %v\n"
)
