package config

import (
	"os"
	"sync"
	"time"
)

// settled is how old a file must be to be known by its time: two changes may have one time.
const settled = 2 * time.Second

// secretFile is the file of a secret, which its owner may replace at any time: a token for
// an hour, for instance. Many goroutines may use it at once.
type secretFile struct {
	path string

	mu    sync.Mutex
	seen  os.FileInfo // of the file that has value; nil for an unknown or a new one
	value string
}

// read gives the value, read anew if the file has changed. With an error the value is the
// one before.
func (f *secretFile) read() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	if err == nil && f.seen != nil && os.SameFile(info, f.seen) && info.ModTime().Equal(f.seen.ModTime()) && info.Size() == f.seen.Size() {
		return f.value, nil
	}
	value, err := readSecret(f.path, othersMode)
	if err == nil {
		err = oneLine("file:"+f.path, value)
	}
	if err != nil {
		f.seen = nil
		return f.value, err
	}
	if f.value = value; info != nil && time.Since(info.ModTime()) > settled {
		f.seen = info
	} else {
		f.seen = nil
	}
	return f.value, nil
}
