package openai

// The fixed texts that clients read; a translation replaces this file.
const (
	textNotFound     = "there is nothing here under this id"
	textNotNow       = "the gateway starts or stops: send the same request again in a moment"
	textNotAllowed   = "the policy of this gateway does not let this person in"
	textInternal     = "an internal error: the log of the gateway says more"
	textFull         = "too many requests of this person wait: send it again later"
	textBody         = "the body is no JSON object of this form: %v"
	textKey          = "Idempotency-Key is 1 to 200 printable characters"
	textOtherBody    = "a request with this Idempotency-Key is stored already, and asks for something else"
	textAnswered     = "this request was answered already, and its answer is read with GET /api/chats/%s"
	textNoModel      = "model is missing: GET /v1/models lists those of this token"
	textUnknownModel = "the model %q does not exist or is none of this token's: GET /v1/models lists them"
	textNoMessages   = "messages is empty"
	textManyMessages = "messages has more than %d entries"
	textTooLong      = "the messages, the instructions and the tools have more than %d bytes together"
	textRole         = "the role is system, developer, user, assistant or tool"
	textLast         = "the last message is one of the user, or the result of a tool"
	textContent      = "content is a text, or a list of parts with texts: pictures, sounds and files are not taken"
	textUnanswered   = "an assistant message with tool_calls must be followed by a tool message for each tool_call_id: %q has none"
	textOrphan       = "no call of an assistant message before it has the tool_call_id %q"
	textTools        = "tools is a list of up to %d functions, each with a name of 1 to 64 letters, digits, _ and -, which no other has"
	textToolChoice   = `tool_choice is "auto", "none", "required", or one of the functions of tools`
	textChoices      = "n is 1: a turn has one answer"
	textFormat       = "response_format is text: an answer in JSON by a schema is not made here"
	textApproval     = "A person has to allow the call of %s first. Its approval has the id %s and is open until %s: " +
		"answer it with POST /api/chats/%s/approvals/%s, or where the gateway shows its questions."
	textBackground  = "background is not taken: with an Idempotency-Key the same request can be sent again"
	textToolCalls   = "max_tool_calls is 1 or more"
	textInput       = "an item of input is a message, a function_call, its output or an answer to a question"
	textPrevious    = "there is no response of this person under this id, or it is forgotten"
	textNoApprove   = "this token may not approve: it lacks the right approve"
	textOwnQuestion = "a token approves calls of turns that another token or a page started, and no others"
	textDecided     = "this question is answered already"
	textFile        = "[the file %s]"
)
