package channels

import "strings"

// fence is an open code fence, or the zero value.
type fence struct {
	// line is the line that opened it, marker its ``` or ~~~, indent the text before
	// the marker.
	line, indent, marker string
}

func (f fence) isOpen() bool { return f.marker != "" }

// opening is the first line of a part that begins within the fence.
func (f fence) opening() string {
	if !f.isOpen() {
		return ""
	}
	return f.line + "\n"
}

// closing is the last line of a part that ends within the fence.
func (f fence) closing() string {
	if !f.isOpen() {
		return ""
	}
	return "\n" + f.indent + f.marker
}

// parseFence reads a line that opens a fence.
func parseFence(line string) (fence, bool) {
	line = strings.TrimRight(line, " \t\r")
	text := strings.TrimLeft(line, " \t")
	if !strings.HasPrefix(text, "```") && !strings.HasPrefix(text, "~~~") {
		return fence{}, false
	}
	info := strings.TrimLeft(text, text[:1])
	if text[0] == '`' && strings.Contains(info, "`") {
		return fence{}, false
	}
	return fence{
		line:   line,
		indent: line[:len(line)-len(text)],
		marker: text[:len(text)-len(info)],
	}, true
}

// closedBy says whether a line closes the fence.
func (f fence) closedBy(line string) bool {
	text := strings.TrimSpace(line)
	return len(text) >= len(f.marker) && strings.Trim(text, f.marker[:1]) == ""
}

// fenceLine is a line of rest that opens or closes a fence.
type fenceLine struct {
	start, end int
	// after is the fence that is open behind the line.
	after fence
}

// lineAt says whether the line at start is a fence line while open is open.
func (s *splitter) lineAt(start int, open fence) (fenceLine, bool) {
	line, _, _ := strings.Cut(s.rest[start:], "\n")
	l := fenceLine{start: start, end: start + len(line)}
	if start == 0 && s.midLine {
		return l, false
	}
	if open.isOpen() {
		return l, open.closedBy(line)
	}
	f, ok := parseFence(line)
	if !ok || s.length(f.opening()+f.closing()) > s.limit/2 {
		return l, false
	}
	l.after = f
	return l, true
}

// fenceLines are those that begin before n, in order.
func (s *splitter) fenceLines(n int) []fenceLine {
	var lines []fenceLine
	open := s.open
	for start := 0; start < n; {
		l, ok := s.lineAt(start, open)
		if ok {
			lines = append(lines, l)
			open = l.after
		} else {
			l.after = open
		}
		start = l.end + 1
	}
	return lines
}

// reserve is the room for the closing line that a cut at n or before may need.
func (s *splitter) reserve(n int) int {
	reserve := s.length(s.open.closing())
	for _, l := range s.fenceLines(n) {
		reserve = max(reserve, s.length(l.after.closing()))
	}
	return reserve
}

// settle moves a cut out of fence lines, up to far at most, and says which fence
// is open there.
func (s *splitter) settle(at, n, far int) (int, fence) {
	open, began := s.open, 0
	for _, l := range s.fenceLines(at + 2) {
		opens := l.after.isOpen()
		switch {
		case opens && l.start >= at:
			return at, open
		case opens && l.start > 0 && at <= l.end:
			return l.start, open // an opening line goes with its code
		case !opens && at <= l.end && l.end <= far:
			return l.end, fence{} // so does a closing line
		case !opens && at < l.end && l.start > 0:
			return l.start, open
		}
		open, began = l.after, l.start
	}
	if open.isOpen() && began > n/2 {
		return began, fence{} // a fence that begins late goes to the next part as a whole
	}
	return at, open
}
