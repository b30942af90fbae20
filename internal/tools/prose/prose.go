package prose

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// The limits are rates in 1,000 words. A smaller room or page counts with the rest.
const (
	MaxPronouns  = 3.0
	MaxNegations = 2.5
	roomWords    = 2000
	pageWords    = 1000
)

// Count is the prose of one place, or of several.
type Count struct {
	Place                      string
	Words, Pronouns, Negations int
}

// rate is the number of hits in 1,000 words.
func (c Count) rate(hits int) float64 {
	if c.Words == 0 {
		return 0
	}
	return 1000 * float64(hits) / float64(c.Words)
}

// Over reports whether the count is above a limit.
func (c Count) Over() bool {
	return c.rate(c.Pronouns) > MaxPronouns || c.rate(c.Negations) > MaxNegations
}

func sum(a, b Count) Count {
	return Count{a.Place, a.Words + b.Words, a.Pronouns + b.Pronouns, a.Negations + b.Negations}
}

var (
	words     = regexp.MustCompile(`\pL+`)
	pronouns  = regexp.MustCompile(`(?i)^(what|who|whose|whoever)$`)
	negations = regexp.MustCompile(`(?i)^(nothing|nobody|none|never|neither)$`)
	// Quotations and code spans end before a blank line.
	quotations = regexp.MustCompile("\"(?:[^\"\n]|\n[^\"\n])*\"|“(?:[^”\n]|\n[^”\n])*”|`(?:[^`\n]|\n[^`\n])*`")
)

// Of counts the words of a text of prose.
func Of(place, text string) Count {
	c := Count{Place: place}
	for _, w := range words.FindAllString(quotations.ReplaceAllString(text, " "), -1) {
		c.Words++
		switch {
		case pronouns.MatchString(w):
			c.Pronouns++
		case negations.MatchString(w):
			c.Negations++
		}
	}
	return c
}

// Comments are the comments of a Go file without directives and indented code.
func Comments(name string, source []byte) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, group := range file.Comments {
		b.WriteString(comment(group))
		b.WriteString("\n\n")
	}
	return b.String(), nil
}

func comment(group *ast.CommentGroup) string {
	var lines []string
	for line := range strings.SplitSeq(group.Text(), "\n") { // Text leaves directives out
		if !strings.HasPrefix(line, "\t") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Page is the prose of a page in Markdown: without fenced code and without the lines
// of a block quotation.
func Page(text string) string {
	var lines []string
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		case strings.HasPrefix(trimmed, ">"):
		default:
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Tree counts the rooms and the pages of a tree, each in order of their names; the
// small ones are summed at the end.
func Tree(tree fs.FS) (rooms, pages []Count, err error) {
	byRoom := map[string]Count{}
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "testdata"}, d.Name()):
			return fs.SkipDir
		case path.Ext(name) == ".go":
			c, err := ofFile(tree, name)
			if err != nil {
				return err
			}
			byRoom[c.Place] = sum(c, byRoom[c.Place])
		case path.Ext(name) == ".md":
			text, err := fs.ReadFile(tree, name)
			if err != nil {
				return err
			}
			pages = append(pages, Of(name, Page(string(text))))
		}
		return nil
	})
	for _, c := range byRoom {
		rooms = append(rooms, c)
	}
	slices.SortFunc(rooms, func(a, b Count) int { return strings.Compare(a.Place, b.Place) })
	return withRest(rooms, roomWords), withRest(pages, pageWords), err
}

func ofFile(tree fs.FS, name string) (Count, error) {
	source, err := fs.ReadFile(tree, name)
	if err != nil {
		return Count{}, err
	}
	text, err := Comments(name, source)
	return Of(path.Dir(name), text), err
}

// withRest sums the counts of up to most words at the end.
func withRest(all []Count, most int) []Count {
	rest := Count{Place: "the rest"}
	var large []Count
	for _, c := range all {
		if c.Words > most {
			large = append(large, c)
		} else {
			rest = sum(rest, c)
		}
	}
	return append(large, rest)
}

// Print writes a table of the rates and marks those above a limit.
func Print(w io.Writer, rooms, pages []Count) error {
	over := 0
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, part := range []struct {
		name   string
		counts []Count
	}{{"comments of", rooms}, {"page", pages}} {
		fmt.Fprintf(table, "words\twho/what\tnothing\t\t  %s\n", part.name)
		for _, c := range part.counts {
			mark := ""
			if c.Over() {
				mark = "over"
				over++
			}
			fmt.Fprintf(table, "%d\t%.1f\t%.1f\t%s\t  %s\n", c.Words, c.rate(c.Pronouns), c.rate(c.Negations), mark, c.Place)
		}
		fmt.Fprintln(table, "\t\t\t\t")
	}
	fmt.Fprintf(table, "limits\t%.1f\t%.1f\t\t  in 1,000 words; %d places over\n", MaxPronouns, MaxNegations, over)
	return table.Flush()
}
