package files

import (
	"time"

	"parley/pkg/tools"
)

// Options are the settings of the tools.
type Options struct {
	// SearchTime bounds a search; what it found until then is its result.
	// 0 means [DefaultSearchTime].
	SearchTime time.Duration
}

// New makes list_dir, read_file, search_files and file_info.
func New(o Options) []tools.Tool {
	if o.SearchTime <= 0 {
		o.SearchTime = DefaultSearchTime
	}
	look := tools.Annotations{ReadOnly: true, Idempotent: true, MaxOutput: 256 << 10}
	read := look
	read.MaxOutput = maxReadOutput
	return []tools.Tool{
		tools.New("list_dir", "List the files and folders in a folder of the workspace, with type, size in bytes and time of change.", look, listDir),
		tools.New("read_file", "Read a file of the workspace. A whole text file comes as it is; "+
			"a part of one, or a binary file, as JSON {success, path, content, size, encoding, truncated}; "+
			"go on at next_offset.", read, readFile),
		tools.New("search_files", "Search the workspace for files by name pattern, for lines by content, or both.", look, finder{o.SearchTime}.searchFiles),
		tools.New("file_info", "Tell type, size in bytes, time of change and mode of a file or folder of the workspace.", look, fileInfo),
	}
}
