package providers

// The sentences for a person in a chat about a failed model; a translation replaces this
// file.
const (
	textRateLimited = "The model is receiving too many requests right now. Please try again in a moment."
	textOverloaded  = "The model server has a problem right now. Please try again in a moment."
	textUnreachable = "I cannot reach the model server at %s. Is it running?"
	textBrokeOff    = "The model's answer broke off. Please try again."
	textTimeout     = "The model did not answer in time. Please try again."
	textTooLong     = "This conversation is too long for the model."
	textAuth        = "The model server refused the key. The operator needs to check api_key in the configuration."
	textQuota       = "The model account has no credit left. The operator needs to top it up or choose another model."
	textNotFound    = "The model server has no model %s at its address. The operator needs to check model and base_url in the configuration."
	textFiltered    = "The model's content filter refused to answer this."
	textRecited     = "The model stopped because its answer repeated a published text too closely. Please ask in other words."
	textUnusable    = "The model gave an answer that I cannot use. Please try again, or write it differently."
	textRefused     = "The model server refused the request."
)
