// Package console is the channel of the person at the terminal, in its plain
// line form: lines in, text out, no screen control beyond one line.
//
// # Interactive
//
// A prompt asks for a line; the terminal's own line editing works, because the
// terminal stays in its normal mode. A line that ends in a backslash goes on in
// the next one. A line of three double quotes opens a block of lines, and the
// same line closes it: that is the way to paste something long. Blank lines
// outside a block are nothing.
//
// An answer appears while it grows ([Channel.Draft]): only what is new is
// written. The message that finishes a draft adds what is missing, and is
// written whole where it is not the draft's continuation. A note
// ([Channel.Status]) stands on a line of its own.
//
// A message with buttons is followed by a line that names a key for each, such as
//
//	[y] Allow once  [a] Allow here  [n] Deny
//
// The next line that is nothing but such a key, the word yes or no for the first and
// the last, or a button's label, in any case, presses it; anything else is a message,
// and the question stays open. The newest open question is the one that is answered. A
// question that was answered, or that another message finished, is open no longer. One
// that was asked in an earlier run of the process and is still open (Options.Waiting)
// is shown again at the start.
//
// [Channel.Interrupt] is what Ctrl-C means: while something is under way, stop
// it (by Options.OnInterrupt, or else as if the person had sent /stop); when
// nothing is under way, or a second time within two seconds, leave. The signal
// itself and the end of Run's context are the caller's. Ctrl-D, the end of input, leaves too. An unfinished
// block is then dropped, and said so.
//
// # Piped
//
// Each line that is not blank is one message with Solo set, a turn of its own;
// there is no prompt, no draft, no joining of lines. Run returns after the last
// line was delivered; whoever waits for the answers asks the engine. A line that is
// a key is held until what came before it is answered (Options.Settled), because the
// question may only be asked then. Answers follow one another, each ending in a line
// break. A line above 1 MiB is not delivered, and Run returns [ErrLineTooLong] after
// the others were; a line that could not be stored ends Run with that error.
//
// # What it promises
//
//   - Nothing that was read is dropped silently; a message counts as taken in
//     once [channels.Ingress] stored it.
//   - Ids are a random id of the run and a counter: a console never delivers
//     anything a second time.
//   - No byte that controls a terminal gets through: see [Sanitize]. That holds
//     for drafts too, wherever they are cut.
//   - A Send or a Draft ends with its context, also when the terminal takes
//     nothing (Ctrl-S). An output that is closed ends Run with [ErrOutput].
//
// A file is the line "[file]" with its path: it lies on the person's own machine.
// Markdown is shown as it is written. The caller has to ignore SIGPIPE, as a
// write to a closed standard output would otherwise end the process.
//
// A goroutine that waits in a read of the input outlives Run when the input can
// neither be closed nor given a deadline, as is so for a terminal. It holds
// nothing and ends with the next line or the process.
package console
