package openai

import (
	"encoding/json"
	"strings"
)

// details are OpenRouter's reasoning blocks, which it wants back whole: if there are too
// many, all are left out.
type details struct {
	blocks []*block
	fields int // how many all blocks have; each block counts as one more
}

// mostFields bounds the fields of all details, which take many times the memory of their text.
const mostFields = 10_000

// block is one of them. The texts that come in pieces grow aside, so that a long
// one costs no more than its length.
type block struct {
	fields map[string]json.RawMessage
	grown  map[string]*strings.Builder
}

// add takes the blocks of one frame; a piece of the block before it is joined to it.
func (d *details) add(pieces []json.RawMessage) {
	for _, raw := range pieces {
		if d.fields > mostFields {
			d.blocks = nil
			return
		}
		var piece map[string]json.RawMessage
		if json.Unmarshal(raw, &piece) != nil {
			continue
		}
		if n := len(d.blocks); n > 0 && d.blocks[n-1].goesOn(piece) {
			d.fields += d.blocks[n-1].join(piece)
			continue
		}
		d.fields += 1 + len(piece)
		d.blocks = append(d.blocks, &block{fields: piece, grown: map[string]*strings.Builder{}})
	}
}

func (d *details) whole() json.RawMessage {
	if len(d.blocks) == 0 {
		return nil
	}
	blocks := make([]map[string]json.RawMessage, len(d.blocks))
	for i, b := range d.blocks {
		for k, text := range b.grown {
			joined, err := json.Marshal(text.String())
			if err != nil {
				return nil
			}
			b.fields[k] = joined
		}
		blocks[i] = b.fields
	}
	out, err := json.Marshal(blocks)
	if err != nil {
		return nil
	}
	return out
}

// goesOn says whether piece belongs to b.
func (b *block) goesOn(piece map[string]json.RawMessage) bool {
	return string(b.fields["type"]) == string(piece["type"]) &&
		len(piece["index"]) > 0 && string(b.fields["index"]) == string(piece["index"])
}

// join adds a piece, and says how many fields of it are new.
func (b *block) join(piece map[string]json.RawMessage) int {
	before := len(b.fields)
	for k, v := range piece {
		var add string
		isText := k == "text" || k == "summary" || k == "data"
		if isText && json.Unmarshal(v, &add) == nil {
			if text := b.growing(k); text != nil {
				text.WriteString(add)
				continue
			}
		}
		if string(v) != "null" {
			b.fields[k] = v
			delete(b.grown, k)
		}
	}
	return len(b.fields) - before
}

// growing is a field's text so far, to be appended to; nil where it is no text.
func (b *block) growing(k string) *strings.Builder {
	text := b.grown[k]
	if text != nil {
		return text
	}
	var old string
	if json.Unmarshal(b.fields[k], &old) != nil {
		return nil
	}
	text = &strings.Builder{}
	text.WriteString(old)
	b.grown[k] = text
	return text
}
