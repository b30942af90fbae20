package outbound

import (
	"encoding/json"
	"slices"

	"parley/pkg/channels"
)

// buttonsInARow is as many as can be read on a phone.
const buttonsInARow = 3

// keyboard is the reply_markup with buttons, or "".
func keyboard(buttons []channels.Button) string {
	type key struct {
		Text string `json:"text"`
		Data string `json:"callback_data"`
	}
	var rows [][]key
	for chunk := range slices.Chunk(buttons, buttonsInARow) {
		var row []key
		for _, b := range chunk {
			row = append(row, key{Text: b.Label, Data: b.Data})
		}
		rows = append(rows, row)
	}
	if rows == nil {
		return ""
	}
	text, err := json.Marshal(struct {
		Rows [][]key `json:"inline_keyboard"`
	}{rows})
	if err != nil {
		return ""
	}
	return string(text)
}
