package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kernelFolders hold no files, whatever they look like.
func kernelFolders() []string { return []string{"/dev", "/proc", "/sys"} }

// systemFolders are the machine's own, which no operator means as a whole.
func systemFolders() []string {
	return []string{"/", "/bin", "/boot", "/etc", "/lib", "/lib64", "/sbin", "/usr"}
}

// folders checks the two folders in which the gateway writes.
func (c folderChecker) folders() {
	state, space := resolved(c.cfg.StateDir), resolved(c.cfg.Workspace)
	c.folder("state_dir", state)
	if c.cfg.Workspace != filepath.Join(c.cfg.StateDir, "workspace") { // else the one problem is enough
		c.folder("workspace", space)
	}
	switch own := []string{"audit", "index", "outgoing", "snapshots"}; {
	case within(space, state):
		c.at("state_dir", "must not lie inside the workspace, where tools read and write: move it out")
	case slices.ContainsFunc(own, func(name string) bool { return within(filepath.Join(state, name), space) }):
		c.at("workspace", "is a folder that the gateway uses itself: choose another name in state_dir")
	}
}

// named reports the name of a folder or a file that would not be read as it is meant;
// path is as the file has it.
func (w *walker) named(path, what, name string) {
	switch {
	case name == "" && w.written(path):
		w.at(path, "is empty: write a %s, or leave the key out", what)
	case strings.HasPrefix(name, "~") && name != "~" && !strings.HasPrefix(name, "~/"):
		w.at(path, "only ~ itself stands for a home folder: write the absolute path")
	case strings.Contains(name, "$"):
		w.at(path, "no variable is replaced here: write ~ for the home folder, or the absolute path")
	}
}

// folder reports a place where no folder of ours can be; at is without links.
func (c checker) folder(path, at string) {
	is := func(folder string) bool { return resolved(folder) == at }
	lies := func(folder string) bool { return within(resolved(folder), at) }
	switch {
	case slices.ContainsFunc(kernelFolders(), lies), slices.ContainsFunc(systemFolders(), is):
		c.at(path, "must not be %q, which belongs to the system: choose a folder of your own", at)
	default:
		if file := blocking(at); file != "" {
			c.at(path, "%q is a file, and no folder can be made there: choose another place", file)
		}
	}
}

// blocking is the path in the way of a folder: itself or one above it that is not a
// folder, or "".
func blocking(at string) string {
	for ; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return at
		case err == nil || filepath.Dir(at) == at:
			return ""
		}
	}
}

// within says whether path is dir or lies below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved is a path without links, as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(resolved(dir), filepath.Base(path))
}
