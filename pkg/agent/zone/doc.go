// Package zone knows the time zones of chats, and the time of a turn in the zone of its chat.
//
// It promises:
//
//   - A chat without a zone has the usual one of its channel, and UTC where that is unknown.
//   - A name that this machine does not know counts as no zone, and the log says so.
//
// [Store] keeps the zones that chats have chosen.
package zone
