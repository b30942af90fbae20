package toolset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/tools"
	"parley/pkg/tools/corpora"
	"parley/pkg/tools/files"
)

// The line about a corpus in the status of its chat.
const (
	textCorpus        = "Corpus %s: %s%s\n"
	textCorpusTrouble = "; its folder or its index cannot be used at the moment"
)

// addCorpora adds the tools that search the folders of documents. They are off where there are none.
func (s *Set) addCorpora() {
	for _, t := range corpora.New(corpora.Options{
		Library: s.o.Corpora, Redact: s.o.Redact,
		Of: func(inv tools.Invocation) []corpora.Corpus { return s.corpora(addressOf(inv)) },
	}) {
		s.Registry.Register(t)
		s.Registry.SetEnabled(t.Name(), len(s.cfg.Corpora) > 0)
	}
}

func isCorpora(tool string) bool { return tool == corpora.NameSearch || tool == corpora.NameList }

// corporaOf gives each chat the folders of documents that the configuration names for it.
func corporaOf(all map[string]config.Corpus, known Addresses) func(channels.Address) []corpora.Corpus {
	grants := grants[corpora.Corpus]{known: known}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		grants.add(corpora.Corpus{Name: name, Trusted: all[name].Trusted}, all[name].Chats)
	}
	return grants.of
}

// Indexed tells people how far the corpora of a chat are indexed: a line for each.
func (s *Set) Indexed(at channels.Address) string {
	var names []string
	for _, c := range s.corpora(at) {
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return ""
	}
	var b strings.Builder
	states := s.o.Corpora.States(names)
	for i := range states {
		one, trouble := states[i].Summary(), ""
		if one.Trouble != "" {
			trouble = textCorpusTrouble
		}
		fmt.Fprintf(&b, textCorpus, one.Corpus, one.Words(), trouble)
	}
	return b.String()
}

// Folders tells the model of the folders of a chat beside its own files: roots and corpora. It has
// the same words in each turn.
func (s *Set) Folders(at channels.Address) string {
	var lines []string
	if s.Offered(at, "read_file") && s.Registry.Enabled("read_file") {
		for _, r := range s.roots(at) {
			line := "- @" + r.Name + ": files that you reach as @" + r.Name + "/PATH"
			if !r.Writable || s.cfg.Tools.Files.Mode == files.ReadOnly {
				line += ", to read only"
			}
			lines = append(lines, line)
		}
	}
	if s.Offered(at, corpora.NameSearch) && s.Registry.Enabled(corpora.NameSearch) {
		for _, c := range s.corpora(at) {
			lines = append(lines, "- "+c.Name+": a corpus of documents, searched with "+corpora.NameSearch)
		}
	}
	return strings.Join(lines, "\n")
}
