package parley_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// catalogue is the file in which a room keeps the texts that people and models read.
const catalogue = "texts.go"

// sentence fits a text of two words, or one word that ends like a sentence.
var sentence = regexp.MustCompile(`\pL\S* +\S*\pL|^\p{Lu}.*\pL[.!?]$`)

// readers are the functions and rooms that may read sentences, with the reason.
func readers() map[string]string {
	return map[string]string{
		"pkg/providers/internal/exchange.kindOf":        "servers tell their errors apart in prose alone",
		"pkg/providers/internal/exchange.refusesOption": "two servers tell with a wrong status, and in prose alone, that they refuse an option",
		"pkg/providers/offline":                         "a model: it reads its prompt and the person's words, as a model does",
		"pkg/providers/toolmode.toldOf":                 "finds a sentence that the same room wrote into an answer",
		"pkg/providers.LeftOut":                         "finds a mark that the same file wrote into a prompt and that a model repeats",
	}
}

// TestStyleSentences keeps decisions from reading texts that people and models read:
// a reworded sentence must change no behaviour.
func TestStyleSentences(t *testing.T) {
	t.Parallel()
	count, read := map[string]int{}, map[string]bool{}
	for _, use := range sentenceUses(productRooms(t)) {
		if readers()[use.function] != "" || readers()[use.room] != "" {
			read[use.function], read[use.room] = true, true
			continue
		}
		count[use.room]++
		t.Log(use)
	}
	for reader := range readers() {
		if !read[reader] {
			t.Errorf("%s reads no sentence: take it off the list", reader)
		}
	}
	var found []size
	for dir, n := range count {
		found = append(found, size{"sentences", dir, n, 0})
	}
	keepCeilings(t, sorted(found), "sentences")
}

// TestStyleSentencesFindsViolations plants violations of the rule.
func TestStyleSentencesFindsViolations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		want   int
	}{
		"a comparison":           {`func f(s string) bool { return s == "no such file" }`, 1},
		"its opposite":           {`func f(s string) bool { return "no such file" != s }`, 1},
		"a short sentence":       {`func f(s string) bool { return s == "Stopped." }`, 1},
		"a named constant":       {"const gone = \"no such file\"\nfunc f(s string) bool { return s == gone }", 1},
		"a sum of constants":     {"const no = \"no\"\nfunc f(s string) bool { return s == no + \" such file\" }", 1},
		"a switch":               {"func f(s string) { switch s {\ncase \"a\", \"no such file\", \"Stopped.\":\n} }", 2},
		"Contains":               {`func f(s string) bool { return strings.Contains(s, "such file") }`, 1},
		"HasPrefix":              {`func f(s string) bool { return strings.HasPrefix(s, "no such") }`, 1},
		"CutPrefix":              {`func f(s string) { _, _, _ = strings.Cut(s, "no such"); _, _ = strings.CutPrefix(s, "no such") }`, 2},
		"the tagless switch":     {"func f(s string) { switch {\ncase s == \"no such file\":\n} }", 1},
		"a word of a protocol":   {`func f(s string) bool { return s == "ok" || strings.HasPrefix(s, "Bearer ") }`, 0},
		"a separator":            {`func f(s string) bool { return strings.Contains(s, ", ") }`, 0},
		"a sentence shown":       {`func f(s string) string { return strings.TrimSpace(s) + "No such file." }`, 0},
		"a replaced part":        {`func f(s string) string { return strings.ReplaceAll(s, "no such", "a") }`, 0},
		"an outcome with a type": {"type o int\nconst gone o = 1\nfunc f(v o) bool { return v == gone }", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := "package p\n\nimport \"strings\"\n\nvar _ = strings.TrimSpace\n\n" + c.source + "\n"
			uses := sentenceUses([]*room{plant(t, "pkg/p", map[string]string{"a.go": source})})
			if len(uses) != c.want {
				t.Errorf("found %v, want %d", uses, c.want)
			}
			for _, use := range uses {
				if diff := cmp.Diff("pkg/p.f", use.function); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			}
		})
	}
}

// TestStyleCatalogueFindsViolations plants constants of a catalogue, whatever they say.
func TestStyleCatalogueFindsViolations(t *testing.T) {
	t.Parallel()
	uses := sentenceUses([]*room{plant(t, "pkg/p", map[string]string{
		"texts.go": "package p\n\nconst yes = \"yes\"\n",
		"words.go": "package p\n\nconst no = \"no\"\n",
		"a.go":     "package p\n\nfunc f(s string) bool { return s == yes || s == no }\n",
	})})
	if len(uses) != 1 || uses[0].text != "yes" {
		t.Errorf("found %v, want the use of yes", uses)
	}
}

// sentenceUse is a place at which a decision reads a sentence.
type sentenceUse struct {
	at       token.Position
	room     string // pkg/agent
	function string // pkg/agent.limited
	text     string
}

func (u sentenceUse) String() string {
	return fmt.Sprintf("%s:%d: %s decides by %q", u.at.Filename, u.at.Line, u.function, u.text)
}

func sentenceUses(rooms []*room) []sentenceUse {
	var found []sentenceUse
	for _, r := range rooms {
		for _, file := range r.files {
			for _, decl := range file.Decls {
				function := r.dir
				if fn, ok := decl.(*ast.FuncDecl); ok {
					function += "." + fn.Name.Name
				}
				ast.Inspect(decl, func(n ast.Node) bool {
					for _, e := range r.decisive(n) {
						if text, isSentence := r.sentence(e); isSentence {
							found = append(found, sentenceUse{r.fset.Position(e.Pos()), r.dir, function, text})
						}
					}
					return true
				})
			}
		}
	}
	return found
}

// decisive are the operands by which a node decides.
func (r *room) decisive(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.SwitchStmt:
		var all []ast.Expr
		for _, clause := range n.Body.List {
			if n.Tag != nil {
				all = append(all, clause.(*ast.CaseClause).List...)
			}
		}
		return all
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		called := r.info.Uses[sel.Sel]
		if called == nil || called.Pkg() == nil || called.Pkg().Path() != "strings" && called.Pkg().Path() != "bytes" {
			return nil
		}
		switch called.Name() {
		case "Contains", "HasPrefix", "HasSuffix", "Cut", "CutPrefix", "CutSuffix", "EqualFold", "Index", "LastIndex":
			return n.Args[1:]
		}
	}
	return nil
}

// sentence tells whether the value of an expression is a constant that is a
// sentence or stands in a catalogue.
func (r *room) sentence(e ast.Expr) (text string, is bool) {
	e = ast.Unparen(e)
	if conversion, ok := e.(*ast.CallExpr); ok && len(conversion.Args) == 1 && r.info.Types[conversion.Fun].IsType() {
		e = conversion.Args[0] // the string that becomes bytes
	}
	value := r.info.Types[e].Value
	if value == nil || value.Kind() != constant.String {
		return "", false
	}
	text = constant.StringVal(value)
	return text, sentence.MatchString(text) || r.inCatalogue(e)
}

func (r *room) inCatalogue(e ast.Expr) bool {
	var name *ast.Ident
	switch e := e.(type) {
	case *ast.Ident:
		name = e
	case *ast.SelectorExpr:
		name = e.Sel
	default:
		return false
	}
	c, ok := r.info.Uses[name].(*types.Const)
	return ok && isOurs(c) && path.Base(r.fset.Position(c.Pos()).Filename) == catalogue
}
