// Package console is the channel of the person at the terminal, in its plain line form: lines
// in, text out, no screen control beyond one line.
//
// # Interactive
//
// A prompt asks for a line; the terminal's own line editing works, because the terminal stays
// in its normal mode. A line that ends in a backslash goes on in the next one. A line of three
// double quotes opens a block of lines, and the same line closes it: use it to paste a long
// text. Blank lines outside a block are ignored.
//
// An answer appears while it grows ([Channel.Draft]): only the new part is written. The message
// that finishes a draft adds the missing part, and is written whole if it does not continue the
// draft. A note ([Channel.Status]) stands on a line of its own.
//
// A message with buttons is followed by a line that names a key for each, such as
//
//	[y] Allow once  [a] Allow here  [n] Deny
//
// The next line that is exactly such a key, the word yes or no for the first and the last, or a
// button's label, in any case, presses it. Any other line is a message, and the question stays
// open. A press answers the newest open question. A question is closed once it was answered, or
// another message finished it. An open question from an earlier run of the process
// (Options.Waiting) is shown again at the start.
//
// [Channel.Interrupt] is the meaning of Ctrl-C: during a turn, stop it (by Options.OnInterrupt,
// or else as if the person had sent /stop); when idle, or a second time within two seconds,
// leave. The signal itself and the end of Run's context are the caller's. Ctrl-D, the end of
// input, leaves too. It drops an unfinished block, with a notice.
//
// # Piped
//
// Each line that is not blank is one message with Solo set, a turn of its own; there is no
// prompt, no draft, no joining of lines. Run returns after the last line was delivered; a
// caller that waits for the answers asks the engine. A line that is a key is held until all
// earlier lines are answered (Options.Settled), because the question may only be asked then.
// Answers follow one another, each ending in a line break. A line above 1 MiB is not delivered,
// and Run returns [ErrLineTooLong] after the others were; a line that could not be stored ends
// Run with that error.
//
// # Promises
//
//   - No input is dropped silently; a message counts as accepted once [channels.Ingress] stored
//     it.
//   - Ids are a random id of the run and a counter: a console delivers each message once.
//   - Bytes that control a terminal are made visible: see [Sanitize]. That holds for drafts
//     too, wherever they are cut.
//   - A Send or a Draft ends with its context, also if the terminal is stopped (Ctrl-S). A
//     closed output ends Run with [ErrOutput].
//
// A file is the line "[file]" with its path: it lies on the person's own machine. Markdown is
// shown as it is written. The caller has to ignore SIGPIPE, as a write to a closed standard
// output would otherwise end the process.
//
// A goroutine that waits in a read of the input outlives Run if the input cannot be
// closed or given a deadline, as a terminal. It holds no resources and ends with the
// next line or the process.
package console
