package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
)

// TestSpool: values come out in order, in memory and in the file, also where the
// reader catches up in between, and the error behind them.
func TestSpool(t *testing.T) {
	t.Parallel()
	s := &answerSpool{more: make(chan struct{}, 1), limit: 20}
	defer s.close()
	var want, got []string
	read := func(n int) {
		for range n {
			raw, err := s.next()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(raw))
		}
	}
	for i := range 50 {
		text := fmt.Sprintf(`"value %d"`, i)
		want = append(want, text)
		if err := s.put(json.RawMessage(text)); err != nil {
			t.Fatal(err)
		}
		if i == 1 || i == 20 {
			read(i/2 + 1)
		}
	}
	if s.file == nil {
		t.Error("nothing went to the file")
	}
	s.end(io.ErrUnexpectedEOF)
	read(len(want) - len(got))
	if _, err := s.next(); !errors.Is(err, io.ErrUnexpectedEOF) || !slices.Equal(got, want) {
		t.Errorf("read %q and %v", got, err)
	}
}

// TestSpooledEndsWithItsReader: an answer is fetched no further after its reader has
// gone.
func TestSpooledEndsWithItsReader(t *testing.T) {
	t.Parallel()
	gone := errors.New("the reader is gone")
	err := spooled(t.Context(), func(json.RawMessage) error { return gone }, func(_ context.Context, put func(json.RawMessage) error) error {
		for {
			if err := put(json.RawMessage(`1`)); err != nil {
				return err
			}
		}
	})
	if !errors.Is(err, gone) {
		t.Errorf("ended with %v", err)
	}
}
