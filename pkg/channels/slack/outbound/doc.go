// Package outbound is the way out of Slack's adapter: messages and their parts, answers
// that grow (streams and edits), files, questions, and the signs that the bot is at
// work.
//
// It promises that a message with an unknown outcome is called ambiguous and sent again
// by [channels.Egress] alone; that a refusal with a cure is cured within the same send
// (blocks, threads, edits that Slack no longer takes); that a text which Slack keeps in
// part is followed by its rest; and that signs of work, being for the eye alone, hold
// up no message.
//
// [Sender] is a composition: the poster sends and edits one message, streams knows the
// messages that are being streamed, live shows an answer while it grows, the uploader
// sends files, and activity shows that the bot is at work.
//
// To use one more remedy against a refusal, add it to remedy in post.go and its error's
// name to package api.
package outbound
