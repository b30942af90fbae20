package admin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/pkg/session"
	"parley/pkg/session/bolt"
)

// Program is the program as a person at this folder writes it: the relative path by which this
// process was started, such as bin/parley in a checkout, or else its base name. Hints name it, so
// that a person can repeat them as they stand.
func Program() string { return programOf(os.Args[0]) }

func programOf(started string) string {
	if filepath.IsAbs(started) {
		return filepath.Base(started)
	}
	return started
}

// WithHint adds the command that helps to an error of a room that cannot know the name
// of the program.
func WithHint(err error) error {
	switch {
	case errors.Is(err, session.ErrHeld):
		return fmt.Errorf(textHintHeld, err, Program())
	case errors.Is(err, bolt.ErrNone):
		return fmt.Errorf(textHintNone, err, Program())
	default:
		return err
	}
}
