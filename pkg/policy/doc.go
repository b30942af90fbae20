// Package policy says who may do what, and keeps secrets out of what leaves.
//
// What it promises:
//
//   - Deny by default: an empty allow list is nobody, an unknown kind of event
//     is refused, and a group is answered only where the bot is spoken to.
//   - [Policy.Authorize] is the one place that decides, for every [Kind] of event.
//   - Identity is (channel, account, id). A display name decides nothing; a name
//     where an id belongs is refused when the policy is made.
//   - Pairing, see [Policy.WithPairs], opens direct chats and nothing else. A code
//     gives no rights by itself, wherever it is written: [Policy.Authorize] reads no
//     text, and only the operator approves.
//   - A [Redactor] replaces every secret it knows, in the forms in which secrets
//     leak: plain, URL-escaped, JSON-escaped and base64.
//
// To add a kind of event: add it to [Kinds] and give it a row in the table in
// authorize.go; the test that lists the kinds fails until it has its cases.
package policy
