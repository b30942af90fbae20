package console

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"parley/pkg/console/ansi"
	"parley/pkg/console/line"
)

// binding is a key with what it does.
type binding struct {
	key.Binding

	do func(*model) tea.Cmd
}

// bind makes a row of the table of keys. Rows without a help are named by the row before.
func bind(do func(*model) tea.Cmd, help string, keys ...string) binding {
	names, does, _ := strings.Cut(help, "\t")
	return binding{key.NewBinding(key.WithKeys(keys...), key.WithHelp(names, does)), do}
}

// edits is a key of the line.
func edits(do func(*composer) tea.Cmd) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { return do(&m.edit) }
}

// goes is a key that moves the cursor.
func goes(way line.Motion) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { m.edit.line.Go(way); return m.edit.look() }
}

// changes is a key that changes the text of the line.
func changes(do func(*line.Line)) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { do(&m.edit.line); return m.edit.changed() }
}

// erases is a key that takes away what is between the cursor and the end of a motion, cuts one that
// keeps it.
func erases(way line.Motion) func(*model) tea.Cmd {
	return changes(func(l *line.Line) { l.Erase(way) })
}

func cuts(way line.Motion) func(*model) tea.Cmd {
	return changes(func(l *line.Line) { l.Cut(way) })
}

// bindings is the table of the keys, in the order of their help.
func bindings() []binding {
	const none = ""
	return []binding{
		bind((*model).submit, textKeySend, "enter", "ctrl+j"),
		bind(edits((*composer).newLine), textKeyNewLine, "alt+enter", "shift+enter", "ctrl+enter", "ctrl+alt+j"),
		bind(edits((*composer).up), textKeyUp, "up", "ctrl+p"),
		bind(edits((*composer).down), none, "down", "ctrl+n"),
		bind(edits((*composer).searchBack), textKeySearch, "ctrl+r"),
		bind(edits((*composer).tab), textKeyTab, "tab"),
		bind(edits((*composer).back), none, "shift+tab"),
		bind(beginChord, textKeyEditor, "ctrl+x"),
		bind(goes(line.WordLeft), textKeyWords, "ctrl+left", "alt+left", "alt+b"),
		bind(goes(line.WordRight), none, "ctrl+right", "alt+right", "alt+f"),
		bind(goes(line.Home), textKeyEnds, "home", "ctrl+a"),
		bind(goes(line.End), none, "end", "ctrl+e"),
		bind(goes(line.First), none, "ctrl+home", "alt+<"),
		bind(goes(line.Last), none, "ctrl+end", "alt+>"),
		bind(goes(line.Left), none, "left", "ctrl+b"),
		bind(goes(line.Right), none, "right", "ctrl+f"),
		bind(erases(line.Left), none, "backspace", "shift+backspace", "ctrl+h"),
		bind(erases(line.Right), none, "delete"),
		bind(cuts(line.WordLeft), textKeyCutWord, "ctrl+w", "alt+backspace", "ctrl+backspace"),
		bind(cuts(line.WordRight), none, "alt+d", "ctrl+delete", "alt+delete"),
		bind(cuts(line.Home), textKeyCut, "ctrl+u"),
		bind(cuts(line.Rest), none, "ctrl+k"),
		bind(changes((*line.Line).Yank), textKeyYank, "ctrl+y"),
		bind(changes((*line.Line).Undo), textKeyUndo, "ctrl+_", "ctrl+/", "ctrl+7"),
		bind(nil, textKeyAnswer),
		bind((*model).escape, textKeyEscape, "esc", "ctrl+g"),
		bind(clearScreen, textKeyClear, "ctrl+l"),
		bind((*model).suspend, textKeySuspend, "ctrl+z"),
		bind((*model).interrupt, textKeyInterrupt, "ctrl+c"),
		bind((*model).endOrDelete, textKeyEnd, "ctrl+d"),
	}
}

// key acts on a key.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	e := &m.edit
	e.hint = nil
	if m.chord {
		m.chord = false
		if k.String() == "ctrl+e" {
			return m.openEditor()
		}
	}
	if e.recall.searching && e.recall.key(k, &e.line) {
		return nil
	}
	if e.line.Empty() {
		if choice, ok := m.asks.takes(k.String()); ok {
			return m.press(choice)
		}
	}
	for _, b := range bindings() {
		if key.Matches(k, b.Binding) {
			return b.do(m)
		}
	}
	if k.String() == "?" && e.line.Empty() {
		m.said.keys(bindings())
		return nil
	}
	if typed := k.Text; typed != "" && !strings.ContainsFunc(typed, isControl) && utf8.ValidString(typed) && e.line.Insert(typed) {
		e.held = ""
		return e.changed()
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// submit is Enter.
func (m *model) submit() tea.Cmd {
	e := &m.edit
	if e.menu.takesEnter(e) {
		whole := e.menu.whole()
		e.accept()
		if !whole {
			return e.look()
		}
	}
	return m.enter()
}

func (e *composer) newLine() tea.Cmd {
	e.line.Insert("\n")
	return e.changed()
}

// up goes up in the menu, in the text, or to the line before.
func (e *composer) up() tea.Cmd {
	if rows := e.layout(); e.menu.move(-1) || e.line.Up(&rows) {
		return nil
	}
	e.recall.older(&e.line)
	e.menu.close()
	return nil
}

// down is the other way than up.
func (e *composer) down() tea.Cmd {
	if rows := e.layout(); e.menu.move(1) || e.line.Down(&rows) {
		return nil
	}
	e.recall.newer(&e.line)
	e.menu.close()
	return nil
}

// tab takes the chosen item of the menu.
func (e *composer) tab() tea.Cmd {
	if len(e.menu.items) == 0 {
		e.suggest()
		return nil
	}
	e.accept()
	return e.look()
}

func (e *composer) back() tea.Cmd {
	e.menu.move(-1)
	return nil
}

func (e *composer) searchBack() tea.Cmd {
	e.menu.close()
	e.recall.search()
	return nil
}

// escape closes what is open: the menu, or a question for now.
func (m *model) escape() tea.Cmd {
	e := &m.edit
	switch {
	case len(e.menu.items) > 0:
		word := e.menu.word
		e.menu = menu{word: word, closed: true}
	case len(m.asks.open) > 0:
		m.asks.aside = !m.asks.aside
	}
	return nil
}

// endOrDelete is Ctrl-D: it leaves where the line is empty.
func (m *model) endOrDelete() tea.Cmd {
	if m.edit.line.Empty() {
		return m.leave(nil)
	}
	m.edit.line.Erase(line.Right)
	return m.edit.changed()
}

// clearScreen is Ctrl-L.
func clearScreen(m *model) tea.Cmd {
	m.screen.Clear()
	m.said.blank = true
	return nil
}

// beginChord is the first half of Ctrl-X Ctrl-E.
func beginChord(m *model) tea.Cmd {
	m.chord = true
	return nil
}

// keys lists the keys.
func (t *transcript) keys(all []binding) {
	t.gap()
	for _, b := range all {
		help := b.Help()
		if help.Key == "" {
			continue
		}
		var l ansi.Line
		l.Put(fmt.Sprintf("  %-33s", help.Key), ansi.Look{Role: ansi.Code})
		l.Put(help.Desc, ansi.Look{})
		t.put(l.Clip(t.width))
	}
	t.gap()
}
