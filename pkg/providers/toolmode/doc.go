// Package toolmode lets a model use tools whose server offers none.
//
// [New] wraps the provider of one server. It promises:
//
//   - With [JSONSchema] the tools stand in the instructions, the answer is asked for as
//     JSON that holds a text or calls, by a schema with those of the tools, and earlier
//     calls and results are told as JSON. The caller sees the same answers, calls and
//     events as from a server with tools.
//   - With [None] no tool is offered. Where the caller requires a call, the person is told
//     so, once in a conversation.
//   - With [Auto] the server's own way is tried first. A server that refuses tools with the
//     status 400, as OpenRouter does with 404 or as llama.cpp does with 500, is asked in the
//     other way at once, and for an hour.
//   - A call whose text occurs in a message or a result stays text, and a result that looks
//     like an answer is told as data.
//
// To add a way of asking: a [Mode], its translation of a request beside those in
// rewrite.go, and a run of the suite in its test.
package toolmode
