package files

import (
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// promptFile is a file of the operator's instructions.
type promptFile struct {
	path, name string
	read       func() (string, fs.FileInfo, error)
	log        zerolog.Logger

	mu sync.Mutex
	// text is the file as it was when it was last good, with this size and time.
	text     string
	size     int64
	modified time.Time
	// trouble is its defect now, or "".
	trouble string
}

// Text is the file as it is now, or the last good one.
func (f *promptFile) Text() string {
	st, err := os.Stat(f.path)
	f.mu.Lock()
	if err == nil && f.trouble == "" && st.Size() == f.size && st.ModTime().Equal(f.modified) {
		defer f.mu.Unlock()
		return f.text
	}
	f.mu.Unlock()
	text, st, err := f.read() // a disk that does not answer holds no lock
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		if f.trouble != err.Error() {
			f.trouble = err.Error()
			f.log.Error().Err(err).Msg(f.name + " cannot be used; its last good text goes on")
		}
		return f.text
	}
	if f.trouble != "" {
		f.trouble = ""
		f.log.Info().Msg(f.name + " can be used again")
	}
	f.text, f.size, f.modified = text, st.Size(), st.ModTime()
	return f.text
}

// Trouble is the defect that the last reader found, or "".
func (f *promptFile) Trouble() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.trouble
}
