package fakeslack

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Limits of Block Kit (docs.slack.dev/reference/block-kit), in characters where they
// are of text.
const (
	maxBlocks     = 50
	maxSection    = 3_000
	maxField      = 2_000
	maxFields     = 10
	maxHeader     = 150
	maxContext    = 10
	maxActions    = 25
	maxButton     = 75
	maxValue      = 2_000
	maxID         = 255
	maxButtonURL  = 3_000
	maxAllText    = 13_200 // measured, not documented: github.com/slackapi/bolt-js/issues/2509
	maxTableRows  = 100
	maxTableCells = 20
)

// checker holds blocks against Slack's rules.
type checker struct {
	messages []string
	ids      map[string]bool // block_id
	actions  map[string]bool // action_id, of the block that is looked at
	markdown int             // characters of all markdown blocks
	text     int             // characters of all texts
}

// object is a JSON object that is being checked, and where it is.
type object struct {
	*checker
	at     string
	fields map[string]json.RawMessage
}

// blocks are those of a request, checked.
func (c *call) blocks() ([]json.RawMessage, error) {
	raw := c.param("blocks")
	if raw == "" {
		return nil, nil
	}
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(raw), &all); err != nil {
		return nil, no("invalid_blocks_format", "")
	}
	k := &checker{ids: map[string]bool{}}
	if len(all) > maxBlocks {
		k.wrong("/blocks", "no more than %d items allowed", maxBlocks)
	}
	for i, b := range all {
		k.block(fmt.Sprintf("/blocks/%d", i), b)
	}
	if k.markdown > maxMarkdown {
		k.wrong("/blocks", "markdown blocks must be less than %d characters together", maxMarkdown+1)
	}
	if len(k.messages) > 0 {
		return nil, &refusal{name: "invalid_blocks", status: 200, messages: k.messages}
	}
	if k.text > maxAllText {
		return nil, no("msg_blocks_too_long", "")
	}
	return all, nil
}

func (k *checker) wrong(at, format string, args ...any) {
	k.messages = append(k.messages, "[ERROR] "+fmt.Sprintf(format, args...)+" [json-pointer:"+at+"]")
}

// object reads raw, and names the fields that it lacks and those that it has too much;
// type is always allowed.
func (k *checker) object(at string, raw json.RawMessage, required, allowed []string) (object, bool) {
	o := object{checker: k, at: at}
	if json.Unmarshal(raw, &o.fields) != nil || o.fields == nil {
		k.wrong(at, "must be a valid object")
		return o, false
	}
	for _, name := range required {
		if _, ok := o.fields[name]; !ok {
			k.wrong(at, "missing required field: %s", name)
		}
	}
	for name := range o.fields {
		if name != "type" && !slices.Contains(required, name) && !slices.Contains(allowed, name) {
			k.wrong(at, "invalid additional property: %s", name)
		}
	}
	return o, true
}

// str is a string field of 1 to limit characters; ok says that it is there and fits.
func (o object) str(name string, limit int) (string, bool) {
	raw, given := o.fields[name]
	if !given {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		o.wrong(o.at+"/"+name, "must be a string")
		return "", false
	}
	switch n := utf8.RuneCountInString(s); {
	case n == 0:
		o.wrong(o.at+"/"+name, "must be more than 0 characters")
	case n > limit:
		o.wrong(o.at+"/"+name, "must be less than %d characters", limit+1)
	default:
		return s, true
	}
	return s, false
}

// list is an array field of 1 to limit items.
func (o object) list(name string, limit int) []json.RawMessage {
	raw, given := o.fields[name]
	if !given {
		return nil
	}
	var items []json.RawMessage
	switch err := json.Unmarshal(raw, &items); {
	case err != nil:
		o.wrong(o.at+"/"+name, "must be an array")
	case len(items) == 0:
		o.wrong(o.at+"/"+name, "no less than 1 items allowed")
	case len(items) > limit:
		o.wrong(o.at+"/"+name, "no more than %d items allowed", limit)
	}
	return items
}

// unchecked are the blocks with an inside that is taken as it is.
func unchecked() []string {
	return []string{"image", "rich_text", "video", "context_actions", "task_card", "plan", "input", "file", "call", "card", "carousel"}
}

// block checks one block by its type.
func (k *checker) block(at string, raw json.RawMessage) {
	var head struct {
		Type *string `json:"type"`
		ID   *string `json:"block_id"`
	}
	if json.Unmarshal(raw, &head) != nil || head.Type == nil {
		k.wrong(at, "missing required field: type")
		return
	}
	if id := head.ID; id != nil && *id != "" {
		if utf8.RuneCountInString(*id) > maxID {
			k.wrong(at+"/block_id", "must be less than %d characters", maxID+1)
		}
		if k.ids[*id] {
			k.wrong(at+"/block_id", "block_id %q already exists", *id)
		}
		k.ids[*id] = true
	}
	k.actions = map[string]bool{}
	check := map[string]func(string, json.RawMessage){
		"section": k.section, "header": k.header, "context": k.context, "actions": k.actionsBlock,
		"markdown": k.markdownBlock, "divider": k.divider, "table": k.table,
	}[*head.Type]
	switch {
	case check != nil:
		check(at, raw)
	case !slices.Contains(unchecked(), *head.Type):
		k.wrong(at+"/type", "unsupported type: %s", *head.Type)
	}
}

func (k *checker) section(at string, raw json.RawMessage) {
	o, ok := k.object(at, raw, nil, []string{"block_id", "text", "fields", "accessory", "expand"})
	if !ok {
		return
	}
	_, hasText := o.fields["text"]
	_, hasFields := o.fields["fields"]
	if !hasText && !hasFields {
		k.wrong(at, "missing required field: text")
	}
	if hasText {
		k.textObject(at+"/text", o.fields["text"], maxSection, "plain_text", "mrkdwn")
	}
	for i, field := range o.list("fields", maxFields) {
		k.textObject(fmt.Sprintf("%s/fields/%d", at, i), field, maxField, "plain_text", "mrkdwn")
	}
	if accessory, ok := o.fields["accessory"]; ok {
		k.element(at+"/accessory", accessory)
	}
}

func (k *checker) header(at string, raw json.RawMessage) {
	if o, ok := k.object(at, raw, []string{"text"}, []string{"block_id"}); ok && o.fields["text"] != nil {
		k.textObject(at+"/text", o.fields["text"], maxHeader, "plain_text")
	}
}

func (k *checker) divider(at string, raw json.RawMessage) {
	k.object(at, raw, nil, []string{"block_id"})
}

func (k *checker) context(at string, raw json.RawMessage) {
	o, ok := k.object(at, raw, []string{"elements"}, []string{"block_id"})
	if !ok {
		return
	}
	for i, element := range o.list("elements", maxContext) {
		var head textView
		if json.Unmarshal(element, &head) == nil && head.Type == "image" {
			continue
		}
		k.textObject(fmt.Sprintf("%s/elements/%d", at, i), element, maxSection, "plain_text", "mrkdwn")
	}
}

func (k *checker) actionsBlock(at string, raw json.RawMessage) {
	o, ok := k.object(at, raw, []string{"elements"}, []string{"block_id"})
	if !ok {
		return
	}
	for i, element := range o.list("elements", maxActions) {
		k.element(fmt.Sprintf("%s/elements/%d", at, i), element)
	}
}

func (k *checker) markdownBlock(at string, raw json.RawMessage) {
	if o, ok := k.object(at, raw, []string{"text"}, []string{"block_id"}); ok {
		text, _ := o.str("text", maxMarkdown)
		k.markdown += utf8.RuneCountInString(text)
		k.text += utf8.RuneCountInString(text)
	}
}

func (k *checker) table(at string, raw json.RawMessage) {
	o, ok := k.object(at, raw, []string{"rows"}, []string{"block_id", "column_settings"})
	if !ok {
		return
	}
	for i, raw := range o.list("rows", maxTableRows) {
		var row []json.RawMessage
		if json.Unmarshal(raw, &row) != nil || len(row) == 0 || len(row) > maxTableCells {
			k.wrong(fmt.Sprintf("%s/rows/%d", at, i), "no more than %d items allowed", maxTableCells)
		}
	}
}

// textObject checks a composition object of text of one of kinds.
func (k *checker) textObject(at string, raw json.RawMessage, limit int, kinds ...string) {
	o, ok := k.object(at, raw, []string{"type", "text"}, []string{"emoji", "verbatim"})
	if !ok {
		return
	}
	kind, _ := o.str("type", maxID)
	if !slices.Contains(kinds, kind) {
		k.wrong(at+"/type", "unsupported type: %s", kind)
	}
	text, _ := o.str("text", limit)
	k.text += utf8.RuneCountInString(text)
}

// element checks a button; other elements are taken as they are.
func (k *checker) element(at string, raw json.RawMessage) {
	var head textView
	if json.Unmarshal(raw, &struct {
		Type *string `json:"type"`
	}{&head.Type}) != nil || head.Type == "" {
		k.wrong(at, "missing required field: type")
		return
	}
	if head.Type != "button" {
		return
	}
	o, ok := k.object(at, raw, []string{"text"}, []string{"action_id", "url", "value", "style", "confirm", "accessibility_label"})
	if !ok {
		return
	}
	if o.fields["text"] != nil {
		k.textObject(at+"/text", o.fields["text"], maxButton, "plain_text")
	}
	if id, ok := o.str("action_id", maxID); ok {
		if k.actions[id] {
			k.wrong(at+"/action_id", "action_id %q already exists", id)
		}
		k.actions[id] = true
	}
	o.str("url", maxButtonURL)
	o.str("value", maxValue)
	o.str("accessibility_label", maxButton)
	if style, given := o.str("style", maxID); given && style != "primary" && style != "danger" {
		k.wrong(at+"/style", "must be one of primary, danger")
	}
}
