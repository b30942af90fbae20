// Package api is Slack's Web API as the adapter uses it: one [Client] with the tokens,
// the proxy and the bounds of calls, and one [Error] with Slack's reason for a refusal.
//
// It promises that no error holds a token or an address that is a permission; that a
// call ends in time and reads a bounded answer; that the token goes to Slack's hosts
// alone; and that an error says whether the request left and whether a second try may
// help ([Error.Class], [ClassOf]).
//
// To use one more method of Slack's, pass the library's call to [Client.Call], or to
// [Client.Read] where the call has an effect that an unreadable answer does not undo.
package api
