package mutants

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Ledger keeps the verdict on each mutant between runs, so that a run goes on where
// the one before ended and begins with the mutants that a change touches.
type Ledger struct {
	path, root string
	entries    map[string]ledgerEntry
}

// ledgerEntry is the last verdict on a mutant. Inputs is the digest of the mutated
// file and of the test's package as they were then.
type ledgerEntry struct {
	Verdict Verdict `json:"verdict"`
	Inputs  string  `json:"inputs"`
}

// OpenLedger reads the ledger at path of the tree at root. One that is missing or
// cannot be read is empty: the mutants are judged again.
func OpenLedger(path, root string) (*Ledger, error) {
	l := &Ledger{path: path, root: root, entries: map[string]ledgerEntry{}}
	text, err := os.ReadFile(path) //nolint:gosec // the caller names the file
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the verdicts of earlier runs: %w", err)
	}
	if json.Unmarshal(text, &l.entries) != nil {
		l.entries = map[string]ledgerEntry{}
	}
	return l, nil
}

// Note keeps a verdict, at once on the disk: a run may be ended at any time.
func (l *Ledger) Note(r Result) error {
	inputs, err := l.inputs(r.Mutant)
	if err != nil {
		return err
	}
	l.entries[r.Mutant.key()] = ledgerEntry{Verdict: r.Verdict, Inputs: inputs}
	text, err := json.MarshalIndent(l.entries, "", "\t")
	if err != nil {
		return fmt.Errorf("write the verdicts: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return fmt.Errorf("write the verdicts: %w", err)
	}
	next := l.path + ".next"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return fmt.Errorf("write the verdicts: %w", err)
	}
	if err := os.Rename(next, l.path); err != nil {
		return fmt.Errorf("write the verdicts: %w", err)
	}
	return nil
}

// The states of a mutant, in the order in which a run takes them.
const (
	touched = iota // its file or its test has changed since it was judged
	undone         // it survived, could not be judged, or is new
	killed         // it was killed, and its file and test are the same
)

// Due are the mutants of a list that are still to be judged: first those that a
// change touches, then the others. Of the rest, which were killed before, it gives
// the number.
func (l *Ledger) Due(list []Mutant) (due []Mutant, before int, err error) {
	states := make(map[string]int, len(list))
	for _, m := range list {
		inputs, err := l.inputs(m)
		if err != nil {
			return nil, 0, err
		}
		last, judged := l.entries[m.key()]
		switch {
		case judged && last.Inputs != inputs:
			states[m.key()] = touched
		case judged && last.Verdict == Killed:
			states[m.key()] = killed
			before++
			continue
		default:
			states[m.key()] = undone
		}
		due = append(due, m)
	}
	slices.SortStableFunc(due, func(a, b Mutant) int { return cmp.Compare(states[a.key()], states[b.key()]) })
	return due, before, nil
}

// key names a mutant by all that it says.
func (m Mutant) key() string {
	return digest(m.Promise, m.Defect, m.File, m.Old, m.New, m.Dir, m.Test)
}

// inputs is the digest of the mutated file and of the test's package. A file that is
// missing counts as empty: judging the mutant reports it.
func (l *Ledger) inputs(m Mutant) (string, error) {
	names := []string{filepath.FromSlash(m.File)}
	dir, err := os.ReadDir(filepath.Join(l.root, filepath.FromSlash(m.Dir)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the package of a mutant's test: %w", err)
	}
	for _, e := range dir {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".go") {
			names = append(names, filepath.Join(filepath.FromSlash(m.Dir), e.Name()))
		}
	}
	parts := make([]string, 0, 2*len(names))
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(l.root, name)) //nolint:gosec // files of the tree
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("read a file of a mutant: %w", err)
		}
		parts = append(parts, name, string(text))
	}
	return digest(parts...), nil
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s,", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
