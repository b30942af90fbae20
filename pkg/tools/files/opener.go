package files

import (
	"context"
	"os"

	"parley/pkg/tools"
)

// Opener opens files for tools of other rooms, by the rules of read_file.
type Opener struct{ access *access }

// NewOpener makes an opener.
func NewOpener(o Options) Opener { return Opener{newAccess(o)} }

// Open opens the file of a call and tells its size. The caller closes it.
func (o Opener) Open(ctx context.Context, path string) (*os.File, int64, error) {
	s, p, err := o.access.enter(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	defer s.close()
	f, info, err := s.openFile(p)
	if err != nil {
		return nil, 0, err
	}
	if info.Size() == 0 {
		_ = f.Close()
		return nil, 0, s.fail(tools.ErrInvalidArguments, p, "this file is empty")
	}
	return f, info.Size(), nil
}
