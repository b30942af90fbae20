package main

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"parley/internal/tools/retrieval/part"
)

// changelogs reads the changelogs of the installed packages as chats: a package is a chat, an entry
// a message with its author and date. The query of an entry is its first line, if no other entry
// of the chat begins with it.
func changelogs() ([]part.Document, error) {
	files, err := filepath.Glob("/usr/share/doc/*/changelog.Debian.gz")
	if err != nil {
		return nil, err
	}
	var all []part.Document
	read := map[string]bool{}
	for _, file := range files {
		real, err := filepath.EvalSymlinks(file)
		if err != nil || read[real] {
			continue
		}
		read[real] = true
		own, err := changelog(real)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", real, err)
		}
		all = append(all, own...)
	}
	return all, nil
}

func changelog(file string) ([]part.Document, error) {
	text, err := unzipped(file)
	if err != nil {
		return nil, err
	}
	chat := filepath.Base(filepath.Dir(file))
	var all []part.Document
	var d part.Document
	var body []string
	firsts := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		plain := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, " -- "):
			if d.ID != "" && d.Query != "" {
				d.Text = strings.TrimPrefix(plain, "-- ") + "\n" + strings.Join(body, "\n") + "\n"
				firsts[d.Query]++
				all = append(all, d)
			}
			d, body = part.Document{}, nil
		case line != "" && line[0] != ' ' && line[0] != '\t':
			d, body = part.Document{ID: fmt.Sprintf("%s/%d", chat, len(all)), Chat: chat}, []string{plain}
		case plain != "":
			if said := strings.TrimLeft(plain, "*-+ "); d.Query == "" && len(said) >= minQuery {
				d.Query = said
			}
			body = append(body, plain)
		}
	}
	for i := range all {
		if firsts[all[i].Query] > 1 {
			all[i].Query = ""
		}
	}
	return all, lines.Err()
}

// minQuery is the length of a line that says something.
const minQuery = 8
