package sizes

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Standard is the name under which the standard library counts.
const Standard = "the standard library"

// Module is one module's part of a program.
type Module struct {
	Path  string
	Bytes int64
}

// Modules reads the modules of a program as go version -m lists them, the program's
// own first.
func Modules(list io.Reader) ([]string, error) {
	var all []string
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) >= 2 && (words[0] == "mod" || words[0] == "dep") {
			all = append(all, words[1])
		}
	}
	return all, lines.Err()
}

// Sum reads the symbols of a program as go tool nm -size lists them and gives the
// bytes of each of the modules, the largest first; package main is of the first one.
func Sum(symbols io.Reader, modules []string) ([]Module, error) {
	bytes := map[string]int64{}
	lines := bufio.NewScanner(symbols)
	lines.Buffer(nil, 1<<20) // names of generic code are long
	for lines.Scan() {
		words := strings.Fields(lines.Text()) // address, size, kind, name
		if len(words) < 4 || !slices.Contains([]string{"T", "t", "R", "r"}, words[2]) {
			continue
		}
		n, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			continue // a symbol without a size
		}
		if owner := ownerOf(words[3], modules); owner != "" {
			bytes[owner] += n
		}
	}
	all := make([]Module, 0, len(bytes))
	for path, n := range bytes {
		all = append(all, Module{path, n})
	}
	slices.SortFunc(all, func(a, b Module) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path)) })
	return all, lines.Err()
}

// ownerOf is the module of a symbol, "" for the linker's own.
func ownerOf(symbol string, modules []string) string {
	symbol = strings.ReplaceAll(symbol, "%2e", ".") // dots in the last part of a path
	if strings.HasPrefix(symbol, "main.") {
		return modules[0]
	}
	owner := ""
	for _, m := range modules {
		below, ok := strings.CutPrefix(symbol, m)
		if ok && below != "" && strings.ContainsRune("./", rune(below[0])) && len(m) > len(owner) {
			owner = m
		}
	}
	switch {
	case owner != "":
		return owner
	case strings.Contains(symbol, ":"): // go:func.*, type:*
		return ""
	default:
		return Standard
	}
}
