package console

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/pkg/channels/markdown"
	"parley/pkg/console/ansi"
	"parley/pkg/text"
)

// ownCommand is a command that the console carries out itself.
type ownCommand struct {
	Command

	run func(m *model, arg string) tea.Cmd
}

// ownCommands is the table of them.
func ownCommands() []ownCommand {
	return []ownCommand{
		{
			Command{Name: "copy", Usage: "/copy [code]", Does: textDoesCopy, Args: []Argument{{Kind: "word", Values: []string{"code"}}}},
			(*model).copy,
		},
		{Command{Name: "keys", Does: textDoesKeys}, func(m *model, _ string) tea.Cmd { m.said.keys(bindings()); return nil }},
		{Command{Name: "quit", Does: textDoesQuit}, func(m *model, _ string) tea.Cmd { return m.leave(nil) }},
	}
}

// all are the commands that there are. The console's own form of a command stands for that of
// the gateway.
func (e *composer) all() []Command {
	all, own := slices.Clone(e.commands), ownCommands()
	for _, c := range own {
		if i := slices.IndexFunc(all, func(o Command) bool { return o.Name == c.Name }); i >= 0 {
			all[i] = c.Command
		} else {
			all = append(all, c.Command)
		}
	}
	return all
}

// knows says whether there is a command of a name.
func (e *composer) knows(name string) bool {
	return slices.ContainsFunc(e.all(), func(c Command) bool { return strings.EqualFold(c.Name, name) })
}

// own carries out a command of the console.
func (m *model) own(words string) (tea.Cmd, bool) {
	name, arg, _ := strings.Cut(words, " ")
	if words == "exit" || words == "quit" || words == "/exit" {
		name = "/quit"
	}
	for _, c := range ownCommands() {
		if name == "/"+c.Name {
			m.edit.keep()
			m.edit.clear()
			return c.run(m, strings.TrimSpace(arg)), true
		}
	}
	return nil, false
}

// unknown holds a text that looks like a command which is not there. Sent again it is a message.
func (e *composer) unknown(words string) bool {
	name, ok := commandName(words)
	if !ok || len(e.commands) == 0 || e.knows(name) || e.held == words {
		return false
	}
	e.held = words
	meant := ""
	if near := e.near(name); near != "" {
		meant = fmt.Sprintf(textDidYouMean, near)
	}
	e.tell(fmt.Sprintf(textUnknown, name, meant), ansi.Busy)
	return true
}

// commandName is the name of the command that a text looks like.
func commandName(words string) (name string, ok bool) {
	word, _, _ := strings.Cut(words, " ")
	name, ok = strings.CutPrefix(word, "/")
	strange := strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
	return name, ok && name != "" && !strange
}

// suggest puts in the command that was perhaps meant.
func (e *composer) suggest() {
	words := strings.TrimSpace(e.line.Text())
	name, ok := commandName(words)
	if !ok || e.held != words {
		return
	}
	if near := e.near(name); near != "" {
		e.line.Set("/" + near + strings.TrimPrefix(words, "/"+name))
		e.held = ""
	}
}

// near is the command whose name is the nearest to a text, "" where none is near.
func (e *composer) near(name string) string {
	best, least := "", 3
	for _, c := range e.all() {
		if d := text.Distance(strings.ToLower(name), c.Name); d < least && d < len(c.Name) {
			best, least = c.Name, d
		}
	}
	return best
}

// copy puts the last answer, or its last block of code, on the clipboard of the terminal.
func (m *model) copy(arg string) tea.Cmd {
	said := m.answer
	if said == "" {
		m.said.note(textNothingYet)
		return nil
	}
	if arg != "" {
		if said = lastCode(said); said == "" {
			m.said.note(textNoCode)
			return nil
		}
	}
	m.screen.Ahead("\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(said)) + "\x07")
	m.said.note(fmt.Sprintf(textCopied, text.FileSize(int64(len(said)))))
	return nil
}

// lastCode is the last block of code of a text.
func lastCode(said string) string {
	code := ""
	blocks := markdown.Read(said, markdown.Dialect{Removed: func(rune) bool { return false }, Link: func(string) string { return "" }})
	for i := range blocks {
		if blocks[i].Kind == markdown.Fenced {
			code = blocks[i].Text
		}
	}
	return code
}
