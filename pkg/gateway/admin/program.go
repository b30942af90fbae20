package admin

import (
	"os"
	"path/filepath"
)

// Program is the base name by which this process was started. Hints name it, so that
// a person can repeat them as they stand.
func Program() string { return filepath.Base(os.Args[0]) }
