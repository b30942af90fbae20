package telling

// The fixed texts that readers of a chat are told; a translation replaces this file.
const textLimitNotice = "The limit of steps for one answer was reached; the model was told to finish."
