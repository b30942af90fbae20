package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// chunkSize is the room for a usual chunk, in bytes.
const chunkSize = 1 << 10

// sseFilter reduces an event stream to the lines that go-openai understands: one
// "data: " line per chunk. Comments and other fields are left out; an error frame
// becomes the reader's error; an end without [DONE] becomes [io.ErrUnexpectedEOF].
type sseFilter struct {
	r    *bufio.Reader
	x    *exchange // may be nil
	long []byte    // a line longer than r's buffer
	out  []byte    // for the next Read
	// named is true between a line "event: error" and the end of its event.
	named bool
	began bool
	err   error
}

func newSSEFilter(r io.Reader, x *exchange) *sseFilter {
	return &sseFilter{r: bufio.NewReaderSize(r, chunkSize), x: x}
}

// Read gives the next piece of the filtered stream.
func (f *sseFilter) Read(p []byte) (int, error) {
	if len(f.out) == 0 {
		payload, err := f.next()
		switch {
		case errors.Is(err, io.EOF):
			payload = done()
		case err != nil:
			return 0, err
		}
		f.out = append(f.out[:0], "data: "...)
		// go-openai takes whatever begins with {"error": for an error, null too.
		if bytes.HasPrefix(payload, []byte(`{"error":`)) {
			f.out = append(f.out, "{ "...)
			payload = payload[1:]
		}
		f.out = append(append(f.out, payload...), '\n')
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

func done() []byte { return []byte("[DONE]") }

// next gives the next chunk; [io.EOF] after [DONE]. The chunk holds until the
// next call.
func (f *sseFilter) next() ([]byte, error) {
	for f.err == nil {
		line, err := f.line()
		payload, failure := f.payload(line)
		switch {
		case failure != nil:
			f.err = failure
		case bytes.Equal(payload, done()):
			f.drain()
			f.err = io.EOF
		case err != nil:
			f.err = endOf(err)
			if json.Valid(payload) {
				return payload, nil
			}
		case len(payload) > 0:
			return payload, nil
		}
	}
	return nil, f.err
}

// payload gives the data of a line, nil for a line without data.
func (f *sseFilter) payload(line []byte) ([]byte, error) {
	if len(line) > 0 && f.x != nil {
		f.x.alive()
	}
	if !f.began {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		f.began = true
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		f.named = false
		return nil, nil
	}
	if line[0] == '{' { // an error that is no event at all
		return nil, frameError(line)
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	switch string(field) {
	case "event":
		f.named = string(value) == "error"
	case "data":
		if f.named {
			return nil, lateError(value)
		}
		return value, frameError(value)
	}
	return nil, nil
}

// line gives the next line with its end, or the text before an error. It is valid
// until the next call.
func (f *sseFilter) line() ([]byte, error) {
	line, err := f.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	f.long = append(f.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = f.r.ReadSlice('\n')
		f.long = append(f.long, line...)
	}
	return f.long, err
}

// drain reads to the end of the body, so that the connection can be used again,
// if that end comes at once.
func (f *sseFilter) drain() {
	if f.x == nil {
		return
	}
	f.x.timer.Reset(drainTime)
	// The answer is complete, whatever follows.
	_, _ = io.CopyN(io.Discard, f.r, maxDrain)
	f.x.timer.Stop()
}

func endOf(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return readError(err)
}
