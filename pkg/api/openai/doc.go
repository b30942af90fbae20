// Package openai is the gateway for clients of the OpenAI API: models, chat completions and
// responses.
//
// It promises that a request is stored before it is worked on, and that one with an
// Idempotency-Key is one turn, however often it comes; that a request without a chat has a
// chat of its own, which nobody else reads and which is forgotten; that the words of a
// request give no rights; that a stream holds only what the protocol names, in its order;
// and that each refusal has OpenAI's form.
//
// To add a protocol of the family: a translation of its request to a [channels.Wish], and a
// writer that the events of the turn are told to, as chat completions have them.
package openai
