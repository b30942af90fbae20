package native

// The fixed texts that clients read; a translation replaces this file.
const (
	textNotFound    = "there is nothing here under this id"
	textNotNow      = "the gateway starts or stops: send the same request again in a moment"
	textNotAllowed  = "the policy of this gateway does not let this person in"
	textInternal    = "an internal error: the log of the gateway says more"
	textBody        = "the body is no JSON object of this form: %v"
	textNoMessage   = "message is empty"
	textKey         = "Idempotency-Key is 1 to 200 printable characters"
	textOtherBody   = "a message with this Idempotency-Key is stored already, and says something else"
	textToolName    = "there is no tool %q in this chat: GET /tools lists them"
	textRounds      = "max_tool_iterations is 1 to %d"
	textChoice      = `tool_choice is "auto", "none", "required" or {"name": TOOL}`
	textManyTools   = "tools names %d tools at most"
	textDecision    = "decision is allow_once, allow_here or deny"
	textDecided     = "this question is answered already"
	textNoApprove   = "this token may not approve: it lacks the right approve"
	textNoCallTools = "this token may not call a tool without a model: it lacks the right call_tools"
	textNoModel     = "this token may not choose the model %q: it is none of the models of the token, or there is none of that name"
	textOwnQuestion = "a token approves calls of turns that another token or a page started, and no others"
)
