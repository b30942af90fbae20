// Package outbox hands out the messages that wait, one after the other in each chat.
//
// It promises that a message is queued once, that a delivery is marked before it is sent,
// so that a crash leaves no doubt which messages may be on the platform, and that a
// message which leaves at once is laid out while it is being stored and sent no sooner
// than it is durable. A text that people read in the store ([Outbox.AtOnce]) is delivered by the
// transaction that puts it, behind what waits in its chat. While a chat is held ([Outbox.Hold]) no message of it leaves.
package outbox
