package table

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"parley/pkg/channels"
)

// EncodeOutbox encodes messages outside of the committer.
func EncodeOutbox(msgs []channels.Outbound) ([][]byte, error) {
	out := make([][]byte, len(msgs))
	for i := range msgs {
		if err := Storable(msgs[i].ID, msgs[i].Address); err != nil {
			return nil, fmt.Errorf("outgoing message: %w", err)
		}
		var err error
		if out[i], err = Encode(&msgs[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// OutPayload is an OutRecord around an encoded message.
func OutPayload(outbound []byte, mark uint64) []byte {
	var b bytes.Buffer
	b.WriteString(`{"outbound":`)
	b.Write(outbound)
	if mark != 0 {
		fmt.Fprintf(&b, `,"mark":%d`, mark)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// Storable refuses an id or address that would not be found again under the same name.
func Storable(id string, a channels.Address) error {
	if id == "" {
		return errors.New("an id is empty")
	}
	for _, s := range []string{id, a.Channel, a.Account, a.Chat, a.Thread} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%q is not valid UTF-8", s)
		}
	}
	return nil
}
