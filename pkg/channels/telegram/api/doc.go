// Package api is Telegram's Bot API as the adapter uses it: one [Client] with the token,
// the proxy and the bounds of calls, and one [Error] with Telegram's reason for a refusal.
//
// It promises that the token is put into the URL at the last moment and taken out of
// every error; that a call ends in time and reads a bounded answer; that polls and sends
// do not wait for each other's connections; and that an error says whether the request
// left and whether a second try may help ([Error.Class], [wire.Error.Class]).
//
// To use one more method, pass its name and parameters to [Client.Call].
package api
