package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// chunkSize is the room for a usual frame, in bytes.
const chunkSize = 1 << 10

// Frames are those of an event stream: the data of one event each. Comments and other
// fields are left out; an error that a frame reports becomes the reader's error; an end
// without [DONE] becomes [io.ErrUnexpectedEOF].
type Frames struct {
	r    *bufio.Reader
	x    *Exchange
	long []byte // a line longer than r's buffer
	// event is the data so far of an event with a first line that is no frame by itself.
	event []byte
	// named is true between a line "event: error" and the end of its event.
	named bool
	began bool
	err   error
}

func done() []byte { return []byte("[DONE]") }

// Next gives the next frame; [io.EOF] after [DONE]. The frame holds until the next call.
func (f *Frames) Next() ([]byte, error) {
	for f.err == nil {
		line, err := f.line()
		payload, failure := f.payload(line)
		if err != nil && payload == nil && failure == nil { // the end of a stream is that of its event
			payload, failure = f.ended()
		}
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

// End says that the answer is complete, for a protocol whose last frame is another one
// than [DONE]: Next gives [io.EOF] from now on.
func (f *Frames) End() {
	if f.err == nil {
		f.drain()
		f.err = io.EOF
	}
}

// payload gives the data of the event that a line ends, nil for another line. Some servers
// leave out the blank line between events, so a line that is a frame by itself ends its own.
func (f *Frames) payload(line []byte) ([]byte, error) {
	if len(line) > 0 {
		f.x.alive()
	}
	if !f.began {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		f.began = true
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		payload, failure := f.ended()
		f.named = false
		return payload, failure
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
		if len(f.event) == 0 && (f.last() || bytes.Equal(value, done()) || json.Valid(value)) {
			return f.judge(value)
		}
		f.event = append(append(f.event, value...), '\n')
	}
	return nil, nil
}

// last says that the line which was read is known to be the last one of its event.
func (f *Frames) last() bool {
	if f.r.Buffered() == 0 {
		return false
	}
	next, err := f.r.Peek(1)
	return err == nil && (next[0] == '\n' || next[0] == '\r')
}

// ended gives the data of an event that came in several lines, nil where none is open.
func (f *Frames) ended() ([]byte, error) {
	if len(f.event) == 0 {
		return nil, nil
	}
	value := bytes.TrimSpace(f.event)
	f.event = f.event[:0]
	return f.judge(value)
}

// judge gives the data of an event, or the error that it reports.
func (f *Frames) judge(value []byte) ([]byte, error) {
	switch {
	case crowded(value):
		return nil, TooBig()
	case f.named:
		return nil, lateError(value)
	default:
		return value, frameError(value)
	}
}

// line gives the next line with its end, or the text before an error. It is valid
// until the next call.
func (f *Frames) line() ([]byte, error) {
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
func (f *Frames) drain() {
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
