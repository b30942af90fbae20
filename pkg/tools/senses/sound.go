package senses

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

const (
	// The bounds of a recording: its bytes, as OpenAI's servers take them, and its length in
	// seconds.
	maxSound   = 25 << 20
	maxSeconds = 60 * 60
	// How many bytes a second of sound has where its length is unknown.
	usualRate = 64_000 / 8
	// How much of the end of a file is searched for its last page.
	tail = 64 << 10
)

// RefusedError says why a file is not handed to a model, as the end of a sentence.
type RefusedError struct {
	Why string
	// Unreadable says that it is a picture without a size, which no decoder reads either.
	Unreadable bool
}

// Error implements error.
func (e *RefusedError) Error() string { return e.Why }

func refused(format string, args ...any) error {
	return &RefusedError{Why: fmt.Sprintf(format, args...)}
}

// Sound is a recording that a model may be asked about.
type Sound struct {
	// Name has the ending of its format, by which servers know it.
	Name string
	// Seconds is its length; Estimated says that only its size tells of it.
	Seconds   int
	Estimated bool
	// Moving says that the format may hold moving pictures too.
	Moving bool
}

// Listen looks at a recording of size bytes. Told is its length in seconds where somebody has
// told it, else 0. A file without sound, and one above a bound, gives a [RefusedError].
func Listen(f io.ReaderAt, size int64, told int) (Sound, error) {
	head := make([]byte, min(size, 4<<10))
	if _, err := f.ReadAt(head, 0); err != nil && err != io.EOF {
		return Sound{}, err
	}
	ending := formatOf(head)
	if ending == "" {
		return Sound{}, refused("it is no sound of a known format (ogg, mp3, m4a, wav, flac, webm)")
	}
	if size > maxSound {
		return Sound{}, refused("it has %d MB, and %d MB at most are listened to", size>>20, maxSound>>20)
	}
	s := Sound{Name: "recording" + ending, Moving: ending == endingM4A || ending == endingWebM}
	if s.Seconds = max(lengthOf(f, size, head, ending), told); s.Seconds == 0 {
		s.Seconds, s.Estimated = int((size+usualRate-1)/usualRate), true
	}
	if s.Seconds > maxSeconds && !s.Estimated {
		return Sound{}, refused("it is longer than %d minutes, the most that is listened to", maxSeconds/60)
	}
	return s, nil
}

// The endings of the formats.
const (
	endingOgg  = ".ogg"
	endingMP3  = ".mp3"
	endingM4A  = ".m4a"
	endingWAV  = ".wav"
	endingFLAC = ".flac"
	endingWebM = ".webm"
)

// NamesSound says whether a file name is that of a sound file.
func NamesSound(name string) bool {
	endings := []string{endingOgg, ".oga", ".opus", endingMP3, endingM4A, ".aac", endingWAV, endingFLAC, ".weba"}
	return slices.Contains(endings, strings.ToLower(path.Ext(name)))
}

// formatOf is the ending of the format that a content begins like, or "".
func formatOf(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("OggS")):
		return endingOgg
	case bytes.HasPrefix(head, []byte("fLaC")):
		return endingFLAC
	case len(head) > 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WAVE":
		return endingWAV
	case len(head) > 12 && string(head[4:8]) == "ftyp":
		return endingM4A
	case bytes.HasPrefix(head, []byte{0x1a, 0x45, 0xdf, 0xa3}):
		return endingWebM
	case bytes.HasPrefix(head, []byte("ID3")), len(head) > 4 && head[0] == 0xff && head[1]&0xe6 == 0xe2: // a frame of layer III
		return endingMP3
	default:
		return ""
	}
}

// lengthOf is the length in seconds that a file tells of itself, rounded up; 0 where it does not.
func lengthOf(f io.ReaderAt, size int64, head []byte, ending string) int {
	var samples, rate uint64
	switch ending {
	case endingOgg:
		samples, rate = oggLength(f, size, head)
	case endingWAV: // bytes instead of samples
		const fmtRate = 28
		if len(head) > fmtRate+4 && string(head[12:16]) == "fmt " {
			samples, rate = uint64(size), uint64(binary.LittleEndian.Uint32(head[fmtRate:])) //nolint:gosec // a size is not negative
		}
	case endingFLAC:
		const info = 18 // the rate in 20 bits, then 8 others, then the samples in 36
		if len(head) > info+8 {
			bits := binary.BigEndian.Uint64(head[info:])
			samples, rate = bits&(1<<36-1), bits>>44
		}
	}
	if rate == 0 || samples == 0 {
		return 0
	}
	return int(min((samples-1)/rate+1, maxSeconds+1))
}

// oggLength reads the position of the last page. Opus counts 48,000 samples to a second, Vorbis
// tells its rate.
func oggLength(f io.ReaderAt, size int64, head []byte) (samples, rate uint64) {
	end := make([]byte, min(size, tail))
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil && err != io.EOF {
		return 0, 0
	}
	const position = 6
	at := bytes.LastIndex(end, []byte("OggS"))
	if at < 0 || len(end) < at+position+8 {
		return 0, 0
	}
	samples = binary.LittleEndian.Uint64(end[at+position:])
	if samples == ^uint64(0) { // no packet ends on that page
		return 0, 0
	}
	if bytes.Contains(head, []byte("OpusHead")) {
		return samples, 48_000
	}
	const vorbisRate = 12
	if at := bytes.Index(head, []byte("\x01vorbis")); at >= 0 && len(head) > at+vorbisRate+4 {
		return samples, uint64(binary.LittleEndian.Uint32(head[at+vorbisRate:]))
	}
	return 0, 0
}
