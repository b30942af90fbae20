package event

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Head is the beginning of an envelope that is unreadable otherwise.
type Head struct {
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
func readHead(r io.Reader) (Head, error) {
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
	found Head
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

// maxFrame is far beyond the size of Slack's frames; of a larger one only the
// envelope's id and type are looked for.
const maxFrame = 4 << 20

// Frame is one message of a socket. One that is too large has no Data, only its
// envelope's id and type where they were found.
type Frame struct {
	Data []byte
	Huge *Head
}

// ReadFrame reads a message, however large, into bounded memory.
func ReadFrame(r io.Reader) (Frame, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFrame+1))
	if err != nil {
		return Frame{}, err
	}
	if len(data) <= maxFrame {
		return Frame{Data: data}, nil
	}
	h, err := readHead(io.MultiReader(bytes.NewReader(data), r))
	if err != nil {
		return Frame{}, errors.New("slack: a frame is too large")
	}
	return Frame{Huge: &h}, nil
}
