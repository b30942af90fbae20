// Package files holds the tools for the files of a chat: list_dir, read_file,
// search_files and file_info look at them, write_file, edit_file, append_file and
// delete_file change them, send_file sends one to the chat.
//
// They promise:
//
//   - They see only the chat's space ([tools.Invocation].Space) and the roots that
//     [Options].Roots gives the chat. Without a space every call is an error.
//   - A path is relative to the space, with slashes; "." is the space itself, and
//     @NAME/PATH lies in a root. Absolute paths and ".." are refused before any file
//     is touched. Symbolic links are followed only if they stay inside. The kernel
//     resolves every step below an open directory, so a link that is swapped
//     meanwhile leads nowhere else, and it reports where a file really lies before a
//     rule about its path is applied.
//   - Content is read from regular files with a single name. FIFOs, sockets and
//     devices are refused without waiting for them, files with several hard links
//     because another name may lie outside.
//   - Files that match [Refused] cannot be read or written, in upper or lower case;
//     [ControlFiles] are not written. Both apply to the given path and to the place
//     that it leads to.
//   - A file is written whole or not at all, also when the process is killed, and not
//     through a link. Tools hide unfinished files, and the next write removes them.
//     The amount of writing is bounded ([Limits]).
//   - The writing tools are [tools.Examiner]s: a forbidden change is refused before a
//     person is asked, the question shows every byte, and the state is a hash of the
//     present file.
//   - A file to be sent is opened like one to be read, goes only to the chat of its
//     call, and is handed whole to a [Sender] before the call ends.
//   - read_file gives the text of a PDF or DOCX by [Options].Documents, which parses it in
//     the sandbox; a document that cannot be read is an error of one sentence.
//   - A part of a file, and a line of a search, has no part of a secret that
//     [Options].Secrets knows, and no search tells how one goes on.
//   - Every answer is bounded: entries of a listing, bytes of a read, results, files,
//     bytes and time of a search. A cut answer says so in "truncated".
//
// To add a tool that looks: write its input struct and its method on access in a file
// of its own, open files through space.openFile and openDir alone, and add it to
// [New]. To add one that changes a file: write its input struct and a plan from its
// target to a change, and add it with newWriter.
package files
