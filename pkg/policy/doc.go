// Package policy decides the rights of people and chats, and removes secrets from
// outgoing texts.
//
// It promises:
//
//   - Deny by default: an empty allow list admits no one, an unknown kind of event is
//     refused, and a group is answered only if the bot is addressed.
//   - [Policy.Authorize] is the one place that decides, for every [Kind] of event.
//   - Identity is (channel, account, id). A display name does not count; a name in
//     place of an id is refused when the policy is made.
//   - Pairing, see [Policy.WithPairs], opens direct chats only. A code gives no
//     rights by itself: [Policy.Authorize] reads no text, and only the operator
//     approves.
//   - A [Redactor] replaces every secret it knows, in the forms in which secrets
//     leak: plain, URL-escaped, JSON-escaped and base64.
//
// To add a kind of event: add it to [Kinds] and give it a row in the table in
// authorize.go; the test that lists the kinds fails until it has its cases.
package policy
