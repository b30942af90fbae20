// Package outbound is the way out of Telegram's adapter: messages and their parts,
// answers that grow (drafts and edits), files, questions, and the typing sign.
//
// Split turns Markdown into parts of Telegram's HTML (package markup); the outbox
// stores these parts and Send sends them. It promises that a message with an unknown
// outcome is called ambiguous and sent again by [channels.Egress] alone; and that a
// refusal with a cure is cured within the same send: as plain text where the markup
// cannot be read, without a reply that is gone, to the new id of a group that migrated.
//
// To use one more remedy against a refusal, add it to remedy in post.go and its texts to
// package api.
package outbound
