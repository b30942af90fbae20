package slack

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// head is what is told of an envelope of which nothing else can be read.
type head struct {
	ID   string `json:"envelope_id,omitempty"`
	Type string `json:"type,omitempty"`
	// Size is how many bytes it has.
	Size int64 `json:"size"`
}

// maxHeadValue is the longest id or type that is believed.
const maxHeadValue = 200

// readHead looks for the id and the type of an envelope in a frame, which may be of
// any size and spoiled anywhere behind them. It reads all of r, in one pass and in
// little memory.
func readHead(r io.Reader) (head, error) {
	s := headScanner{in: bufio.NewReaderSize(r, 64<<10)}
	for {
		c, err := s.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return s.found, nil
		}
		if err != nil {
			return s.found, err
		}
		s.found.Size++
		s.step(c)
	}
}

// headScanner goes through JSON byte by byte. It looks at the strings of the
// outermost object alone.
type headScanner struct {
	in    *bufio.Reader
	found head
	depth int
	// inside and escaped say where in a string it is.
	inside, escaped bool
	// text is the string under way, with its quotes; key the one before a colon.
	text []byte
	key  string
	// value says that a colon came: the next string is a value.
	value bool
}

func (s *headScanner) step(c byte) {
	if s.inside {
		s.within(c)
		return
	}
	switch c {
	case '"':
		s.inside, s.text = true, append(s.text[:0], c)
	case '{', '[':
		s.depth++
	case '}', ']':
		s.depth--
	case ':':
		s.value = s.depth == 1
	case ',':
		s.value = false
	}
}

// within takes a byte of a string.
func (s *headScanner) within(c byte) {
	if s.depth == 1 && len(s.text) <= maxHeadValue {
		s.text = append(s.text, c)
	}
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.inside = false
		s.ended()
	}
}

// ended takes a whole string.
func (s *headScanner) ended() {
	var text string
	if s.depth != 1 || json.Unmarshal(s.text, &text) != nil {
		return
	}
	if !s.value {
		s.key = text
		return
	}
	switch s.key {
	case "envelope_id":
		s.found.ID = text
	case "type":
		s.found.Type = text
	}
	s.value = false
}
