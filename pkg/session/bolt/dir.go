package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"parley/pkg/durable"
	"parley/pkg/session/engine/table"
)

// The files of a state directory that belong to the store.
const (
	fileDB        = "parley.db"
	fileNew       = "parley.db.new"      // a store that is being built, renamed when it is whole
	fileDamage    = "parley.db.damage"   // says that the running gateway met a damaged page
	fileMarker    = "parley.marker"      // says that there is a store: tells a fresh directory from a lost file
	fileChecked   = "parley.db.check"    // a copy that is being checked; a crash's remains of it are written over
	fileLock      = "parley.lock"        // held by the one process that uses the store
	fileDamaged   = "parley.db.damaged"  // the new name of a damaged file, with the time
	fileReplaced  = "parley.db.replaced" // the same for the file that the operator replaced by a snapshot
	fileKept      = "parley.db.kept.new" // a copy of that which is being written; a crash's remains of it are written over
	snapshotDir   = "snapshots"
	snapshotStart = "parley-"
	snapshotEnd   = ".db"
	snapshotNew   = "parley.db.new" // one that is being written; a crash's remains of it are written over
)

// The errors of opening a store. Their text says how to cure them.
var (
	// ErrLocked: another process uses the store.
	ErrLocked = errors.New("another instance uses this state directory")
	// ErrNewer: a newer release wrote the store; the file was not touched.
	ErrNewer = table.ErrNewer
	// ErrDir: the state directory cannot be used.
	ErrDir = errors.New("the state directory cannot be used")
	// ErrNone: there is no store yet.
	ErrNone = errors.New("there is no store yet")
)

// prepareDir creates the directory or checks that it is ours alone.
func prepareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return dirError(dir, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return dirError(dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%w: %s is not a directory; name another one as state_dir", ErrDir, dir)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: %s belongs to user %d and this process runs as user %d; run it as that user, or `chown -R %d %s`",
			ErrDir, dir, st.Uid, os.Geteuid(), os.Geteuid(), dir)
	}
	if info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("%w: everybody may write to %s; run `chmod o-w %s`", ErrDir, dir, dir)
	}
	const write, search = 2, 1
	if err := syscall.Access(dir, write|search); err != nil {
		return dirError(dir, err)
	}
	return nil
}

// DirError says of an error in a folder below the state directory, or in that itself,
// how to cure it. It is an [ErrDir], and names the file that err speaks of.
func DirError(dir string, err error) error { return dirError(dir, err) }

func dirError(dir string, err error) error {
	path, cause := failedPath(dir, err)
	switch {
	case errors.Is(cause, fs.ErrPermission) || errors.Is(cause, syscall.EROFS):
		return fmt.Errorf("%w: %s cannot be written (%w); make it writable for this user, or name another one as state_dir",
			ErrDir, path, cause)
	case errors.Is(cause, syscall.ENOSPC):
		return fmt.Errorf("%w: the disk of %s is full (%w); make room there", ErrDir, path, cause)
	case errors.Is(cause, syscall.EISDIR) || errors.Is(cause, syscall.ENOTEMPTY):
		return fmt.Errorf("%w: %s is a folder where a file belongs (%w); move it out of the state folder", ErrDir, path, cause)
	case errors.Is(cause, syscall.ENOTDIR):
		return fmt.Errorf("%w: %s, or a name before its end, is a file where a folder belongs (%w); "+
			"move it away, or name another folder as state_dir", ErrDir, path, cause)
	}
	return fmt.Errorf("%w: %s: %w", ErrDir, path, cause)
}

// failedPath is the file that an error names, and the error without its name: dir and
// err for an error without one.
func failedPath(dir string, err error) (string, error) {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Path, e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.New, e.Err
	}
	return dir, err
}

// fileError is [DirError] for an error of the file system, and any other as it is.
func fileError(dir string, err error) error {
	if path, _ := failedPath("", err); path != "" || errors.Is(err, syscall.ENOSPC) {
		return dirError(dir, err)
	}
	return err
}

// Writable says why a gateway that started now could not write the store. It makes no
// file; before the first store there is no reason.
func Writable(dir string) error {
	const write = 2
	for _, path := range []string{dir, filepath.Join(dir, fileLock), filepath.Join(dir, fileDB)} {
		if err := syscall.Access(path, write); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return dirError(path, err)
		}
	}
	return nil
}

// lockRetry is the pause between two attempts to take the lock.
const lockRetry = 25 * time.Millisecond

// takeLock makes this process the only user of the directory.
func takeLock(ctx context.Context, dir string, timeout time.Duration) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, fileLock), os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // within the operator's own state_dir
	if err != nil {
		return nil, dirError(dir, err)
	}
	if err := lock(ctx, dir, f, syscall.LOCK_EX, timeout); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	// The number only serves the sentence that another instance prints.
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return f, nil
}

// shareLock keeps gateways out of the directory while the store is looked at. It makes
// no file: nil where the lock does not exist yet.
func shareLock(ctx context.Context, dir string, timeout time.Duration) (*os.File, error) {
	f, err := os.Open(filepath.Join(dir, fileLock)) //nolint:gosec // within the operator's own state_dir
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there is no lock yet, so it is not needed
	}
	if err != nil {
		return nil, lookError(dir, err)
	}
	if err := lock(ctx, dir, f, syscall.LOCK_SH, timeout); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// lock waits for the lock on an open file, exclusive or shared.
func lock(ctx context.Context, dir string, f *os.File, how int, timeout time.Duration) error {
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	again := time.NewTicker(lockRetry)
	defer again.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return dirError(dir, err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-deadline.C:
			return lockedError(dir, f)
		case <-again.C:
		}
	}
}

// unlock gives the lock back; nil is no lock.
func unlock(f *os.File) error {
	if f == nil {
		return nil
	}
	return durable.Unlock(f)
}

func lockedError(dir string, f *os.File) error {
	who := ""
	var b [16]byte
	if n, _ := f.ReadAt(b[:], 0); n > 0 {
		who = " (process " + strings.TrimSpace(string(b[:n])) + ")"
	}
	return fmt.Errorf("%w: %s%s; stop it first, or give this one a state_dir of its own", ErrLocked, dir, who)
}

// writeMarked creates a small file durably.
func writeMarked(dir, name, text string) error {
	err := durable.Write(filepath.Join(dir, name), func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return err
	}
	return durable.SyncDir(dir)
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}
