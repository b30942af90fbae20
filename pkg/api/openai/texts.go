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
	textContent      = "content is a text, or a list of parts: texts, and in a message of the user pictures, each as a data: URL with " +
		"base64 (png, jpeg, gif, webp); sounds, files and other addresses are not taken"
	textPictures   = "a request has %d pictures at most"
	textUnanswered = "an assistant message with tool_calls must be followed by a tool message for each tool_call_id: %q has none"
	textOrphan     = "no call of an assistant message before it has the tool_call_id %q"
	textLate       = "no call of this token waits for a result under the tool_call_id %q: it was answered, is late, or is none"
	textTools      = "tools is a list of up to %d functions, each with a name of 1 to 64 letters, digits, _ and -, which no other has"
	textServer     = "the one server of tools is this gateway, with the server_label %q; its allowed_tools are up to 128 names, as a list " +
		"or as tool_names, and no other filter: name the tools"
	textToolChoice = `tool_choice is "auto", "none", "required", or one of the functions of tools`
	textChoices    = "n is 1: a turn has one answer"
	textFormat     = "the type of the format is text, json_object or json_schema"
	textSchema     = "json_schema has a schema, which is an object of JSON Schema"
	textNoFormat   = "the model does not hold its answers to this form: ask for text, for another form, or another model"
	textApproval   = "A person has to allow the call of %s first. Its approval has the id %s and is open until %s: " +
		"answer it with POST /api/chats/%s/approvals/%s, or where the gateway shows its questions."
	textBackground  = "background is not taken: with an Idempotency-Key the same request can be sent again"
	textToolCalls   = "max_tool_calls is 1 or more"
	textInput       = "an item of input is a message, a function_call, its output or an answer to a question"
	textBehind      = "behind an mcp_approval_response stand no words and no results: send them behind its response"
	textPrevious    = "there is no response of this person under this id, or it is forgotten"
	textInProgress  = "the response is in progress: delete it once it has ended"
	textNoStream    = "a stored response is not streamed: the same request with its Idempotency-Key is"
	textNoApprove   = "this token may not approve: it lacks the right approve"
	textOwnQuestion = "a token approves calls of turns that another token or a page started, and no others"
	textDecided     = "this question is answered already"
	textFile        = "[the file %s]"
)
