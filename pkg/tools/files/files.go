package files

import (
	"context"
	"time"

	"parley/pkg/documents"
	"parley/pkg/tools"
)

// The modes of a chat's files; the empty mode follows the chat's level.
const (
	ReadOnly  = "ro"
	ReadWrite = "rw"
)

// Options are the settings of the tools.
type Options struct {
	// SearchTime bounds a search, which then returns the results so far. 0 means
	// [DefaultSearchTime].
	SearchTime time.Duration
	// Prepare is called with a chat's space before a tool looks into it, so an unused
	// chat needs no folder. Nil is skipped.
	Prepare func(space string) error
	// Mode is [ReadOnly], [ReadWrite], or empty: then a turn may write that has the
	// level write.
	Mode string
	// Roots gives the folders that the chat of a call reaches beside its space; nil is an
	// empty list.
	Roots func(tools.Invocation) []Root
	// Allow are patterns (see [CheckPattern]); when there are any, only files that
	// match one are read and written.
	Allow []string
	// Refuse are further patterns of files that cannot be read or written, beside
	// [Refused].
	Refuse []string
	// Outside is the folder of a space for received files; its content is from outside.
	// Empty: there is no such folder.
	Outside string
	// Told are the files of a space that each turn's prompt has.
	Told   []string
	Limits Limits
	// Documents gives the text of PDF and DOCX files to read_file; nil: it gives their bytes.
	Documents Documents
	// Secrets are kept out of the parts of a file; nil knows none.
	Secrets Secrets
}

// Documents reads documents: see [documents.Reader].
type Documents interface {
	Read(context.Context, documents.File) (*documents.Document, error)
}

// Root is a folder beside the chats' spaces. Its files are @NAME/PATH.
type Root struct {
	// Name is of letters, digits, - and _.
	Name string
	// Dir is an absolute path.
	Dir string
	// Writable says that a chat which may write may write here too.
	Writable bool
	// Outside says that the content of its files is from outside.
	Outside bool
}

// Limits bound the written files; 0 stands for the default.
type Limits struct {
	// MaxFile is the largest file that is written, in bytes. Default 1 MiB.
	MaxFile int64
	// MaxFiles and MaxBytes are how many files and folders, and how many bytes, a
	// chat's space may have. Default 10,000 and 1 GB. A [Root] has no such limit.
	MaxFiles int
	MaxBytes int64
	// MaxDepth is how many names a path may have. Default 32.
	MaxDepth int
}

func (l *Limits) fill() {
	const file, names, space, depth = 1 << 20, 10_000, 1_000_000_000, 32
	if l.MaxFile <= 0 {
		l.MaxFile = file
	}
	if l.MaxFiles <= 0 {
		l.MaxFiles = names
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = space
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = depth
	}
}

// Writers are the names of the tools of [New] that change files.
func Writers() []string {
	return []string{"write_file", "edit_file", "append_file", "delete_file"}
}

// New makes the tools that look at files, and those that change them.
func New(o Options) []tools.Tool {
	a := newAccess(o)
	look := tools.Annotations{ReadOnly: true, Idempotent: true, MaxOutput: 256 << 10}
	read := look
	read.MaxOutput = maxReadOutput
	// They are all without Idempotent: between a crash and a second run a person, or
	// another chat of the same space, may have changed the file again.
	change := tools.Annotations{Destructive: true, Level: tools.LevelWrite}
	// The present content stays in the file, so no question is needed; but two calls of
	// one answer must come in their order.
	add := tools.Annotations{Ordered: true, Level: tools.LevelWrite}
	return []tools.Tool{
		tools.NewExamined("list_dir",
			"List a folder.",
			look, a.examineList, a.listDir),
		tools.NewExamined("read_file", "Read a workspace file; PDF and DOCX as text, base64 if binary.", read, a.examineRead, a.readFile),
		tools.NewExamined("search_files",
			"Search file names, lines with content, or both.",
			look, a.examineSearch, a.searchFiles),
		tools.New("file_info",
			"Type, size, time, mode of a path.",
			look, a.fileInfo),
		newWriter("write_file", "Write a whole workspace file.", change, a, planWrite),
		newWriter("edit_file", "Replace old_text, which must occur exactly once.", change, a, planEdit),
		newWriter("append_file", "Add to the end of a file, or make it.", add, a, planAppend),
		newWriter("delete_file", "Delete a file or empty folder.", change, a, planDelete),
	}
}
