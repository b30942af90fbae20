// Package channelstest is the suite that every [channels.Channel] passes, over a
// real connection to a fake of its platform or to the platform itself.
//
// A test of an adapter calls [Run] with a [Factory]. The factory starts the platform's
// other end and returns a [Rig]: functions that make channels on it, that write as a
// person, and that read a person's screen. The suite brings the other side, a store
// behind a real [channels.Ingress], and checks:
//
//   - messages arrive whole and in order, each under its own key, and only for their
//     own chat;
//   - a platform is acknowledged only after the store took it; an event that the store
//     refused comes again under the same key, also after a restart; an acknowledged
//     event does not come again;
//   - a part of a chat is sent in order, has a receipt, and only its chat sees it,
//     however many chats send at once; a part as long as the limits allow is taken;
//   - of a channel that is a [channels.Buttoner], a press comes as a press, from the
//     chat and the message that it was made in; a message shows all that it asks, and
//     has no buttons any more when another finishes it;
//   - Run and Send end with their context;
//   - hostile text harms neither the channel nor later messages.
//
// To add a check: write a function of a factory and name it in Run's list. A rig leaves
// out the abilities that its platform lacks, and the check says that it was skipped.
package channelstest
