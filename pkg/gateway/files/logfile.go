package files

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// LogFile is a log in a folder, which takes twice maxLog at most: where it is full, it becomes the
// former log, and a new one is begun. It is opened at its first line, and made with its folder.
type LogFile struct {
	path string

	mu   sync.Mutex
	file *os.File
	size int64
}

// maxLog is the size in bytes at which a log is full.
const maxLog = 8 << 20

// NewLogFile is the log at a path.
func NewLogFile(path string) *LogFile { return &LogFile{path: path} }

// Write appends whole lines.
func (l *LogFile) Write(lines []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil && l.size+int64(len(lines)) > maxLog {
		err := errors.Join(l.file.Close(), os.Rename(l.path, l.path+".1"))
		if l.file = nil; err != nil {
			return 0, err
		}
	}
	if err := l.open(); err != nil {
		return 0, err
	}
	n, err := l.file.Write(lines)
	l.size += int64(n)
	return n, err
}

func (l *LogFile) open() error {
	const own, folder = 0o600, 0o700
	if l.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(l.path), folder); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, own)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Close closes the log; a line behind that opens it again.
func (l *LogFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
