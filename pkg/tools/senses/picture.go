package senses

import (
	"io"
	"path"
	"slices"
	"strings"
)

const (
	// The bounds of a picture: its bytes, the pixels that a server would have to decode, those of all frames of a moving one
	// together, and the scans of a JPEG, each of which may go over all pixels.
	maxPicture = 5 << 20
	maxPixels  = 50_000_000
	maxDrawn   = 10 * maxPixels
	maxScans   = 200
)

// NamesPicture says whether a file name is that of a picture.
func NamesPicture(name string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".png", ".gif", ".webp"}, strings.ToLower(path.Ext(name)))
}

// Look looks at a picture of size bytes and gives its type. It reads the sizes that the file tells and decodes no pixel. A file
// without a picture, and one above a bound, gives a [RefusedError].
func Look(f io.ReaderAt, size int64) (mime string, err error) {
	mime, measure := kindOf(f, size)
	switch {
	case mime == "":
		return "", refused("it is no picture of a known format (jpeg, png, gif, webp)")
	case size > maxPicture:
		return "", refused("it has %d MB, and pictures of %d MB at most are looked at", (size+1<<20-1)>>20, maxPicture>>20)
	}
	s := shapeOf(f, size, measure)
	switch {
	case s.width <= 0 || s.height <= 0:
		return "", &RefusedError{Why: "its size in pixels cannot be read", Unreadable: true}
	case s.width > maxPixels/s.height:
		return "", refused("it has %d × %d pixels, and pictures of %d million at most are looked at", s.width, s.height, maxPixels/1_000_000)
	case s.frames > maxDrawn/(s.width*s.height):
		return "", refused("it has %d frames of %d × %d pixels, and %d million in all at most are looked at",
			s.frames, s.width, s.height, maxDrawn/1_000_000)
	case s.scans > maxScans:
		return "", refused("it has more than the %d scans of a JPEG that are looked at", maxScans)
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
