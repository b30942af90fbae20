package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// FileTools bound the tools that read and write files.
type FileTools struct {
	Mode      string              `yaml:"mode" jsonschema:"enum=ro,enum=rw" jsonschema_description:"Whether files are written: ro never, rw wherever the writing tools may be used. Left out: in chats that have the level write."`
	Roots     map[string]FileRoot `yaml:"roots" jsonschema_description:"Folders that chosen chats reach beside their own files, as @NAME/PATH."`
	Allow     []string            `yaml:"allow" jsonschema_description:"Patterns such as **/*.md; when set, only files that match one are read and written."`
	Refuse    []string            `yaml:"refuse" jsonschema_description:"Patterns of what is neither read nor written, beside keys, passwords and .git, which never are."`
	MaxFileKB int                 `yaml:"max_file_kb" jsonschema:"minimum=1,maximum=65536" jsonschema_description:"Kilobytes of the largest file that is written. Default 1024."`
	MaxFiles  int                 `yaml:"max_files" jsonschema:"minimum=1,maximum=1000000" jsonschema_description:"Files and folders that one chat may have. Default 10000."`
	MaxMB     int                 `yaml:"max_mb" jsonschema:"minimum=1,maximum=10000000" jsonschema_description:"Megabytes that the files of one chat may take, the received ones counted. Default 1000."`
	MaxDepth  int                 `yaml:"max_depth" jsonschema:"minimum=1,maximum=200" jsonschema_description:"How many names the path of a written file may have. Default 32."`
}

// FileRoot is a folder beside the chats' own.
type FileRoot struct {
	Path  string   `yaml:"path" jsonschema_description:"An absolute path. It must not hold the workspace, the state or the configuration, nor lie in one of them."`
	Mode  string   `yaml:"mode" jsonschema:"enum=ro,enum=rw" jsonschema_description:"ro, the default, or rw: then chats that may write may write here."`
	Chats []string `yaml:"chats" jsonschema_description:"The chats that reach it: CHANNEL:[ACCOUNT/]CHAT[#THREAD]."`
}

func defaultFileTools() FileTools {
	return FileTools{MaxFileKB: 1024, MaxFiles: 10_000, MaxMB: 1000, MaxDepth: 32}
}

// files checks the patterns, and that no root reaches files that steer the gateway.
func (c fileChecker) files() {
	f := c.cfg.Tools.Files
	for name, patterns := range map[string][]string{"allow": f.Allow, "refuse": f.Refuse} {
		for i, pattern := range patterns {
			at := fmt.Sprintf("tools.files.%s[%d]", name, i)
			if c.options.Pattern != nil {
				c.report(at, c.options.Pattern(pattern))
			}
			root, _, _ := strings.Cut(strings.TrimPrefix(pattern, "@"), "/")
			if _, ok := f.Roots[root]; ok && strings.HasPrefix(pattern, "@") {
				c.at(at, "matches no path, because patterns hold inside of each root: take @%s/ out", root)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Roots)) {
		c.shared("tools.files.roots."+name, "root", name, f.Roots[name].Path, f.Roots[name].Chats)
	}
}

// shared checks a folder of the operator's that chats use; kind is what the configuration calls it. It
// says whether the path may be looked at further.
func (c fileChecker) shared(path, kind, name, folder string, chats []string) (absolute bool) {
	if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`).MatchString(name) {
		c.at(path, "a %s has a name of letters, digits, - and _, at most 32", kind)
	}
	switch {
	case folder == "":
		c.at(path+".path", "is missing: write the absolute path of a folder")
	case !filepath.IsAbs(folder):
		c.at(path+".path", "must be an absolute path")
	default:
		absolute = true
		c.apart(path+".path", folder)
		c.rootFolder(path+".path", resolved(folder))
	}
	if len(chats) == 0 {
		c.at(path+".chats", "is missing: list the chats that use this folder, such as telegram:123456789")
	}
	for i, place := range chats {
		c.place(fmt.Sprintf("%s.chats[%d]", path, i), place)
	}
	return absolute
}

// rootFolder reports a folder of the system's, which no chat is meant to read; at is
// without links. A folder that is not there may come, as a network's does.
func (c fileChecker) rootFolder(path, at string) {
	is := func(folder string) bool { return resolved(folder) == at }
	lies := func(folder string) bool { return within(resolved(folder), at) }
	if slices.ContainsFunc([]string{"/boot", "/etc"}, lies) || slices.ContainsFunc([]string{"/home", "/root", "/run", "/var"}, is) {
		c.at(path, "must not be %q, which belongs to the system: choose a folder of your own", at)
		return
	}
	c.folder(path, at)
}

// apart reports a root from which a tool could reach files that steer the gateway, also
// through a link.
func (c fileChecker) apart(path, root string) {
	root = resolved(root)
	for _, own := range []struct{ name, at string }{
		{"the workspace", c.cfg.Workspace}, {"state_dir", c.cfg.StateDir}, {"the configuration", c.yaml.File},
	} {
		at, err := filepath.Abs(own.at)
		if err != nil {
			continue
		}
		if at = resolved(at); within(root, at) || within(at, root) {
			c.at(path, "must lie apart from %s: choose another folder", own.name)
		}
	}
}
