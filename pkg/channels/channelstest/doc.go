// Package channelstest is the suite that every [channels.Channel] passes, over a
// real connection to a fake of its platform or to the platform itself.
//
// A test of an adapter calls [Run] with a [Factory]. The factory starts the
// platform's other end and returns a [Rig]: how to make channels on it, how a
// person writes, what a person sees. The suite brings the other side, a store
// behind a real [channels.Ingress], and checks:
//
//   - what arrives is whole and in order, each under its own key, and only to
//     its own chat;
//   - a platform is acknowledged after the store took it, never before; what the
//     store refused comes again under the same key, also after a restart;
//     nothing that was acknowledged comes again;
//   - a part of a chat is sent in order, has a receipt, and only its chat sees it,
//     however many chats send at once; a part as long as the limits allow is taken;
//   - of a channel that is a [channels.Buttoner], a press comes as what it is, from the
//     chat and the message that it was made in; a message shows all that it asks, and
//     has no buttons any more when another finishes it;
//   - Run and Send end with their context;
//   - hostile text harms neither the channel nor what follows.
//
// To add a check: write a function of a factory and name it in Run's list. What a
// platform cannot do, its rig leaves out, and the check says that it was skipped.
package channelstest
