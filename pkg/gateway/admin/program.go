package admin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/pkg/session"
	"parley/pkg/session/bolt"
)

// Program is the base name by which this process was started. Hints name it, so that
// a person can repeat them as they stand.
func Program() string { return filepath.Base(os.Args[0]) }

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
