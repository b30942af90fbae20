// Package console is the console of a person at a terminal: an input line with its history, menus
// and keys, and a conversation that is shown as it goes on. It shows the events of a chat, and
// hands the lines on as package channels/console does, which serves pipes and bare terminals.
//
// It works without the alternate screen. What was said stands in the terminal's own scrollback, and
// a frame of a few rows below it holds what still changes: the growing end of an answer, the calls
// that run, an open question, the input line and its menu.
//
// It promises:
//
//   - What comes from outside never disturbs the line that is being typed, and never controls the
//     terminal: see packages ansi and screen.
//   - A message counts as shown once it was written to the terminal.
//   - A paste is one message. A text that could not be sent comes back into the line.
//   - A question is answered by a key only while the line is empty, and after it has been on screen
//     for a moment, so that a letter that was meant for the line answers nothing.
//   - The terminal has its former modes after each end, a panic among them, but SIGKILL.
//
// A View of one's own: see [attach.View]. To add a key, add its row to the table in keys.go; to add
// a command of the console, add its row to the table in commands.go.
package console
