package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/openat"
)

// What a platform sends that is of no use (it cannot be read, or is of a kind that
// this version does not know) is kept for the operator as lines of JSON in the
// state folder: the newest, in two files, for a month.
const (
	unreadFile = "unread.jsonl"
	// A file is moved to unreadOld when it would become larger than that; what is
	// larger than maxUnread by itself is kept without its content.
	unreadOld     = "unread.old.jsonl"
	maxUnreadFile = 1 << 20
	maxUnread     = 64 << 10
	unreadAge     = 30 * 24 * time.Hour
)

// unread writes that file.
type unread struct {
	dir string
	log zerolog.Logger
	mu  sync.Mutex
}

// unreadLine is a line of the file. Update is missing where it is too large.
type unreadLine struct {
	Time    time.Time       `json:"time"`
	Channel string          `json:"channel"`
	Account string          `json:"account,omitempty"`
	Kind    string          `json:"kind"`
	Bytes   int             `json:"bytes"`
	Update  json.RawMessage `json:"update,omitempty"`
}

// keep is what an account hands such updates to. A failure is logged: nobody waits for it.
func (u *unread) keep(channel, account string) func(kind string, raw json.RawMessage) {
	return func(kind string, raw json.RawMessage) {
		line := unreadLine{Time: time.Now().UTC(), Channel: channel, Account: account, Kind: kind, Bytes: len(raw)}
		if len(raw) <= maxUnread {
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

func (u *unread) write(line unreadLine) error {
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.makeRoom(int64(len(b) + 1)); err != nil {
		return err
	}
	f, err := openat.Append(filepath.Join(u.dir, unreadFile), 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	if err == nil {
		err = f.Sync() // it is confirmed next
	}
	return errors.Join(err, f.Close())
}

// makeRoom removes what is old and moves the file aside that n bytes would fill.
func (u *unread) makeRoom(n int64) error {
	now, old := filepath.Join(u.dir, unreadFile), filepath.Join(u.dir, unreadOld)
	for _, name := range []string{now, old} {
		if st, err := os.Lstat(name); err == nil && time.Since(st.ModTime()) > unreadAge {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	if st, err := os.Lstat(now); err == nil && st.Size()+n > maxUnreadFile {
		return os.Rename(now, old)
	}
	return nil
}

// age removes what is too old to be looked at.
func (u *unread) age() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.makeRoom(0); err != nil {
		u.log.Warn().Err(err).Msg("the updates of no use cannot be looked through")
	}
}
