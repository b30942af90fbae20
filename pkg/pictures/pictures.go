package pictures

import (
	"fmt"
	"io"
	"strings"
)

const (
	// MaxSize is the most bytes of a picture.
	MaxSize = 5 << 20
	// The other bounds: the pixels that a server would have to decode, those of all frames of a moving picture together, and
	// the scans of a JPEG, each of which may go over all pixels.
	maxPixels = 50_000_000
	maxDrawn  = 10 * maxPixels
	maxScans  = 200
)

// Error says why a picture is shown to no model, as the end of a sentence.
type Error struct {
	Why string
	// Unreadable says that it is a picture without a size, which no decoder reads either.
	Unreadable bool
	// Large says that it is above a bound.
	Large bool
}

// Error implements error.
func (e *Error) Error() string { return e.Why }

func large(format string, args ...any) error {
	return &Error{Why: fmt.Sprintf(format, args...), Large: true}
}

// Look looks at a picture of size bytes and gives its type. It reads the sizes that the file tells and decodes no pixel. A file
// without a picture, and one above a bound, gives an [Error].
func Look(f io.ReaderAt, size int64) (mime string, err error) {
	mime, measure := kindOf(f, size)
	switch {
	case mime == "":
		return "", &Error{Why: "it is no picture of a known format (jpeg, png, gif, webp)"}
	case size > MaxSize:
		return "", large("it has %d MB, and pictures of %d MB at most are looked at", (size+1<<20-1)>>20, MaxSize>>20)
	}
	s := shapeOf(f, size, measure)
	switch {
	case s.width <= 0 || s.height <= 0:
		return "", &Error{Why: "its size in pixels cannot be read", Unreadable: true}
	case s.width > maxPixels/s.height:
		return "", large("it has %d × %d pixels, and pictures of %d million at most are looked at", s.width, s.height, maxPixels/1_000_000)
	case s.frames > maxDrawn/(s.width*s.height):
		return "", large("it has %d frames of %d × %d pixels, and %d million in all at most are looked at",
			s.frames, s.width, s.height, maxDrawn/1_000_000)
	case s.scans > maxScans:
		return "", large("it has more than the %d scans of a JPEG that are looked at", maxScans)
	}
	return mime, nil
}

// kindOf tells the type of a picture by its first bytes, and what measures it.
func kindOf(f io.ReaderAt, size int64) (mime string, measure func(*shape)) {
	var b [12]byte
	n, _ := f.ReadAt(b[:min(size, int64(len(b)))], 0) // a short file is no picture
	switch head := string(b[:n]); {
	case strings.HasPrefix(head, "\x89PNG\r\n\x1a\n"):
		return "image/png", (*shape).png
	case strings.HasPrefix(head, "GIF87a"), strings.HasPrefix(head, "GIF89a"):
		return "image/gif", (*shape).gif
	case strings.HasPrefix(head, "\xff\xd8\xff"):
		return "image/jpeg", (*shape).jpeg
	case strings.HasPrefix(head, "RIFF") && strings.HasSuffix(head, "WEBP"):
		return "image/webp", (*shape).webp
	default:
		return "", nil
	}
}
