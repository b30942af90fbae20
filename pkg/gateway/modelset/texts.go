package modelset

// The fixed texts that people read about the models; a translation replaces this file.
const (
	textModelOffline = "offline (built in, no real language model)"
	textNoModel      = "no key of a model server is set, such as OPENAI_API_KEY, and no model server with a model answers on this machine"
	textNoModels     = "the server lists no model that can talk"
	textListStatus   = "%s answers with HTTP %d"
	textNoList       = "%s gives no list of models: %w"
)
