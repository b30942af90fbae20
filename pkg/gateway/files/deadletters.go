package files

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/durable"
	"parley/pkg/openat"
)

const (
	deadLettersFile = "unread.jsonl"
	// A file is moved to deadLettersOld when it would become larger than this. An
	// update that is larger than maxDeadLetter by itself is kept without its content.
	deadLettersOld  = "unread.old.jsonl"
	maxDeadLetters  = 1 << 20
	maxDeadLetter   = 64 << 10
	deadLettersTime = 30 * 24 * time.Hour
)

// DeadLetters keeps the updates that no channel could use, because they cannot be read
// or are of a kind that this version does not know. They are lines of JSON in the state
// folder, for the operator: the newest ones, in two files, for a month.
type DeadLetters struct {
	dir string
	log zerolog.Logger
	mu  sync.Mutex
}

// NewDeadLetters keeps updates in the state folder dir.
func NewDeadLetters(dir string, log zerolog.Logger) *DeadLetters {
	return &DeadLetters{dir: dir, log: log}
}

// deadLetter is a line of the file. Update is missing where it is too large.
type deadLetter struct {
	Time    time.Time       `json:"time"`
	Channel string          `json:"channel"`
	Account string          `json:"account,omitempty"`
	Kind    string          `json:"kind"`
	Bytes   int             `json:"bytes"`
	Update  json.RawMessage `json:"update,omitempty"`
}

// Keep returns the function that an account hands such updates to. It logs a failure.
func (u *DeadLetters) Keep(channel, account string) func(kind string, raw json.RawMessage) {
	return func(kind string, raw json.RawMessage) {
		line := deadLetter{Time: time.Now().UTC(), Channel: channel, Account: account, Kind: kind, Bytes: len(raw)}
		if len(raw) <= maxDeadLetter {
			line.Update = raw
			if !json.Valid(raw) {
				line.Update, _ = json.Marshal(string(raw)) // a text can be encoded
			}
		}
		if err := u.write(line); err != nil {
			u.log.Warn().Err(err).Msg("an update of no use cannot be kept")
		}
	}
}

func (u *DeadLetters) write(line deadLetter) error {
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.makeRoom(int64(len(b) + 1)); err != nil {
		return err
	}
	f, err := openat.Append(filepath.Join(u.dir, deadLettersFile), 0o600)
	if err != nil {
		return err
	}
	return durable.Fill(f, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}

// makeRoom removes old files, and moves the file aside that n bytes would fill.
func (u *DeadLetters) makeRoom(n int64) error {
	now, old := filepath.Join(u.dir, deadLettersFile), filepath.Join(u.dir, deadLettersOld)
	for _, name := range []string{now, old} {
		if st, err := os.Lstat(name); err == nil && time.Since(st.ModTime()) > deadLettersTime {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	if st, err := os.Lstat(now); err == nil && st.Size()+n > maxDeadLetters {
		return os.Rename(now, old)
	}
	return nil
}

// Age removes the updates of more than a month ago.
func (u *DeadLetters) Age() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.makeRoom(0); err != nil {
		u.log.Warn().Err(err).Msg("the updates of no use cannot be looked through")
	}
}

// keptLetters are the lines that are not of an account.
func keptLetters(lines []byte, channel, account string) []byte {
	var kept []byte
	for line := range bytes.Lines(lines) {
		var l deadLetter
		if json.Unmarshal(line, &l) == nil && (l.Channel != channel || l.Account != account) {
			kept = append(kept, line...)
		}
	}
	return kept
}
