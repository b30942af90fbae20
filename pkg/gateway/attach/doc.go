// Package attach shows the chat of a running gateway on a console: it follows the events of the
// chat over the admin socket, and sends what a person types there.
//
// It promises:
//
//   - A message is stored in the gateway when the console goes on to the next line. Sent again
//     after a lost connection, it counts once.
//   - Each message of the chat is shown once to this console, in their order; those that came
//     while no console was there are shown first, with the words that they answer.
//   - A question can be answered from each console until it has its answer, and is shown again
//     to a console that comes later.
//   - The connection is made again while the gateway starts anew.
package attach
