package console

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/pkg/console/ansi"
	"parley/pkg/console/line"
	"parley/pkg/text"
)

// menu offers the words that may stand at the cursor.
type menu struct {
	items []item
	at    int
	// bytes is how much of the text before the cursor an item replaces.
	bytes int
	// moved says that the person chose the item; closed that they want no menu for this word.
	moved, closed bool
	// word is the text for which the items are.
	word string
}

// maxMenu is how many items are shown at a time.
const maxMenu = 8

// item is a row of a menu.
type item struct {
	// text is what is put in, label what is shown, with a note behind it.
	text, label, note string
	// file is the path of a file that goes with the message.
	file string
	// whole says that the line is whole with it.
	whole bool
}

func (u *menu) close() { *u = menu{} }

// move goes to another item; false where there is no menu.
func (u *menu) move(by int) bool {
	if len(u.items) == 0 {
		return false
	}
	u.at = (u.at + by + len(u.items)) % len(u.items)
	u.moved = true
	return true
}

// takesEnter says whether Enter takes the chosen item: one that the person went to, or the first
// command with such a beginning.
func (u *menu) takesEnter(e *composer) bool {
	if len(u.items) == 0 {
		return false
	}
	return u.moved || strings.HasPrefix(u.word, "/") && !strings.Contains(u.word, " ") && !e.knows(u.word[1:])
}

// whole says whether the line is whole with the chosen item.
func (u *menu) whole() bool { return u.items[u.at].whole }

// accept puts the chosen item in.
func (e *composer) accept() {
	if len(e.menu.items) == 0 {
		return
	}
	chosen := e.menu.items[e.menu.at]
	e.line.Complete(e.menu.bytes, "")
	switch {
	case chosen.file != "":
		e.line.Put(line.Item{Text: chosen.text, Label: chosen.text, File: chosen.file})
		e.line.Insert(" ")
	default:
		e.line.Insert(chosen.text)
	}
	e.menu.close()
}

// rows are the rows of the menu around the chosen item.
func (u *menu) rows(width, most int) []ansi.Line {
	from := max(0, min(u.at-most/2, len(u.items)-most))
	to := min(len(u.items), from+most)
	wide := 0
	for _, i := range u.items[from:to] {
		wide = max(wide, ansi.Columns(i.label))
	}
	var all []ansi.Line
	for n, i := range u.items[from:to] {
		lead, look := indent, ansi.Look{}
		if from+n == u.at {
			lead, look = "▸ ", ansi.Look{Role: ansi.Person}
		}
		l := ansi.Text(lead, ansi.Person)
		l.Put(i.label, look)
		if i.note != "" {
			l.Put(strings.Repeat(" ", max(1, min(wide, width/2)-ansi.Columns(i.label)+2))+i.note, ansi.Look{Role: ansi.Faint})
		}
		all = append(all, l.Clip(width))
	}
	return all
}

// look makes the menu for the word at the cursor.
func (e *composer) look() tea.Cmd {
	before := e.line.Before()
	word := before
	if e.menu.closed && strings.HasPrefix(word, e.menu.word) && word != "" {
		return nil
	}
	e.menu = menu{word: word}
	if e.line.AtStart() && strings.HasPrefix(before, "/") {
		e.menu.items, e.menu.bytes = e.commandItems(before)
		return nil
	}
	at := strings.LastIndexAny(before, " \n\t") + 1
	if path, ok := strings.CutPrefix(before[at:], "@"); ok {
		return lookFiles(before, path)
	}
	return nil
}

// learn takes in the commands of the gateway, also for a menu that is open already.
func (e *composer) learn(all []Command) tea.Cmd {
	e.commands = all
	if e.menu.moved || e.menu.closed || !strings.HasPrefix(e.menu.word, "/") {
		return nil
	}
	return e.look()
}

// commandItems are the commands that begin with a text, or the arguments of one.
func (e *composer) commandItems(typed string) (items []item, bytes int) {
	name, rest, inside := strings.Cut(typed[1:], " ")
	if !inside {
		for _, c := range e.all() {
			if strings.HasPrefix(c.Name, strings.ToLower(name)) {
				takes := ""
				if len(c.Args) > 0 {
					takes = " "
				}
				items = append(items, item{text: "/" + c.Name + takes, label: usageOf(&c), note: c.Does, whole: takes == ""})
			}
		}
		return items, len(typed)
	}
	i := slices.IndexFunc(e.all(), func(c Command) bool { return c.Name == name })
	words := strings.Split(rest, " ")
	if i < 0 || len(words) > len(e.all()[i].Args) {
		return nil, 0
	}
	word := words[len(words)-1]
	for _, value := range e.all()[i].Args[len(words)-1].Values {
		if strings.HasPrefix(value, word) && value != word {
			items = append(items, item{text: value, label: value, whole: true})
		}
	}
	return items, len(word)
}

func usageOf(c *Command) string {
	if c.Usage != "" {
		return c.Usage
	}
	return "/" + c.Name
}

// changed follows a change of the line.
func (e *composer) changed() tea.Cmd {
	e.recall.leave()
	return e.look()
}

// maxFiles is how many names of a folder are looked at.
const maxFiles = 2000

// lookFiles makes the menu of the files whose path begins with a text. A slow disk does not stop
// the line.
func lookFiles(before, path string) tea.Cmd {
	return func() tea.Msg {
		items := filesAt(path)
		return func(m *model) tea.Cmd {
			if m.edit.line.Before() == before && !m.edit.menu.closed { // else another key was pressed
				m.edit.menu = menu{items: items, bytes: len(path) + 1, word: before}
			}
			return nil
		}
	}
}

// filesAt are the files and folders whose path begins with a text.
func filesAt(path string) []item {
	folder, begin := filepath.Split(path)
	dir := folder
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(dir, "~/") {
		dir = filepath.Join(home, dir[2:])
	}
	if dir == "" {
		dir = "."
	}
	f, err := os.Open(dir) //nolint:gosec // the person types the path
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()  // it was read
	entries, _ := f.ReadDir(maxFiles) // those that could be read
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var all []item
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, begin) || begin == "" && strings.HasPrefix(name, ".") {
			continue
		}
		full := filepath.Join(dir, name)
		info, err := os.Stat(full)
		switch {
		case err != nil:
		case info.IsDir():
			all = append(all, item{text: "@" + folder + name + "/", label: name + "/"})
		case info.Mode().IsRegular():
			all = append(all, item{text: "@" + folder + name, label: name, note: text.FileSize(info.Size()), file: full})
		}
	}
	return all
}
