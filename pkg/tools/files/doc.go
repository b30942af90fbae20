// Package files holds the tools for the files of a chat: list_dir, read_file,
// search_files and file_info look at them, write_file, edit_file, append_file and
// delete_file change them, send_file sends one to the chat.
//
// What they promise:
//
//   - They see the chat's space ([tools.Invocation].Space), the roots that
//     [Options].Roots gives the chat, and nothing else. Without a space every call
//     is an error.
//   - A path is relative to the space, with slashes; "." is the space itself, and
//     @NAME/PATH lies in a root. Absolute paths and ".." are refused before
//     anything is touched. Symbolic links are followed only where they stay inside;
//     the kernel resolves every step below an open directory, so that a link that
//     is swapped while it is looked at leads nowhere else, and says where a file
//     really lies before a rule about its path is asked.
//   - Content is read from regular files with a single name. FIFOs, sockets and
//     devices are refused without waiting for them, files with several hard
//     links because another name may lie outside.
//   - What is [Refused] is neither read nor written, in upper or lower case;
//     [ControlFiles] are not written. Both hold for the path as it is given and for
//     the place that it leads to.
//   - A file is written whole or not at all, also when the process is killed, and
//     never through a link. What was left unfinished is shown by no tool and goes
//     with the next write. How much may be written is bounded ([Limits]).
//   - The writing tools are [tools.Examiner]s: what they refuse is refused before
//     anybody is asked, the question shows every byte, and the state is a hash of
//     the file that is there now.
//   - What is sent is opened like what is read, goes to the chat of its call and
//     to no other, and is handed whole to a [Sender] before the call ends.
//   - Every answer is bounded: entries of a listing, bytes of a read, results,
//     files, bytes and time of a search. What was cut says so in "truncated".
//
// To add a tool that looks: write its input struct and its method on access in a
// file of its own, open files through space.openFile and openDir alone, and add it
// to [New]. To add one that changes a file: write its input struct and a plan
// from its target to a change, and add it with newWriter.
package files
