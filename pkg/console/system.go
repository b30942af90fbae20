package console

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// editorRun is an editor that has the terminal for a while.
type editorRun struct {
	c    *Console
	path string
}

// Run implements [tea.ExecCommand].
func (r *editorRun) Run() (err error) {
	look := func(name string) string { v, _ := r.c.o.LookupEnv(name); return v }
	program := cmp.Or(look("VISUAL"), look("EDITOR"), "vi")
	if err := r.c.term.leave(); err != nil {
		return err
	}
	r.c.editing.Store(true)
	defer r.c.editing.Store(false)
	defer func() { err = errors.Join(err, r.c.term.enter()) }()
	cmd := exec.Command("sh", "-c", program+` "$1"`, "sh", r.path) //nolint:gosec,noctx // the person's own editor, for as long as they like
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.c.o.In, r.c.o.Out, r.c.o.Out
	return cmd.Run()
}

// SetStdin implements [tea.ExecCommand].
func (*editorRun) SetStdin(io.Reader) {}

// SetStdout implements [tea.ExecCommand].
func (*editorRun) SetStdout(io.Writer) {}

// SetStderr implements [tea.ExecCommand].
func (*editorRun) SetStderr(io.Writer) {}

// openEditor edits the line in the person's editor.
func (m *model) openEditor() tea.Cmd {
	f, err := os.CreateTemp("", "parley-*.md")
	if err == nil {
		_, err = f.WriteString(m.edit.line.Text())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		m.said.note(fmt.Sprintf(textNoEditor, err))
		return nil
	}
	m.failed = m.screen.Leave()
	path := f.Name()
	return tea.Exec(&editorRun{m.c, path}, func(err error) tea.Msg {
		raw, readErr := os.ReadFile(path) //nolint:gosec // our own file
		err = errors.Join(err, readErr, os.Remove(path))
		return func(m *model) tea.Cmd {
			m.screen.Forget()
			if err != nil {
				m.said.note(fmt.Sprintf(textNoEditor, err))
				return nil
			}
			m.edit.line.Clear()
			m.edit.paste(strings.TrimRight(string(raw), "\n"))
			return nil
		}
	})
}

// suspend is Ctrl-Z: the shell has the terminal until the person comes back. Where no shell is
// there, the system does not stop the process.
func (m *model) suspend() tea.Cmd {
	const notStopped = 200 * time.Millisecond
	if m.failed = errors.Join(m.screen.Leave(), m.c.term.leave()); m.failed != nil {
		return nil
	}
	back := make(chan os.Signal, 1)
	signal.Notify(back, syscall.SIGCONT)
	defer signal.Stop(back)
	_ = syscall.Kill(0, syscall.SIGTSTP) // a process may stop its own group
	late := time.NewTimer(notStopped)
	defer late.Stop()
	select {
	case <-back:
	case <-late.C:
	}
	m.screen.Forget()
	m.failed = m.c.term.enter()
	return nil
}
