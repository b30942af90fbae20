package offline

import (
	"fmt"
	"regexp"
)

// courtesyRules understand greetings and questions about the model itself.
func courtesyRules(a about) []rule {
	constant := func(pattern string, p piece) rule {
		return rule{regexp.MustCompile(`(?is)^(?:` + pattern + `)$`), func([]string) []piece { return []piece{p} }}
	}
	return []rule{
		constant(`(?:(?:hi|hello|hey|hiya|howdy|greetings|yo|good (?:morning|afternoon|evening|day))(?:[ ,]+(?:there|parley|bot|all|again))?|/start)`,
			piece{text: fmt.Sprintf(textHello, a.introduction()), introduces: true}),
		constant(`(?:many )?(?:thanks|thank you|thx|cheers)(?: (?:a lot|so much|very much|you|again|parley))*|great|perfect|nice|cool|well done`,
			piece{text: textWelcome}),
		constant(`(?:bye|goodbye|good ?bye|good night|see you(?: later| soon)?|exit|quit)`, piece{text: textGoodbye}),
		constant(`how are you(?: doing)?(?: today)?`, piece{text: textFine}),
		constant(`/?help(?: me)?(?: please)?|\?|commands?|`+
			`(?:so |ok |please )*(?:what (?:can|do|could) (?:you|i) (?:do|ask|say|understand|know)|what are (?:you|your (?:abilities|capabilities|commands|tools|skills))|who are you|what is this|`+
			`what(?:'s| is) your name|what (?:kind|sort) of (?:bot|model|program) are you|which model (?:are you|is this|do you use)|what model (?:are you|is this|do you use)|`+
			`are you (?:a |an )?(?:real |offline )?(?:human|person|bot|robot|ai|model|llm|gpt|chatgpt)|how do you work|tell me about yourself|introduce yourself|`+
			`what tools (?:do you have|can you (?:use|call)|are there)|how (?:can|do|should) i use (?:you|this)|what can i (?:do|ask)(?: you)?(?: here)?)(?: (?:here|for me|exactly))?`,
			piece{text: a.help(), introduces: true}),
		constant(`(?:how|where) (?:can|do|should|could|must) (?:i|we|you) (?:connect|set|use|configure|add|get|enter|switch to|change)\b.*\b(?:model|key|openai|llm|gpt|api key)s?\b.*`,
			piece{
				text:       textConnectHow + a.introduction(),
				introduces: true,
			}),
	}
}
