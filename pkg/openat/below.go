package openat

import (
	"path/filepath"
	"strings"
)

// Below gives an absolute path as one relative to the folder dir, if it begins with
// the folder's name: as dir spells it, or without the links in dir. It compares names
// only: opening the result below dir finds the file behind it.
func Below(dir, name string) (rel string, ok bool) {
	if !filepath.IsAbs(name) || !filepath.IsAbs(dir) {
		return "", false
	}
	spellings := []string{filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		spellings = append(spellings, real)
	}
	name = filepath.Clean(name)
	for _, base := range spellings {
		if name == base {
			return ".", true
		}
		if rel, ok := strings.CutPrefix(name, strings.TrimSuffix(base, "/")+"/"); ok {
			return rel, true
		}
	}
	return "", false
}
