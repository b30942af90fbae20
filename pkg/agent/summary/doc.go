// Package summary has the oldest part of a long conversation summarised, once that part has no
// room in the requests to the model any more.
//
// A turn that left a part out calls [Supervisor.Begin] after its commit. The [Supervisor] owns
// the request from there on: it waits for one of a few places that chats share fairly, reads
// the part from the history, asks the model, and stores the summary with its use in one
// transaction, which also moves the beginning of the history.
//
// It promises:
//
//   - No answer waits for a summary, and a summary may take longer than its turn: up to
//     [AskFor] from its place on.
//   - A conversation has one request for a summary at a time, and rests after one that
//     failed: for a minute at first, twice as long each time, for an hour at most. Until a
//     summary is stored, the requests of the conversation begin where they were cut first,
//     as long as that fits, so that they begin alike.
//   - A stop lets the requests go on for 10 seconds, and no longer than the turns; one that is
//     not done by then is dropped, and the next turn of its conversation asks again. So a
//     restart costs one request at most.
//   - [Supervisor.Drop] ends the request of a conversation before something else stands in
//     its place. A summary of a conversation that was left or forgotten is never stored.
//   - The use counts once, for the turn that asked, also where the summary is not stored.
//
// The package knows no turns: a [Request] has all that it needs of one.
package summary
