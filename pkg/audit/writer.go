package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"parley/pkg/durable"
)

// write is the writer: it takes all that waits, writes it in one go, and syncs
// where somebody waits for it or a second has passed.
func (l *Log) write() {
	defer close(l.ended)
	timer := time.NewTimer(syncAfter)
	timer.Stop()
	defer timer.Stop()
	armed := false
	for {
		batch, dropped, closed := l.take()
		l.lose(dropped, ErrFull)
		if len(batch) > 0 || closed && l.lost > 0 {
			l.store(batch)
			if !l.synced && !armed {
				timer.Reset(syncAfter)
				armed = true
			}
			continue
		}
		if closed {
			l.end()
			return
		}
		select {
		case <-l.wake:
		case <-timer.C:
			armed = false
			if err := l.sync(); err != nil {
				l.report(err)
				timer.Reset(syncAfter)
				armed = true
			}
		}
	}
}

// take empties the queue.
func (l *Log) take() (batch []request, dropped int, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch, dropped, closed = l.queue, l.dropped, l.closed
	l.queue, l.dropped = nil, 0
	return batch, dropped, closed
}

// lose counts rows that were not written.
func (l *Log) lose(n int, why error) {
	if n > 0 {
		l.lost += n
		l.why = why.Error()
	}
}

// store writes a batch and tells the waiting callers.
func (l *Log) store(batch []request) {
	err := l.put(batch)
	waited := false
	for i := range batch {
		waited = waited || batch[i].done != nil
	}
	if err != nil {
		// Rows that were never read are not reported one by one: the chain has their number.
		l.lose(len(batch), err)
		if len(batch) == 0 {
			l.lost = 0 // the last try, before the log is closed
		}
	} else if waited {
		err = l.sync()
	}
	l.report(err)
	for i := range batch {
		if batch[i].done != nil {
			batch[i].done <- err
		}
	}
}

// put appends all rows of a batch or, after a failure, leaves them all out.
func (l *Log) put(batch []request) error {
	if err := l.room(); err != nil {
		return err
	}
	rows := make([]Row, 0, len(batch)+1)
	if l.lost > 0 {
		note := Row{Kind: KindAudit, Outcome: "lost", Detail: fmt.Sprintf("%d rows before this one were not written: %s", l.lost, l.why)}
		l.prepare(&note)
		rows = append(rows, note)
	}
	for i := range batch {
		rows = append(rows, batch[i].row)
	}
	var text bytes.Buffer
	seq, prev := l.seq, l.prev
	for i := range rows {
		seq++
		rows[i].Seq, rows[i].Prev = seq, prev
		line, err := rows[i].seal()
		if err != nil {
			return err
		}
		prev = rows[i].Hash
		text.Write(line)
	}
	n, err := l.file.Write(text.Bytes())
	if err != nil {
		// A part of a row may be in the file: the next attempt takes it away, or the next start.
		l.leave()
		return err
	}
	l.size += int64(n)
	l.seq, l.prev, l.lost, l.synced = seq, prev, 0, false
	return nil
}

// room sees to a segment that ends with the last good row and can take the next.
func (l *Log) room() error {
	if l.path != "" && l.size >= l.options.SegmentBytes {
		if err := l.sync(); err != nil {
			return err
		}
		l.leave()
		l.path = ""
	}
	if l.path == "" {
		return l.begin()
	}
	if l.file == nil {
		f, err := openSegment(l.path)
		if err != nil {
			return err
		}
		l.file = f
	}
	info, err := l.file.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() < l.size: // somebody took rows away; the chain shows it
		l.leave()
		return l.begin()
	case info.Size() > l.size: // a part of rows that could not be written
		return l.file.Truncate(l.size)
	}
	return nil
}

// begin begins a segment. The first comes with a head that knows of no row.
func (l *Log) begin() error {
	if l.seq == 0 {
		if err := firstHead(l.options.Dir); err != nil {
			return err
		}
	}
	path := segmentName(l.options.Dir, l.seq+1)
	f, err := openSegment(path)
	if err != nil {
		return err
	}
	l.file, l.path, l.size = f, path, 0
	return durable.SyncDir(l.options.Dir)
}

// leave closes the file; the next row opens it again, or the next segment.
func (l *Log) leave() {
	if l.file != nil {
		_ = l.file.Close() // rows that had to be on the disk were synced before
		l.file = nil
	}
}

func openSegment(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, fileMode) //nolint:gosec // a name in the operator's folder
}

// sync brings the written rows to the disk, and then their number and hash to the
// head: so each row in the head is on the disk.
func (l *Log) sync() error {
	if l.synced {
		return nil
	}
	if l.file == nil { // closed by a write that failed, with good rows before it
		f, err := openSegment(l.path)
		if err != nil {
			return err
		}
		l.file = f
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	if err := writeHead(filepath.Join(l.options.Dir, headName), head{Seq: l.seq, Hash: l.prev}); err != nil {
		return err
	}
	l.synced = true
	return nil
}

// report notes whether writing works.
func (l *Log) report(err error) {
	l.mu.Lock()
	before := l.failed
	l.failed = err
	l.mu.Unlock()
	switch {
	case err != nil && before == nil:
		l.options.Log.Error().Err(err).Msg("the audit log cannot be written: calls that need a row in it are refused")
	case err == nil && before != nil:
		l.options.Log.Info().Msg("the audit log can be written again")
	}
}

// end syncs and closes the file.
func (l *Log) end() {
	if err := l.sync(); err != nil {
		l.report(err)
	}
	l.leave()
}
