package agui

// The fixed texts that clients read; a translation replaces this file.
const (
	textThread  = "threadId is 1 to %d bytes of text"
	textRun     = "runId is 1 to %d bytes of text"
	textNoInput = "there is nothing new in messages: no user message stands behind the last answer of the assistant"
	textContent = "content is a text, or a list of parts of the type text, and in a message of the user of the type image, whose source is " +
		"data in base64 (png, jpeg, gif, webp); sounds, videos, documents and addresses are not taken"
	textPictures     = "a run brings %d pictures at most"
	textMessages     = "messages and resume have %d entries at most"
	textManyTools    = "there are %d tools at most"
	textToolName     = "the tool %q has no name of 1 to 64 letters, digits, - and _, or has that of another one"
	textToolSchema   = "the parameters of the tool %q are no JSON object"
	textInstructions = "the messages of the system and the developer, and the context, have %d KiB together at most"
	textNoCall       = "no call of this thread waits for these results: it was answered, or the conversation went on"
	textInterrupted  = "this thread waits for an answer to %s: send resume for each of them, answer elsewhere, or wait until they expire"
	textStatus       = "the status of a resume entry is resolved or cancelled"
	textPayload      = `the payload of a resume entry is {"decision": %q}, with one of these words, or {"approved": true} or false`
	textEdited       = "the arguments of a call cannot be edited: deny the call, and say how it should be"
	textLost         = "the stream was too slow for the events of its chat: send the run again with the same runId"
	textUnanswered   = `{"error":true,"type":"interrupted","message":"the run ended before this call had a result"}`
	textDenied       = `{"error":true,"type":"approval_denied","message":"a person denied this call"}`
	textFailed       = "an internal error: the log of the gateway says more"
)
