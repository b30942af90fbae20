package senses

import (
	"encoding/binary"
	"io"
	"path"
	"slices"
	"strings"
)

const (
	// The bounds of a picture: its bytes, and the pixels that a server would have to decode.
	maxPicture = 5 << 20
	maxPixels  = 50_000_000
)

// NamesPicture says whether a file name is that of a picture.
func NamesPicture(name string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".png", ".gif", ".webp"}, strings.ToLower(path.Ext(name)))
}

// Look looks at a picture of size bytes and gives its type. It reads the head of the file and
// decodes no pixel. A file without a picture, and one above a bound, gives a [RefusedError].
func Look(f io.ReaderAt, size int64) (mime string, err error) {
	mime, width, height := dimensions(f, size)
	switch {
	case mime == "":
		return "", refused("it is no picture of a known format (jpeg, png, gif, webp)")
	case width <= 0 || height <= 0:
		return "", &RefusedError{Why: "its size in pixels cannot be read", Unreadable: true}
	case size > maxPicture:
		return "", refused("it has %d MB, and pictures of %d MB at most are looked at", (size+1<<20-1)>>20, maxPicture>>20)
	case width > maxPixels/height:
		return "", refused("it has %d × %d pixels, and pictures of %d million at most are looked at", width, height, maxPixels/1_000_000)
	}
	return mime, nil
}

// dimensions are the type and the size of a picture in pixels, 0 where they cannot be read.
func dimensions(f io.ReaderAt, size int64) (mime string, width, height int64) {
	var head [32]byte
	n, _ := f.ReadAt(head[:min(size, int64(len(head)))], 0) // a short file has no dimensions
	if n < len("\x89PNG\r\n\x1a\n") {
		return "", 0, 0
	}
	le16 := func(at int) int64 { return int64(binary.LittleEndian.Uint16(head[at:])) }
	switch {
	case string(head[:8]) == "\x89PNG\r\n\x1a\n" && string(head[12:16]) != "IHDR":
		return "image/png", 0, 0
	case string(head[:8]) == "\x89PNG\r\n\x1a\n":
		return "image/png", int64(binary.BigEndian.Uint32(head[16:])), int64(binary.BigEndian.Uint32(head[20:]))
	case string(head[:6]) == "GIF87a", string(head[:6]) == "GIF89a":
		return "image/gif", le16(6), le16(8)
	case head[0] == 0xff && head[1] == 0xd8 && head[2] == 0xff:
		width, height = jpegSize(f, size)
		return "image/jpeg", width, height
	case string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		width, height = webpSize(&head)
		return "image/webp", width, height
	default:
		return "", 0, 0
	}
}

// jpegSize goes through the segments of a JPEG to the one with its size. Decoders overlook bytes
// between segments, and so does this. A size behind the end, behind a scan or behind a segment
// without a length is none.
func jpegSize(f io.ReaderAt, size int64) (width, height int64) {
	const steps = 100_000
	at := int64(2)
	for range steps {
		var b [9]byte
		if _, err := f.ReadAt(b[:], at); err != nil {
			return 0, 0
		}
		marker, long := b[1], int64(binary.BigEndian.Uint16(b[2:]))
		switch {
		case b[0] != 0xff, marker == 0xff, marker == 0:
			at++
		case marker == 0x01, marker >= 0xd0 && marker <= 0xd7: // without a length
			at += 2
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			return int64(binary.BigEndian.Uint16(b[7:])), int64(binary.BigEndian.Uint16(b[5:]))
		case marker >= 0xd8 && marker <= 0xda, long < 2:
			return 0, 0
		default:
			at += 2 + long
		}
		if at >= size {
			break
		}
	}
	return 0, 0
}

// webpSize reads the size of the three forms of WebP.
func webpSize(head *[32]byte) (width, height int64) {
	le24 := func(at int) int64 { return int64(head[at]) | int64(head[at+1])<<8 | int64(head[at+2])<<16 }
	const bits14 = 1<<14 - 1
	switch string(head[12:16]) {
	case "VP8X":
		return le24(24) + 1, le24(27) + 1
	case "VP8L":
		bits := int64(binary.LittleEndian.Uint32(head[21:]))
		return bits&bits14 + 1, bits>>14&bits14 + 1
	case "VP8 ":
		return int64(binary.LittleEndian.Uint16(head[26:])) & bits14, int64(binary.LittleEndian.Uint16(head[28:])) & bits14
	default:
		return 0, 0
	}
}
