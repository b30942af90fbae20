// Package fakemodel is a strict model server for tests and benchmarks. It speaks
// the OpenAI chat completions protocol over real HTTP, streaming and not, and writes down speech.
//
// It promises to be at least as strict as the strictest real server: a request
// with a tool call without its result, a repeated call id, an illegal tool name,
// an empty message, an unknown role or an unknown field is HTTP 400 and counted
// as a violation. Its answers come from a script, [Echo] by default, and every
// fault that real servers show can be asked for with [Fault].
//
// To add a fault: a field of [Fault], and its effect in transmit.go. To add a
// command of the default script: a case in echo.go.
package fakemodel
