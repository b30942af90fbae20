package toolmode

import (
	"strconv"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// grammarOfJSON are the rules of llama.cpp's grammars that every answer shares.
const grammarOfJSON = `object ::= "{" ws (member (ws "," ws member)*)? ws "}"
member ::= string ws ":" ws value
array ::= "[" ws (value (ws "," ws value)*)? ws "]"
value ::= object | array | string | number | "true" | "false" | "null"
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
ws ::= "\n"? " "? " "? " "? " "?
`

const (
	grammarOfAnswer = `answer ::= "{" ws "\"answer\"" ws ":" ws string ws "}"` + "\n"
	grammarOfCalls  = `calls ::= "{" ws "\"calls\"" ws ":" ws "[" ws call (ws "," ws call)* ws "]" ws "}"` + "\n" +
		`call ::= "{" ws "\"tool\"" ws ":" ws tool ws "," ws "\"arguments\"" ws ":" ws object ws "}"` + "\n"
)

// replyGrammar is the grammar of an answer for a server that reads no such schema: a text, or
// calls of the tools, as the choice allows. It leaves the arguments of a call open.
func replyGrammar(tools []providers.ToolDefinition, c exchange.Choice) string {
	if c.Word == exchange.ChoiceNone {
		return "root ::= answer\n" + grammarOfAnswer + grammarOfJSON
	}
	var names []string
	for i := range tools {
		if name := tools[i].Function.Name; c.Name == "" || c.Name == name {
			names = append(names, strconv.Quote(strconv.Quote(name)))
		}
	}
	root, answer := "root ::= answer | calls\n", grammarOfAnswer
	if required(c) {
		root, answer = "root ::= calls\n", ""
	}
	return root + answer + grammarOfCalls + "tool ::= " + strings.Join(names, " | ") + "\n" + grammarOfJSON
}
