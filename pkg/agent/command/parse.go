package command

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"parley/pkg/text"
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
func Read(words string) (name, arg string, ok bool) {
	word, arg := cutWord(strings.TrimSpace(words))
	name, slashed := strings.CutPrefix(word, "/")
	name, _, _ = strings.Cut(name, "@")
	if !slashed || !isName(name) {
		return "", "", false
	}
	return strings.ToLower(name), arg, true
}

// cutWord is the first word of a text, and the rest.
func cutWord(words string) (word, rest string) {
	i := strings.IndexFunc(words, unicode.IsSpace)
	if i < 0 {
		return words, ""
	}
	return words[:i], strings.TrimSpace(words[i:])
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
func Is(words string) bool {
	_, _, ok := Read(words)
	return ok
}

// Name is the name of the command that a text is, "" for any other text.
func Name(words string) string {
	name, _ := Split(words)
	return name
}

// Split is the name of the command that a text is, and the words behind it; both are "" for one
// that there is not.
func Split(words string) (name, arg string) {
	name, arg, ok := Read(words)
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
	case !known && rest == "" && isName(name) && slices.ContainsFunc(List(), func(c Command) bool { return text.Distance(name, c.Name) == 1 }):
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
	far, most := text.Distance(name, c.Name), 2
	if len(name) <= short {
		most = 1
	}
	if far > most {
		return -1
	}
	return far
}
