package providers

import (
	"errors"
	"io"
)

// OptionRecording is the option with the [Recording] that a speech model writes down.
const OptionRecording = "recording"

// Recording is sound in a file. It does not hold its bytes: the provider of a speech model
// reads them while it asks.
type Recording struct {
	// Name is a file name with an ending that tells servers the format, such as voice.ogg.
	Name string
	// Size is the file's length in bytes, Seconds that of its sound, 0 where it is unknown.
	Size    int64
	Seconds int
	// Language is that of the speech as an ISO 639-1 code, "" to let the model find out.
	Language string
	// Open opens the file and tells its size now. It may be called several times.
	Open func() (f io.ReadCloser, size int64, err error)
}

// ErrRecording is the cause of an [Error] for a recording that cannot be opened while it is asked about.
var ErrRecording = errors.New("the recording cannot be opened")
