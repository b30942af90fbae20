package fakeslack

import "regexp"

// mention finds what notifies somebody.
var mention = regexp.MustCompile(`<(?:@([UW][A-Z0-9]+)|(!channel|!here|!everyone)|!subteam\^([A-Z0-9]+))(?:\|[^<>]*)?>`)

// notifies is whom a message would notify.
func (e *entry) notifies() []string {
	var all []string
	text := e.text
	for _, raw := range e.blocks {
		text += "\n" + string(raw)
	}
	for _, m := range mention.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1]+m[2]+m[3])
	}
	return all
}

// unfurl notes a violation where a message with a link would show its preview.
func (c *call) unfurl(e *entry) {}
