package files

import (
	"context"
	"fmt"
	"time"

	"parley/pkg/tools"
)

// Options are the settings of the tools.
type Options struct {
	// SearchTime bounds a search; what it found until then is its result.
	// 0 means [DefaultSearchTime].
	SearchTime time.Duration
	// Prepare is called with a chat's space before a tool looks into it, so that
	// the folder of a chat that never uses one need not be made. Nil does nothing.
	Prepare func(space string) error
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
		tools.New("list_dir", "List the files and folders in a folder of the workspace, with type, size in bytes and time of change.", look, prepared(o, listDir)),
		tools.New("read_file", "Read a file of the workspace. A whole text file comes as it is; "+
			"a part of one, or a binary file, as JSON {success, path, content, size, encoding, truncated}; "+
			"go on at next_offset.", read, prepared(o, readFile)),
		tools.New("search_files", "Search the workspace for files by name pattern, for lines by content, or both.", look, prepared(o, finder{o.SearchTime}.searchFiles)),
		tools.New("file_info", "Tell type, size in bytes, time of change and mode of a file or folder of the workspace.", look, prepared(o, fileInfo)),
	}
}

// prepared is f after the space was prepared.
func prepared[In any](o Options, f func(context.Context, In) (any, error)) func(context.Context, In) (any, error) {
	if o.Prepare == nil {
		return f
	}
	return func(ctx context.Context, in In) (any, error) {
		if dir := tools.InvocationFrom(ctx).Space; dir != "" {
			if err := o.Prepare(dir); err != nil {
				return nil, fmt.Errorf("the chat's folder: %w", err)
			}
		}
		return f(ctx, in)
	}
}
