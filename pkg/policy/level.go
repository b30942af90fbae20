package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Level is the highest right of a person in a chat: none < chat < read < write < exec.
type Level string

// The levels, lowest first.
const (
	LevelNone  Level = "none"
	LevelChat  Level = "chat"
	LevelRead  Level = "read"
	LevelWrite Level = "write"
	LevelExec  Level = "exec"
)

// Levels lists every level, lowest first.
func Levels() []Level {
	return []Level{LevelNone, LevelChat, LevelRead, LevelWrite, LevelExec}
}

// Allows says whether level a includes level b. A word that is no level neither
// allows nor is allowed.
func (a Level) Allows(b Level) bool {
	ra, rb := a.rank(), b.rank()
	return ra >= 0 && rb >= 0 && ra >= rb
}

func (a Level) rank() int { return slices.Index(Levels(), a) }

// Lowest returns the lowest of levels: the level of a turn whose items come from
// several senders. For an empty list, or a word that is no level, it is [LevelNone].
func Lowest(levels ...Level) Level {
	low := len(Levels())
	for _, l := range levels {
		low = min(low, l.rank())
	}
	if low < 0 || low == len(Levels()) {
		return LevelNone
	}
	return Levels()[low]
}

// ParseLevel reads a level's word.
func ParseLevel(s string) (Level, error) {
	if l := Level(s); l.rank() >= 0 {
		return l, nil
	}
	words := make([]string, 0, len(Levels()))
	for _, l := range Levels() {
		words = append(words, string(l))
	}
	return LevelNone, fmt.Errorf("%q is no level: write one of %s", s, strings.Join(words, ", "))
}
