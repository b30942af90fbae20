// Package corpus keeps folders of documents searchable: it reads their files in the background, puts
// them into an index of words (parley/pkg/index), and looks again and again for files that changed.
//
// It promises:
//
//   - A [Library] changes no file of a folder, follows no link there and waits for no pipe. Its own
//     file holds derived data: one that is missing, damaged or of another form is made anew.
//   - A file is indexed whole, as it was at one moment, or not at all. One that changes while it is
//     read, or did so in the last two seconds, waits for the next look; one that is gone is found no
//     more from the look that misses it.
//   - A search reads the corpora that it names. The words, the order and the number of files of the
//     others have no part in its result.
//   - One worker reads for all corpora, in turns, and rests as long as it worked. Files, their size,
//     their number and the time between two looks have bounds; [State] tells what a bound left out.
//   - A process that is killed leaves an index that opens as it was before a change or after it.
//
// Markdown and plain text are read here. Other formats are read by [Options].Read; without it their
// files are listed as not read.
package corpus
