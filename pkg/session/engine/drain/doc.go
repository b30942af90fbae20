// Package drain tells when the queues of a channel are empty.
//
// It promises that no call returns while an item or a message of the channel is stored as
// open, or a task that began since the start runs for it and no call waits for its result.
// Other channels hold up none, and a failure is told by the call that the emptying ends. It
// keeps nothing that a crash could lose: the queues stand in the store, and [Watch] notes
// beside them what began and failed since the start.
package drain
