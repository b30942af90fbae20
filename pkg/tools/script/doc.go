// Package script makes tools of the operator's own programs: folders NAME with a
// tool.yaml, which describes the tool, and an executable, which runs in the sandbox
// for every call.
//
// It promises:
//
//   - tool.yaml is strict: an unknown, mistyped or repeated key is refused with line
//     and column. A faulty folder is one tool that is disabled with the reason; the
//     others work.
//   - The program gets the arguments as JSON on its standard input and sees its own
//     folder and the chat's space. The gateway's environment is hidden from it. The
//     space is writable unless the tool is read-only, and the network is reachable
//     only if tool.yaml says so.
//   - Only the operator can put a program there: a file or folder that everyone may
//     write, or a link out of the folder, is not run. Every call checks this again.
//   - The result of any output is text within the tool's bounds. A failed program is
//     an error with the end of its standard error.
//
// To add a key to tool.yaml: add it to [Manifest], and to the table in manifest.go.
package script
