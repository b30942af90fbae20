// Package event turns Slack's envelopes into inbound items. It is a pure translation
// without connections, store or clock.
//
// A [Decoder] does not fail. An envelope that cannot be read, is too large or of an
// unknown kind becomes an [Event] that names its kind and holds its payload without
// tokens and response addresses; its envelope id is found wherever possible, so that
// the envelope can be acknowledged.
//
// A post that mentions the bot comes as message and as app_mention: both give the id
// msg/<chat>/<ts>. Edits, deletions, presses and slash commands have ids of their own;
// edits and deletions name their original.
//
// To decode one more kind of event, add its case to callback in decode.go and a case
// to the table of the tests.
package event
