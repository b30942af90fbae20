// Package places has the places in which the turns of an agent run, so that not all run at once.
//
// It promises that a turn gets a place by how long it waits, so that each wait ends; that a part
// of the places goes to the turns which came last, so that a newcomer behind thousands of chats
// does not wait for all of them; that a turn of other places takes one of those for people from
// when a person waits for it; and that a turn has one place at a time.
package places
