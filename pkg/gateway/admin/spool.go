package admin

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// spoolMemory is how much of an answer waits in memory; the rest goes to a file.
const spoolMemory = 4 << 20

// spooled hands the values that fetch gets on to take, and keeps the two from waiting
// for each other: a reader that pauses, such as less, does not hold up a running
// gateway or, without one, the lock of the store.
func spooled(ctx context.Context, take func(json.RawMessage) error, fetch Here) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &answerSpool{more: make(chan struct{}, 1), limit: spoolMemory}
	fetched := make(chan struct{})
	go func() {
		defer close(fetched)
		s.end(fetch(ctx, func(raw json.RawMessage) error {
			if ctx.Err() != nil { // the reader is gone
				return ctx.Err()
			}
			return s.put(raw)
		}))
	}()
	defer func() {
		cancel()
		<-fetched
		s.close()
	}()
	for {
		raw, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = take(raw)
		}
		if err != nil {
			return err
		}
	}
}

// answerSpool is a queue of values with a writer that does not wait. Values are in
// memory up to limit bytes; from the first that has no room there on, all go to a
// nameless file.
type answerSpool struct {
	more  chan struct{} // has one where the reader may find more
	limit int

	mu      sync.Mutex
	memory  []json.RawMessage
	size    int
	file    *os.File
	read    int64 // offsets in file
	written int64
	ended   bool
	err     error
}

// put adds a value.
func (s *answerSpool) put(raw json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.signal()
	if s.file == nil && s.size+len(raw) <= s.limit {
		s.memory, s.size = append(s.memory, raw), s.size+len(raw)
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "parley-answer-")
		if err != nil {
			return unspooled(err)
		}
		s.file = f
		if err := os.Remove(f.Name()); err != nil {
			return unspooled(err)
		}
	}
	record := append(binary.BigEndian.AppendUint64(nil, uint64(len(raw))), raw...)
	if _, err := s.file.WriteAt(record, s.written); err != nil {
		return unspooled(err)
	}
	s.written += int64(len(record))
	return nil
}

// unspooled is for an answer that can be kept nowhere until it is read.
func unspooled(err error) error {
	return WithCode(CodeFailed, fmt.Errorf(textNoSpool, err))
}

// end says that no more comes; a nil err is the end of a whole answer.
func (s *answerSpool) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		err = io.EOF
	}
	s.ended, s.err = true, err
	s.signal()
}

func (s *answerSpool) signal() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// next waits for a value. Behind the last one it is the error of [answerSpool.end].
func (s *answerSpool) next() (json.RawMessage, error) {
	for {
		raw, ok, err := s.take()
		if ok || err != nil {
			return raw, err
		}
		<-s.more
	}
}

// take is the next value, if there is one.
func (s *answerSpool) take() (raw json.RawMessage, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.memory) > 0:
		raw, s.memory = s.memory[0], s.memory[1:]
		s.size -= len(raw)
		return raw, true, nil
	case s.read < s.written:
		const head = 8
		var size [head]byte
		if _, err := s.file.ReadAt(size[:], s.read); err != nil {
			return nil, false, unspooled(err)
		}
		raw = make(json.RawMessage, binary.BigEndian.Uint64(size[:]))
		if _, err := s.file.ReadAt(raw, s.read+head); err != nil {
			return nil, false, unspooled(err)
		}
		s.read += head + int64(len(raw))
		return raw, true, nil
	case s.ended:
		return nil, false, s.err
	}
	return nil, false, nil
}

// close removes the file, when the writer has ended.
func (s *answerSpool) close() {
	if s.file != nil {
		_ = s.file.Close() // nameless, so that it leaves no trace
	}
}
