// Package files holds the tools for the files of a chat: list_dir, read_file,
// search_files and file_info look at them, send_file sends one to the chat.
//
// What they promise:
//
//   - They see the chat's space ([tools.Invocation].Space) and nothing else,
//     and they change nothing. Without a space every call is an error.
//   - A path is relative to the space, with slashes; "." is the space itself.
//     Absolute paths and ".." are refused before anything is touched. Symbolic
//     links are followed only where they stay inside the space; the kernel
//     resolves every step below an open directory, so that a link that is
//     swapped while it is looked at leads nowhere else.
//   - Content is read from regular files with a single name. FIFOs, sockets and
//     devices are refused without waiting for them, files with several hard
//     links because another name may lie outside.
//   - What is sent is opened like what is read, goes to the chat of its call and
//     to no other, and is handed whole to a [Sender] before the call ends.
//   - Every answer is bounded: entries of a listing, bytes of a read, results,
//     files, bytes and time of a search. What was cut says so in "truncated".
//
// To add a tool: write its input struct and its function on [space] in a file
// of its own, open files through space.open alone, and add it to [New].
package files
