// Package caller is what a program brings along with its request, as the turn has it: the
// options, the conversation as the program tells it, its instructions, and the tools that
// it runs itself.
//
// It promises that options only take away; that the words of a program come behind the
// operator's instructions and never replace them; that a tool of the gateway under a name of
// the program keeps its rules; that no call in them is taken for one
// that the gateway has to run; and that a call of a tool of the program has no result here:
// the turn ends with it, and the result comes with a later message.
package caller
