package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// The defaults and bounds of a log.
const (
	defaultSegment = 16 << 20
	maxQueue       = 1024
	syncAfter      = time.Second
	folderMode     = 0o700
	fileMode       = 0o600
)

// The errors of appending. Any other is that of the disk.
var (
	// ErrFull means that the writer is behind; the row is not written.
	ErrFull = errors.New("audit: too many rows wait to be written; this one was dropped")
	// ErrClosed means that the log was closed.
	ErrClosed = errors.New("audit: the log is closed")
)

// Options are the settings of a [Log].
type Options struct {
	// Dir is the folder of the log; it is made where it is not there.
	Dir string
	// Redact takes secrets out of the rows' texts; nil leaves them.
	Redact func(string) string
	// Log is told when rows cannot be written, and when they can again.
	Log zerolog.Logger
	// SegmentBytes is the size at which the next segment begins; 0 means 16 MiB.
	SegmentBytes int64
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Log writes the record. One process writes a folder at a time; the caller sees
// to that. All methods may be called from many goroutines.
type Log struct {
	options Options
	wake    chan struct{}
	ended   chan struct{}

	mu     sync.Mutex
	queue  []request
	closed bool
	// dropped are the rows that found the queue full.
	dropped int
	failed  error

	// The rest is the writer's own.
	file   *os.File // nil: path has to be opened
	path   string   // "": a segment has to be begun
	size   int64    // of its whole rows
	seq    uint64
	prev   string
	lost   int
	why    string
	synced bool
}

// request is one row on its way to the disk.
type request struct {
	row Row
	// done gets the result when the row is on the disk; nil if no caller waits.
	done chan error
}

// Open opens the log of a folder and starts its writer. It reads the end of the newest
// segment only. A row that was half written when the process ended is set aside; damage
// at the end of the chain becomes a row. A folder or a file in it that cannot be written
// is an error.
func Open(o Options) (*Log, error) {
	if o.SegmentBytes <= 0 {
		o.SegmentBytes = defaultSegment
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := os.MkdirAll(o.Dir, folderMode); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	if err := Writable(o.Dir); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	end, err := findEnd(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	l := &Log{
		options: o, wake: make(chan struct{}, 1), ended: make(chan struct{}),
		path: end.segment, size: end.size, seq: end.seq, prev: end.prev, synced: true,
	}
	for i := range end.notes {
		l.options.Log.Warn().Str("outcome", end.notes[i].Outcome).Msg("audit: " + end.notes[i].Detail)
		if err := l.Append(end.notes[i]); err != nil {
			return nil, err
		}
	}
	go l.write()
	return l, nil
}

// Append queues a row and returns at once. A caller that requires the row uses
// [Log.AppendSync].
func (l *Log) Append(row Row) error {
	l.prepare(&row)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return ErrClosed
	case len(l.queue) >= maxQueue:
		l.dropped++
		return ErrFull
	}
	l.push(request{row: row})
	return nil
}

// AppendSync returns when the row is on the disk. With an error it is not, or
// that is unknown.
func (l *Log) AppendSync(ctx context.Context, row Row) error {
	l.prepare(&row)
	done := make(chan error, 1)
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return ErrClosed
	}
	// Beyond the queue's bound: each caller waits for its own row.
	l.push(request{row: row, done: done})
	l.mu.Unlock()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Err says why rows cannot be written at present; nil when they can.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Close writes the queued rows and ends the writer. A second call has no effect.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed = true
	l.signal()
	l.mu.Unlock()
	<-l.ended
	return l.Err()
}

func (l *Log) prepare(row *Row) {
	if row.Time.IsZero() {
		row.Time = l.options.Now()
	}
	row.tidy(l.options.Redact)
}

// push and signal are called under mu.
func (l *Log) push(q request) {
	l.queue = append(l.queue, q)
	l.signal()
}

func (l *Log) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// segmentName is the file whose first row has the number seq.
func segmentName(dir string, seq uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%020d.jsonl", seq))
}
