package wire

import (
	"errors"
	"fmt"
	"io/fs"
)

// OpenFile opens a file that is to be uploaded, and gives its size: a regular file that
// is not empty and has at most limit bytes. The words of limited name the owner of the
// limit, such as "slack takes".
func OpenFile(open func() (fs.File, error), limit int64, limited string) (fs.File, int64, error) {
	content, err := open()
	if err != nil {
		return nil, 0, fmt.Errorf("open the file: %w", err)
	}
	info, err := content.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	case info.Size() == 0:
		err = errors.New("it is empty")
	case info.Size() > limit:
		err = fmt.Errorf("it has %d bytes, more than the %d that %s", info.Size(), limit, limited)
	}
	if err != nil {
		_ = content.Close()
		return nil, 0, fmt.Errorf("the file: %w", err)
	}
	return content, info.Size(), nil
}
