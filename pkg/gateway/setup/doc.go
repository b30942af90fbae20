// Package setup makes the first configuration. [Run] finds the keys of the environment and
// the model servers on this machine, has a model chosen, asks it one question with a tool,
// and writes the configuration with the steps that are left to the person.
//
// It promises:
//
//   - A key is written as a reference to its variable, never as its value, and no text that
//     it says holds one.
//   - The file is one that the gateway accepts: the text is checked before it is written,
//     with mode 0600, and the question to the model is asked with this very text.
//   - A file that is there stays, unless [Flags.Force] is set; then it is kept beside the new one.
//   - At most five questions are asked, counted with that of the caller; none without a
//     person, and none whose answer a flag gives.
//
// To add a server whose key is found: see package modelset. To add a channel: a row in
// platforms, a block in render.go, and its steps in texts.go.
package setup
