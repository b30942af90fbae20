// Package prompt reads all that a model is shown of a chat: the instructions, the files
// of the chat's space, the history, and the messages of a turn with their attachments.
//
// It promises:
//
//   - A request begins as the one before did: the date and the files of the space stand
//     behind the history, and a full history loses its oldest quarter at once.
//   - Files of a space are read as far as they are plain files, and up to a bound. A link,
//     a pipe or a folder in their place reads as empty, and the log says why.
//   - A disk that hangs holds up the turns of its space alone, with one reader for them,
//     and the end of a turn's context ends its wait.
//   - A history fits a budget of tokens and entries, and begins with a person's
//     message, so a call stays with its result. One entry takes at most a quarter of the
//     budget, the steps of one turn at most five eighths.
//   - Attachments are fetched for the turn that reads them, within 20 seconds and some at
//     once; the model is told the outcome of each.
//
// The package stores no text and is free of turns: [Store] and the functions of
// [Options] are its sources.
package prompt
