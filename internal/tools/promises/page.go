package promises

import (
	"fmt"
	"slices"
	"strings"
)

const introduction = `# Promises

Each promise of Parley, the reason for it, and how it is shown. This page is made from [promises.yaml](promises.yaml), which names
the tests; edit that file and run ` + "`make docs`" + `.

A test of the root fails when a named test does not exist. ` + "`make check`" + ` ends with the promises that its run did not show, and with
the reason where a test skipped. ` + "`make test`" + ` runs each suite with a small population and leaves some promises to ` + "`make check`" + `.
` + "`make mutants`" + ` plants the defects, one at a time, and shows the test that turns red for each.

The crash tests end the real gateway with SIGKILL, start it again on the same state and count. ` + "`make check`" + ` runs one seed of each,
` + "`make kill`" + ` twenty, and ` + "`make test`" + ` those on Telegram.

The tests in browser are a module of their own, because the program needs no driver of a browser: ` + "`make browser`" + ` runs them, and ends
with the promises that they did not show.

Some tests need more than Go: *chromium* and *tmux* are programs, *npm* fetches clients where PARLEY_CLIENTS is set, *corpora* is a folder of recorded traffic that PARLEY_CORPORA names, *sandbox* a Linux with user
namespaces and Landlock, and *cgroup* a control group of version 2 that is delegated to the tests alone, which ` + "`make cgroup`" + ` makes in a
virtual machine.
`

// Write gives the page for people. Defects counts the planted defects by the id of
// the promise that they break.
func Write(parts []Part, defects map[string]int) string {
	var b strings.Builder
	b.WriteString(introduction)
	for i := range parts {
		p := &parts[i]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", p.Title, p.Why)
		if p.About != "" {
			fmt.Fprintf(&b, "\n%s\n", p.About)
		}
		b.WriteString("\n")
		for j := range p.Rows {
			row := &p.Rows[j]
			promise := row.Promise
			if p.Begin != "" {
				promise = p.Begin + " " + promise + "."
			}
			fmt.Fprintf(&b, "- **%s**: %s *%s*\n  %s\n", row.ID, promise, row.Why, row.shownBy(defects[row.ID]))
		}
	}
	return b.String()
}

// shownBy tells how a promise is shown, in one line.
func (r *Row) shownBy(defects int) string {
	var rooms []string
	for _, ref := range r.Tests {
		if room := roomName(ref.Dir); !slices.Contains(rooms, room) {
			rooms = append(rooms, room)
		}
	}
	line := fmt.Sprintf("Shown by %s in %s", count(len(r.Tests), "test"), strings.Join(rooms, ", "))
	if defects > 0 {
		line += ", and by " + count(defects, "planted defect")
	}
	if len(r.Needs) > 0 {
		line += "; needs " + strings.Join(r.Needs, ", ")
	}
	return line + "."
}

func roomName(dir string) string {
	switch {
	case dir == ".":
		return "the root"
	case strings.HasPrefix(dir, "internal/test/"):
		return strings.TrimPrefix(dir, "internal/test/")
	default:
		return strings.TrimPrefix(dir, "pkg/")
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
