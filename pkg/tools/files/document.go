package files

import (
	"context"
	"errors"
	"io"
	"os"
	"path"

	"parley/pkg/documents"
	"parley/pkg/tools"
)

// isDocument says whether a file is read as a document: a PDF or a DOCX, by its first bytes.
func (a *access) isDocument(p string, f *os.File) bool {
	if a.options.Documents == nil {
		return false
	}
	const enough = 1024
	head := make([]byte, enough)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	kind := documents.Detect(p, head[:n])
	return kind == documents.PDF || kind == documents.DOCX
}

// readDocument gives a part of the text of a document.
func (a *access) readDocument(ctx context.Context, f *os.File, shown string, size int64, in readInput) (any, error) {
	d, err := a.options.Documents.Read(ctx, documents.File{
		Owner: tools.InvocationFrom(ctx).Owner(), Name: path.Base(shown), Content: f,
		Waits: func() func() { return tools.Waiting(ctx) },
	})
	if refused, ok := errors.AsType[*documents.Error](err); ok {
		return nil, tools.Fail(tools.ErrExecutionFailed, shown+": "+refused.Reason, map[string]any{"path": shown}).Because(err)
	}
	if err != nil {
		return nil, err
	}
	text := d.String()
	c := a.chunkOf([]byte(text), 0, min(in.Offset, int64(len(text))), in.Limit)
	out := c.show(shown, size)
	out.Format, out.Pages, out.Note = string(d.Kind), d.Pages, d.Note
	return out, nil
}
