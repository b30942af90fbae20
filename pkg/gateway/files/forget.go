package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/durable"
	"parley/pkg/session"
)

// Forget removes the folders of a chat, by its addresses. The folder that the owners share stays.
func (s Spaces) Forget(_ context.Context, at []channels.Address) error {
	var errs []error
	for _, a := range at {
		if folder := s.Of(a, false); folder != "" {
			errs = append(errs, remove(folder))
		}
	}
	return errors.Join(errs...)
}

// remove removes a folder that may be gone.
func remove(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		if err := openFolders(dir); err != nil { // a program has closed one of them
			return err
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return durable.SyncDir(filepath.Dir(dir))
}

// openFolders lets the owner of a tree of folders remove what is in them.
func openFolders(dir string) error {
	const all = 0o700
	root, err := os.OpenRoot(dir)
	if err != nil { // it is closed itself; it is ours, and no link
		if err := os.Chmod(dir, all); err != nil {
			return err
		}
		if root, err = os.OpenRoot(dir); err != nil {
			return err
		}
	}
	defer func() { _ = root.Close() }() // it is only read
	return fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			if chmod := root.Chmod(path, all); chmod != nil {
				return chmod
			}
			if err != nil {
				return nil //nolint:nilerr // the next attempt goes into it
			}
		}
		return err
	})
}

// Forget removes the contents that wait to be sent in a chat that is forgotten: the messages of its turns,
// and those that the store has deleted before they left.
func (o *Uploads) Forget(ctx context.Context, sent session.Receipts, chat string) error {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	now, cancel := context.WithCancel(ctx)
	cancel() // a receipt that is still to come is not waited for
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), durable.Unfinished)
		id, err := named().DecodeString(name)
		if err != nil {
			continue
		}
		_, err = sent.Receipt(now, string(id))
		if strings.HasPrefix(string(id), chat+"-") || errors.Is(err, session.ErrEnded) {
			if err := os.Remove(filepath.Join(o.dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return durable.SyncDir(o.dir)
}

// Forget removes the updates of an account: which of them are of a chat is not known of updates that
// cannot be read.
func (u *DeadLetters) Forget(channel, account string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	var errs []error
	for _, name := range []string{deadLettersFile, deadLettersOld} {
		path := filepath.Join(u.dir, name)
		b, err := os.ReadFile(path) //nolint:gosec // within the operator's own state_dir
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		kept := keptLetters(b, channel, account)
		if err == nil && len(kept) < len(b) {
			err = durable.Replace(path, func(w io.Writer) error { _, err := w.Write(kept); return err })
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Lines are what a person typed at consoles; see pkg/console/history.
const consoleLines = "console-history-*.jsonl"

// ForgetLines removes the lines that people typed at the consoles of a state folder.
func ForgetLines(stateDir string) error {
	names, err := filepath.Glob(filepath.Join(stateDir, consoleLines))
	for _, name := range names {
		if gone := os.Remove(name); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
