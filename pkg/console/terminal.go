package console

import (
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// FreshRow begins the row anew: the terminal has shown there what was typed before the console was
// ready, and the console shows it once more as its line.
const FreshRow = "\r\x1b[K"

// The modes that the console needs: pastes are marked, and keys with modifiers are told apart where
// the terminal can.
const (
	modesOn  = FreshRow + "\x1b[?2004h\x1b[>4;2m\x1b[>1u"
	modesOff = "\x1b[?2004l\x1b[>4m\x1b[<u"
)

// terminal switches between the modes of the console and those from before.
type terminal struct {
	in, out *os.File

	mu     sync.Mutex
	before *term.State // nil outside of the console's modes
}

func newTerminal(in, out *os.File) *terminal { return &terminal{in: in, out: out} }

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// enter takes the terminal over.
func (t *terminal) enter() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.before != nil {
		return nil
	}
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return err
	}
	t.before = before
	_, err = t.out.WriteString(modesOn)
	return err
}

// leave gives the terminal back. It may be called at any time, from any goroutine.
func (t *terminal) leave() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.before == nil {
		return nil
	}
	// The modes of the keyboard first: a terminal that is stopped does not take the rest.
	err := term.Restore(int(t.in.Fd()), t.before)
	t.before = nil
	wrote := make(chan error, 1)
	go func() { // behind a terminal that stays stopped it ends with the process
		_, failed := t.out.WriteString(modesOff + "\x1b[?7h\x1b[?25h\x1b[0m")
		wrote <- failed
	}()
	late := time.NewTimer(leaveTime)
	defer late.Stop()
	select {
	case failed := <-wrote:
		return errors.Join(err, failed)
	case <-late.C:
		return err
	}
}

// size is the size of the terminal, 80 by 24 where it has none.
func (t *terminal) size() (width, height int) {
	const usualWidth, usualHeight = 80, 24
	width, height, err := term.GetSize(int(t.out.Fd()))
	if err != nil || width < 1 || height < 1 {
		return usualWidth, usualHeight
	}
	return width, height
}
