// Package panel serves what the page shows beside the messages: the background tasks, the
// schedules and the use of the open chat, and for owners what the operator's commands show.
//
// It promises that a person reads and ends the work of their own chats alone, by the rules of
// /cancel and /schedule; that others' chats, tasks and schedules answer 404 as unknown ones do;
// and that the views of owners exist for owners alone.
//
// To add a view for owners, add its operation to [Options.Views] and to static/owner.js.
package panel
