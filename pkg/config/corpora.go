package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// maxCorpora bounds the corpora of a gateway.
const maxCorpora = 100

// Corpus is a folder of documents that chosen chats can search.
type Corpus struct {
	Path    string   `yaml:"path" jsonschema_description:"An absolute path of a folder. It must not hold the workspace, the state or the configuration, nor lie in one of them."`
	Chats   []string `yaml:"chats" jsonschema_description:"The chats that search it: CHANNEL:[ACCOUNT/]CHAT[#THREAD]."`
	Glob    []string `yaml:"glob" jsonschema_description:"Patterns such as **/*.md; when set, only files that match one are indexed. Default: all files of known formats."`
	Trusted bool     `yaml:"trusted" jsonschema_description:"Whether its content counts as the operator's own words. Default false: after a passage was read, more calls ask."`
}

// corpora checks the folders of documents.
func (c fileChecker) corpora() {
	if len(c.cfg.Corpora) > maxCorpora {
		c.at("corpora", "has more than %d entries: join some folders, or take some out", maxCorpora)
	}
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Corpora)) {
		c.corpus("corpora."+name, name, c.cfg.Corpora[name])
	}
}

func (c fileChecker) corpus(path, name string, k Corpus) {
	if c.shared(path, "corpus", name, k.Path, k.Chats) {
		c.trusts(path, k)
	}
	for i, pattern := range k.Glob {
		if c.options.Pattern != nil {
			c.report(fmt.Sprintf("%s.glob[%d]", path, i), c.options.Pattern(pattern))
		}
	}
}

// Outside says whether a folder of tools.files.roots lies in a corpus that is not trusted, or holds one: its files are then as
// little the operator's words as the passages of the corpus.
func (c *Config) Outside(r FileRoot) bool {
	root := resolved(r.Path)
	for _, k := range c.Corpora {
		if at := resolved(k.Path); !k.Trusted && (within(root, at) || within(at, root)) {
			return true
		}
	}
	return false
}

// trusts reports a trusted corpus into which chats can write: their words would come back as the
// operator's.
func (c fileChecker) trusts(path string, k Corpus) {
	at := resolved(k.Path)
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Tools.Files.Roots)) {
		r := c.cfg.Tools.Files.Roots[name]
		if root := resolved(r.Path); k.Trusted && r.Mode == "rw" && filepath.IsAbs(r.Path) && (within(root, at) || within(at, root)) {
			c.at(path+".trusted", "cannot hold, because chats write into this folder by tools.files.roots.%s: take it out, or choose "+
				"another folder", name)
		}
	}
}
