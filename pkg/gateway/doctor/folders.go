package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"parley/pkg/gateway/admin"
	"parley/pkg/text"
)

// Bits of modes: others may write, and others may do anything.
const (
	othersWrite = fs.FileMode(0o022)
	othersAny   = fs.FileMode(0o067) // a group may pass through: admin.group
	everybody   = fs.FileMode(0o002)
)

// maxEntries bounds the files of a folder that are looked at.
const maxEntries = 1000

// state looks at the rights on the state folder and the files in it.
func (f folders) state(context.Context) []Finding {
	dir := f.setup.cfg.StateDir
	info, err := os.Stat(dir)
	if found := missing(nameState, dir, err); found != nil {
		return found
	}
	user := os.Geteuid()
	switch {
	case !info.IsDir():
		return []Finding{{nameState, Fail, fmt.Sprintf(textNoFolder, dir), textMoveAway}}
	case owner(info) != user:
		return []Finding{{nameState, Fail, fmt.Sprintf(textOwner, dir, owner(info), user), fmt.Sprintf(textChown, user, dir)}}
	case info.Mode().Perm()&everybody != 0:
		return []Finding{{nameState, Fail, fmt.Sprintf(textOthersWrite, dir, info.Mode().Perm()), fmt.Sprintf(textChmod, "go-w", dir)}}
	}
	if err := unix.Access(dir, unix.R_OK|unix.W_OK|unix.X_OK); err != nil {
		return []Finding{{nameState, Fail, fmt.Sprintf(textNoAccess, dir, err), fmt.Sprintf(textChmod, "u+rwx", dir)}}
	}
	if found := f.stateFiles(dir, user); len(found) > 0 {
		return found
	}
	if info.Mode().Perm()&othersAny != 0 {
		return []Finding{{nameState, Warn, fmt.Sprintf(textOthersRead, dir, info.Mode().Perm()), fmt.Sprintf(textChmod, "700", dir)}}
	}
	return []Finding{{nameState, OK, fmt.Sprintf(textStateGood, dir), ""}}
}

// stateFiles finds files that another user left there, and those that cannot be written.
func (f folders) stateFiles(dir string, user int) []Finding {
	opened, err := os.Open(dir) //nolint:gosec // the operator names the folder
	if err != nil {
		return []Finding{{nameState, Fail, fmt.Sprintf(textNoAccess, dir, err), fmt.Sprintf(textChmod, "u+rwx", dir)}}
	}
	defer opened.Close()
	names, _ := opened.Readdirnames(maxEntries) // the end of a folder is an error
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink != 0 {
			continue
		}
		if owner(info) != user {
			return []Finding{{nameState, Fail, fmt.Sprintf(textOwner, path, owner(info), user), fmt.Sprintf(textChown, user, dir)}}
		}
		need, cure := uint32(unix.R_OK|unix.W_OK), "u+rw"
		if info.IsDir() {
			need, cure = need|unix.X_OK, "u+rwx"
		}
		if err := unix.Access(path, need); err != nil {
			return []Finding{{nameState, Fail, fmt.Sprintf(textNoAccess, path, err), fmt.Sprintf(textChmod, cure, path)}}
		}
	}
	return nil
}

// workspace looks at the rights on the workspace.
func (f folders) workspace(context.Context) []Finding {
	dir := f.setup.cfg.Workspace
	info, err := os.Stat(dir)
	if found := missing(nameWorkspace, dir, err); found != nil {
		return found
	}
	if !info.IsDir() {
		return []Finding{{nameWorkspace, Fail, fmt.Sprintf(textNoFolder, dir), textMoveAway}}
	}
	if err := unix.Access(dir, unix.R_OK|unix.W_OK|unix.X_OK); err != nil {
		return []Finding{{nameWorkspace, Fail, fmt.Sprintf(textNoAccess, dir, err), fmt.Sprintf(textWritableCure, os.Geteuid(), dir)}}
	}
	if info.Mode().Perm()&everybody != 0 {
		return []Finding{{nameWorkspace, Warn, fmt.Sprintf(textOthersWrite, dir, info.Mode().Perm()), fmt.Sprintf(textChmod, "go-w", dir)}}
	}
	return []Finding{{nameWorkspace, OK, fmt.Sprintf(textWorkspaceGood, dir), ""}}
}

// corpora looks whether the folders of documents can be read.
func (f folders) corpora(context.Context) (found []Finding) {
	all := f.setup.cfg.Corpora
	for _, name := range slices.Sorted(maps.Keys(all)) {
		dir, err := os.Open(all[name].Path + "/.") // which waits for no pipe
		if err == nil {
			_, err = dir.Readdirnames(1)
			_ = dir.Close()
		}
		if err != nil && !errors.Is(err, io.EOF) { // an empty folder is one
			found = append(found, Finding{
				nameCorpora, Warn, fmt.Sprintf(textCorpusMissing, name, err), fmt.Sprintf(textCorpusCure, os.Geteuid(), name),
			})
		}
	}
	if len(found) == 0 {
		found = []Finding{{nameCorpora, OK, fmt.Sprintf(textCorporaGood, admin.Count(len(all), "corpus", "corpora")), ""}}
	}
	return found
}

// missing judges a folder that cannot be looked at; nil for one that can. The gateway makes
// a folder that is not there.
func missing(name, dir string, err error) []Finding {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		parent := nearest(dir)
		if err := unix.Access(parent, unix.W_OK|unix.X_OK); err != nil {
			return []Finding{{name, Fail, fmt.Sprintf(textNoParent, dir, parent, err), fmt.Sprintf(textWritableCure, os.Geteuid(), parent)}}
		}
		return []Finding{{name, OK, fmt.Sprintf(textNotYet, dir), ""}}
	case errors.Is(err, syscall.ENOTDIR):
		return []Finding{{name, Fail, fmt.Sprintf(textNoFolder, dir), textMoveAway}}
	default:
		return []Finding{{name, Fail, err.Error(), fmt.Sprintf(textWritableCure, os.Geteuid(), filepath.Dir(dir))}}
	}
}

// nearest is the folder, or the nearest one above it that is there.
func nearest(dir string) string {
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// owner is the user of a file.
func owner(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return os.Geteuid()
}

// How much room a disk must have in bytes, and should have.
const (
	leastRoom = 64 << 20
	goodRoom  = 1 << 30
)

// disks looks at the room for the state, the workspace and temporary files.
func (f folders) disks(context.Context) []Finding {
	var found []Finding
	seen := map[unix.Fsid]bool{}
	for _, dir := range []string{f.setup.cfg.StateDir, f.setup.cfg.Workspace, os.TempDir()} {
		at := nearest(dir)
		var st unix.Statfs_t
		if err := unix.Statfs(at, &st); err != nil {
			found = append(found, Finding{nameDisk, Fail, fmt.Sprintf(textNoStatfs, at, err), fmt.Sprintf(textDiskLook, at)})
			continue
		}
		if seen[st.Fsid] {
			continue
		}
		seen[st.Fsid] = true
		found = append(found, f.disk(at, st.Bavail*uint64(st.Bsize), st.Files, st.Ffree)) //nolint:gosec // no size is negative
	}
	return found
}

// disk judges the room of one disk: the store should fit twice, for its snapshot.
func (f folders) disk(at string, free, files, freeFiles uint64) Finding {
	want := uint64(goodRoom)
	if info, err := os.Stat(filepath.Join(f.setup.cfg.StateDir, "parley.db")); err == nil {
		want = max(want, 2*uint64(info.Size())) //nolint:gosec // no size is negative
	}
	room := roomText(free)
	cure := fmt.Sprintf(textDiskCure, at, f.setup.program())
	switch {
	case free < leastRoom:
		return Finding{nameDisk, Fail, fmt.Sprintf(textDiskFull, room, at), cure}
	case files > 0 && freeFiles < maxEntries:
		return Finding{nameDisk, Fail, fmt.Sprintf(textNoInodes, freeFiles, at), cure}
	case free < want:
		return Finding{nameDisk, Warn, fmt.Sprintf(textDiskLow, room, at, roomText(want)), cure}
	}
	return Finding{nameDisk, OK, fmt.Sprintf(textDiskGood, room, at), ""}
}

// roomText is a number of bytes on a disk.
func roomText(n uint64) string {
	const giga = 1e9
	switch {
	case n == 0:
		return textNoRoom
	case n >= giga:
		return fmt.Sprintf(textGigabytes, float64(n)/giga)
	default:
		return text.FileSize(int64(n))
	}
}
