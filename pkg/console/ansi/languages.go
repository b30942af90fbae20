package ansi

import (
	"slices"
	"strings"
)

// syntax is as much of a language as colours need.
type syntax struct {
	line          []string // what begins a comment to the end of the line
	open, closing string   // a comment over lines
	quotes        string
	words         map[string]bool
	diff          bool
}

// languageDiff is the language of changes.
const languageDiff = "diff"

// language is a row of the table.
type language struct {
	names, line   string
	open, closing string
	quotes, words string
}

func languages() []language {
	return []language{
		{"go golang", "//", "/*", "*/", "\"'`", "break case chan const continue default defer else fallthrough for func go goto if import " +
			"interface map package range return select struct switch type var nil true false"},
		{"c h cpp c++ cc hpp java cs csharp kotlin kt swift dart scala", "//", "/*", "*/", "\"'", "abstract as auto bool boolean break byte " +
			"case catch char class const continue default delete do double else enum extends extern false final finally float for fun func " +
			"if implements import in include int interface let long namespace new null nullptr override package private protected public " +
			"return short signed sizeof static string struct super switch template this throw true try typedef unsigned using val var " +
			"virtual void volatile while"},
		{"js javascript jsx ts typescript tsx", "//", "/*", "*/", "\"'`", "as async await break case catch class const continue default " +
			"delete do else enum export extends false finally for from function if implements import in instanceof interface let new null " +
			"of return static super switch this throw true try type typeof undefined var void while yield"},
		{"py python", "#", "", "", "\"'", "and as assert async await break class continue def del elif else except False finally for from " +
			"global if import in is lambda None nonlocal not or pass raise return self True try while with yield match case"},
		{"rust rs", "//", "/*", "*/", "\"", "as async await break const continue crate dyn else enum extern false fn for if impl in let " +
			"loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while"},
		{"sh bash shell zsh console", "#", "", "", "\"'", "case do done elif else esac export fi for function if in local return set " +
			"shift then trap until unset while"},
		{"sql", "--", "/*", "*/", "'\"", "select from where insert into values update set delete create table index view drop alter add " +
			"join left right inner outer on as and or not null is in like between group by order having limit offset union distinct primary " +
			"key foreign references begin commit rollback with case when then else end SELECT FROM WHERE INSERT INTO VALUES UPDATE SET " +
			"DELETE CREATE TABLE INDEX VIEW DROP ALTER ADD JOIN LEFT RIGHT INNER OUTER ON AS AND OR NOT NULL IS IN LIKE BETWEEN GROUP BY " +
			"ORDER HAVING LIMIT OFFSET UNION DISTINCT PRIMARY KEY FOREIGN REFERENCES BEGIN COMMIT ROLLBACK WITH CASE WHEN THEN ELSE END"},
		{"rb ruby", "#", "", "", "\"'", "begin break case class def do else elsif end ensure false for if in module next nil not or " +
			"redo require rescue retry return self super then true undef unless until when while yield"},
		{"php", "// #", "/*", "*/", "\"'", "array as break case catch class const continue default do echo else elseif extends false final " +
			"for foreach function if implements interface namespace new null private protected public return static switch this throw true " +
			"try use var while"},
		{"lua", "--", "", "", "\"'", "and break do else elseif end false for function if in local nil not or repeat return then true until " +
			"while"},
		{"json json5 jsonc", "//", "/*", "*/", "\"", "true false null"},
		{"yaml yml toml ini conf", "#", "", "", "\"'", "true false null yes no on off"},
		{"css scss less", "//", "/*", "*/", "\"'", "important media import from to and not"},
		{"html xml svg", "", "<!--", "-->", "\"'", ""},
		{"make makefile dockerfile docker", "#", "", "", "\"'", "FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG " +
			"ifeq ifneq ifdef endif else include define endef export"},
	}
}

// languageOf is the syntax of a language, by one of its names.
func languageOf(name string) (*syntax, bool) {
	name = strings.ToLower(name)
	if name == languageDiff || name == "patch" {
		return &syntax{diff: true}, true
	}
	for _, l := range languages() {
		if name == "" || !slices.Contains(strings.Fields(l.names), name) {
			continue
		}
		s := &syntax{line: strings.Fields(l.line), open: l.open, closing: l.closing, quotes: l.quotes, words: map[string]bool{}}
		for word := range strings.FieldsSeq(l.words) {
			s.words[word] = true
		}
		return s, true
	}
	return nil, false
}
