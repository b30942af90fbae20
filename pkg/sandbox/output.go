package sandbox

import (
	"bytes"
	"fmt"
)

// maxLine is how much of a line is told.
const maxLine = 4 << 10

// keeper keeps the beginning and the end of the bytes written to it, in bounded
// memory.
type keeper struct {
	half  int
	head  []byte
	tail  []byte // a ring once it is full
	next  int    // where the ring goes on
	total int64
}

func newKeeper(limit int) *keeper { return &keeper{half: (limit + 1) / 2} }

// Write implements [io.Writer]; it cannot fail.
func (k *keeper) Write(p []byte) (int, error) {
	n := len(p)
	k.total += int64(n)
	if room := k.half - len(k.head); room > 0 {
		room = min(room, len(p))
		k.head = append(k.head, p[:room]...)
		p = p[room:]
	}
	if len(p) > k.half {
		p = p[len(p)-k.half:]
	}
	if room := k.half - len(k.tail); room > 0 {
		room = min(room, len(p))
		k.tail = append(k.tail, p[:room]...)
		p = p[room:]
	}
	for len(p) > 0 {
		c := copy(k.tail[k.next:], p)
		k.next = (k.next + c) % k.half
		p = p[c:]
	}
	return n, nil
}

// truncated says whether something was left out.
func (k *keeper) truncated() bool { return k.left() > 0 }

func (k *keeper) left() int64 { return k.total - int64(len(k.head)+len(k.tail)) }

// bytes are the kept ones, with a line between that says how many are missing.
func (k *keeper) bytes() []byte {
	out := bytes.Clone(k.head)
	if k.truncated() {
		out = fmt.Appendf(out, "\n[... %d bytes left out ...]\n", k.left())
	}
	out = append(out, k.tail[k.next:]...)
	return append(out, k.tail[:k.next]...)
}

// lines tells each line that is written to it.
type lines struct {
	tell func(string)
	line []byte
}

// Write implements [io.Writer]; it cannot fail.
func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		part, rest, whole := bytes.Cut(p, []byte{'\n'})
		l.line = append(l.line, part[:min(len(part), maxLine-len(l.line))]...)
		if !whole {
			return n, nil
		}
		l.flush()
		p = rest
	}
}

func (l *lines) flush() {
	l.tell(string(bytes.TrimSuffix(l.line, []byte{'\r'})))
	l.line = l.line[:0]
}

// end tells the last line where no line break ends it.
func (l *lines) end() {
	if len(l.line) > 0 {
		l.flush()
	}
}
