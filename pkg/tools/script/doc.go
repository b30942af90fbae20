// Package script makes tools of the operator's own programs: folders NAME with a
// tool.yaml, which says what the tool is, and an executable, which is run in the
// sandbox for every call.
//
// What it promises:
//
//   - tool.yaml is strict: what is unknown, mistyped or written twice is refused with
//     line and column. A folder that is not as it should be is one tool that is
//     disabled with the reason; the others work.
//   - The program gets the arguments as JSON on its standard input, sees its own
//     folder and the chat's space, and nothing of the gateway's environment. The space
//     can be written to unless the tool is read-only, the network reached only where
//     tool.yaml says so.
//   - Nobody but the operator puts a program there: a file or folder that everybody
//     may write, or that a link leads out of the folder, is not run. That is looked at
//     again before every call.
//   - Whatever the program writes, its result is text within the tool's bounds. A
//     program that fails is an error with the end of what it wrote to standard error.
//
// To add a key to tool.yaml: add it to [Manifest], and to the table in manifest.go.
package script
