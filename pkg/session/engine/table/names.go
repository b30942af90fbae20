package table

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"parley/pkg/channels"
)

// Named is a chat that was found by its name.
type Named struct {
	Chat   uint64
	Name   string
	Active time.Time
}

// EachNamed tells of the chats of an account, without a thread, whose present names begin with a
// prefix. It reads those alone: the keys of addresses have the length of a name before it, so that
// each length takes one step. A damaged chat is left out.
func EachNamed(t *Tx, channel, account, prefix string, tell func(Named)) {
	head := slices.Concat(IDKey(""), part(channel), part(account))
	at := channels.Address{Channel: channel, Account: account}
	c := t.Cursor(Addr)
	for length := uint64(len(prefix)); ; {
		from := append(binary.AppendUvarint(slices.Clone(head), length), prefix...)
		k, v := c.Seek(from)
		for ; bytes.HasPrefix(k, from); k, v = c.Next() {
			payload, err := Unseal(Addr, k, v)
			if at.Chat = string(k[len(from)-len(prefix) : len(k)-1]); err == nil && uint64(len(at.Chat)) == length {
				present(t, at, Num(payload, 0), tell)
			}
		}
		next, size := binary.Uvarint(bytes.TrimPrefix(k, head))
		if !bytes.HasPrefix(k, head) || size <= 0 {
			break
		}
		length = max(length+1, next)
	}
	if len(head)+len(prefix) > maxRawKey/2 {
		eachHashed(t, at, prefix, tell)
	}
}

// part is one of the parts of [AddrKey].
func part(s string) []byte { return append(binary.AppendUvarint(nil, uint64(len(s))), s...) }

// eachHashed tells of the chats whose addresses are too long to be keys themselves.
func eachHashed(t *Tx, of channels.Address, prefix string, tell func(Named)) {
	t.Each(Addr, hashed(), func(k, v []byte) bool {
		payload, err := Unseal(Addr, k, v)
		if err != nil {
			return true
		}
		a, err := AddressOf(t, Num(payload, 0))
		if err == nil && a.Channel == of.Channel && a.Account == of.Account && a.Thread == "" && strings.HasPrefix(a.Chat, prefix) {
			present(t, a, Num(payload, 0), tell)
		}
		return true
	})
}

// present tells of a chat that is still at the address under which it was found.
func present(t *Tx, at channels.Address, chat uint64, tell func(Named)) {
	payload, err := t.Raw(Chats, NumKey(chat))
	if err != nil {
		return
	}
	var c ChatRecord
	r := readFields(payload)
	c.readHead(&r)
	if !r.bad && c.Address == at {
		tell(Named{chat, at.Chat, c.Active})
	}
}
