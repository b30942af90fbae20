package command

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// startCommand is the text that Telegram sends when somebody opens the bot, perhaps
// with the word of the link that they came by. It is in no list: people do not need to
// know it.
const startCommand = "start"

// maxName is the longest name of a command.
const maxName = 32

// Read splits "/name@bot argument", with the name in small letters. False is a message: it does
// not begin with a slash and a word, as "/etc/hosts" and "//help" do not. Whether there is such a
// command is another question, see [Find].
func Read(text string) (name, arg string, ok bool) {
	word, arg := cutWord(strings.TrimSpace(text))
	name, slashed := strings.CutPrefix(word, "/")
	name, _, _ = strings.Cut(name, "@")
	if !slashed || !isName(name) {
		return "", "", false
	}
	return strings.ToLower(name), arg, true
}

// cutWord is the first word of a text, and the rest.
func cutWord(text string) (word, rest string) {
	i := strings.IndexFunc(text, unicode.IsSpace)
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

// isName says whether a word can be the name of a command.
func isName(word string) bool {
	if word == "" || len(word) > maxName || word[0] >= '0' && word[0] <= '9' {
		return false
	}
	return strings.IndexFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) < 0
}

// Find is the command of a name.
func Find(name string) (Command, bool) {
	all := List()
	if i := slices.IndexFunc(all, func(c Command) bool { return c.Name == name }); i >= 0 {
		return all[i], true
	}
	return Command{}, false
}

// Is says whether a text is a command, of those that there are or not.
func Is(text string) bool {
	_, _, ok := Read(text)
	return ok
}

// Name is the name of the command that a text is, "" for any other text.
func Name(text string) string {
	name, _ := Split(text)
	return name
}

// Split is the name of the command that a text is, and the words behind it; both are "" for one
// that there is not.
func Split(text string) (name, arg string) {
	name, arg, ok := Read(text)
	if !ok {
		return "", ""
	}
	if _, known := Find(name); !known && name != startCommand {
		return "", ""
	}
	return name, arg
}

// Typed is the command that people type as words behind the one command of their platform, as in
// "/parley new"; "" for words that are a message. A word that is almost a command is one that
// there is not.
func Typed(words string) string {
	words = strings.TrimSpace(words)
	first, rest := cutWord(words)
	name := strings.ToLower(first)
	if words == "" {
		return "/help"
	}
	c, known := Find(name)
	switch {
	case known && (rest == "" || len(c.Args) > 0):
		return "/" + name + strings.TrimPrefix(words, first)
	case !known && rest == "" && isName(name) && slices.ContainsFunc(List(), func(c Command) bool { return distance(name, c.Name) == 1 }):
		return "/" + name
	default:
		return ""
	}
}

// maxNear is how many commands stand near a word.
const maxNear = 3

// Near are the commands that a person may have meant with a name that there is not, the nearest
// first.
func Near(name string) []string {
	type near struct {
		name string
		far  int
	}
	var all []near
	for _, c := range List() {
		if far := c.distance(name); far >= 0 {
			all = append(all, near{c.Name, far})
		}
	}
	slices.SortStableFunc(all, func(x, y near) int { return cmp.Compare(x.far, y.far) })
	var names []string
	for _, n := range all[:min(len(all), maxNear)] {
		names = append(names, n.name)
	}
	return names
}

// distance is how far a name is from the command, or -1 for one that is far.
func (c *Command) distance(name string) int {
	const short, fewLetters = 4, 2
	if slices.Contains(c.like, name) {
		return 0
	}
	if len(name) >= fewLetters && strings.HasPrefix(c.Name, name) {
		return 1
	}
	far, most := distance(name, c.Name), 2
	if len(name) <= short {
		most = 1
	}
	if far > most {
		return -1
	}
	return far
}

// distance is how many letters are to be put in, left out, replaced or swapped with their
// neighbour to make one word of the other. Both have a byte for each letter.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range b {
		rows[0][j+1] = j + 1
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
