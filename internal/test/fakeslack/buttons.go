package fakeslack

import "encoding/json"

// buttons are those of a message.
func (e *entry) buttons() []Button {
	var all []Button
	for _, raw := range e.blocks {
		var b blockView
		if json.Unmarshal(raw, &b) != nil || b.Type != "actions" && b.Type != "section" {
			continue
		}
		elements := b.Elements
		if b.Accessory != nil {
			elements = append(elements, b.Accessory)
		}
		for _, raw := range elements {
			var button struct {
				Type     string   `json:"type"`
				Text     textView `json:"text"`
				ActionID string   `json:"action_id"`
				Value    string   `json:"value"`
				URL      string   `json:"url"`
				Style    string   `json:"style"`
			}
			if json.Unmarshal(raw, &button) == nil && button.Type == "button" {
				all = append(all, Button{
					Text: button.Text.Text, ActionID: button.ActionID, BlockID: b.BlockID,
					Value: button.Value, URL: button.URL, Style: button.Style,
				})
			}
		}
	}
	return all
}
