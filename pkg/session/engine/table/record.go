package table

import (
	"encoding"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// schema is the version of this build. A store with a higher one is refused.
const schema = 1

// recordVersion is the first byte of every record.
const recordVersion = 1

// recordHead is the version byte and the checksum.
const recordHead = 5

// Seal turns a payload into a record. The checksum covers bucket and key too:
// a record at the wrong place is as bad as a wrong record.
func Seal(b Bucket, key, payload []byte) []byte {
	rec := make([]byte, recordHead, recordHead+len(payload))
	rec[0] = recordVersion
	binary.BigEndian.PutUint32(rec[1:], sum(b, key, payload))
	return append(rec, payload...)
}

// Unseal is the payload of a record, or an error that is [session.ErrCorrupt].
func Unseal(b Bucket, key, rec []byte) ([]byte, error) {
	if len(rec) < recordHead || rec[0] != recordVersion {
		return nil, &RecordError{Bucket: b, Key: key, Why: "unknown form"}
	}
	if binary.BigEndian.Uint32(rec[1:]) != sum(b, key, rec[recordHead:]) {
		return nil, &RecordError{Bucket: b, Key: key, Why: "wrong checksum"}
	}
	return rec[recordHead:], nil
}

func sum(b Bucket, key, payload []byte) uint32 {
	t := crc32.MakeTable(crc32.Castagnoli)
	c := ^uint32(0)
	for i := range len(b) { // as crc32.Update, which would need a copy of the name
		c = t[(c^uint32(b[i]))&0xff] ^ c>>8
	}
	c = crc32.Update(^c, t, key)
	return crc32.Update(c, t, payload)
}

// RecordError names a damaged record; it is a [session.ErrCorrupt].
type RecordError struct {
	Bucket Bucket
	Key    []byte
	Why    string
}

// Error names the record.
func (e *RecordError) Error() string {
	return fmt.Sprintf("%v: %s/%x: %s", session.ErrCorrupt, e.Bucket, e.Key, e.Why)
}

// Unwrap makes it a [session.ErrCorrupt].
func (*RecordError) Unwrap() error { return session.ErrCorrupt }

// MetaRecord is the state of the store as a whole.
type MetaRecord struct {
	Schema  int       `json:"schema"`
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	// Clean says that the last process ended in order; Epoch numbers the
	// processes that wrote.
	Clean bool   `json:"clean"`
	Epoch uint64 `json:"epoch"`
	Held  string `json:"held,omitempty"`
	// Cured is the digest of the note of damage that this store is the answer to.
	Cured string `json:"cured,omitempty"`

	Ambiguous   uint64 `json:"ambiguous,omitempty"`
	Unsettled   uint64 `json:"unsettled,omitempty"`
	Refused     uint64 `json:"refused,omitempty"`
	Quarantined uint64 `json:"quarantined,omitempty"`
	Corrupt     uint64 `json:"corrupt,omitempty"`

	// Hand is where the pruning goes on.
	Hand string `json:"hand,omitempty"`

	// Looked is when the store was last looked after, Leaps the time that the clock
	// passed over, see leap.go; in JSON.
	Looked time.Time `json:"looked,omitzero"`
	Leaps  string    `json:"leaps,omitempty"`
}

// ChatRecord is a chat with its present session. It is stored as fields in this
// order, with the number of aliases before them and the failed items as JSON.
type ChatRecord struct {
	Address                       channels.Address
	Aliases                       []channels.Address
	Session, Entries, CompactedTo uint64
	Created, Active               time.Time
	Failed                        []session.FailedItem
}

// MarshalBinary is the stored form.
func (c *ChatRecord) MarshalBinary() ([]byte, error) {
	failed, err := encodeSome(len(c.Failed), c.Failed)
	if err != nil {
		return nil, err
	}
	b := appendAddress(nil, &c.Address)
	b = appendNumbers(b, uint64(len(c.Aliases)))
	for i := range c.Aliases {
		b = appendAddress(b, &c.Aliases[i])
	}
	b = appendNumbers(b, c.Session, c.Entries, c.CompactedTo)
	b = appendTimes(b, c.Created, c.Active)
	return appendTexts(b, failed), nil
}

// UnmarshalBinary reads the stored form.
func (c *ChatRecord) UnmarshalBinary(payload []byte) error {
	r := readFields(payload)
	c.readHead(&r)
	c.Failed = decodeSome[[]session.FailedItem](&r)
	return r.end()
}

// readHead reads all but the failures, which may be long.
func (c *ChatRecord) readHead(r *fields) {
	c.Address = r.address()
	for i := r.number(); i > 0 && !r.bad; i-- {
		c.Aliases = append(c.Aliases, r.address())
	}
	c.Session, c.Entries, c.CompactedTo = r.number(), r.number(), r.number()
	c.Created, c.Active = r.time(), r.time()
}

func appendAddress(b []byte, a *channels.Address) []byte {
	return appendTexts(b, a.Channel, a.Account, a.Chat, a.Thread)
}

func (r *fields) address() (a channels.Address) {
	r.texts(&a.Channel, &a.Account, &a.Chat, &a.Thread)
	return a
}

// SessionRecord leads from a session to its chat; Past is set once /new left it
// behind. It is stored as fields in this order, with Past as JSON.
type SessionRecord struct {
	Chat uint64
	Past *session.Info
}

// MarshalBinary is the stored form.
func (s *SessionRecord) MarshalBinary() ([]byte, error) {
	past := ""
	if s.Past != nil {
		var err error
		if past, err = encodeSome(1, s.Past); err != nil {
			return nil, err
		}
	}
	return appendTexts(appendNumbers(nil, s.Chat), past), nil
}

// ChatOfSession is the chat in the stored form of a [SessionRecord], its first field.
func ChatOfSession(payload []byte) uint64 {
	r := readFields(payload)
	return r.number()
}

// UnmarshalBinary reads the stored form.
func (s *SessionRecord) UnmarshalBinary(payload []byte) error {
	r := readFields(payload)
	s.Chat = r.number()
	s.Past = decodeSome[*session.Info](&r)
	return r.end()
}

// SeenRecord says where an accepted item was put. It is stored as fields in this order.
type SeenRecord struct {
	Chat, Seq uint64
	Time      time.Time
}

// StepRecord is a step; the items of a join stay in the inbox and are named by
// Taken. The first step of a turn names in Start the items that the turn began with.
type StepRecord struct {
	Step  session.Step `json:"step"`
	Start []uint64     `json:"start,omitempty"`
	Taken []uint64     `json:"taken,omitempty"`
}

// TurnRecord keeps a committed turn's items and how it ended. It is stored as fields in
// this order, lists with their length before them.
type TurnRecord struct {
	Session uint64
	Outcome session.Outcome
	Reason  string
	Seqs    []uint64
	// Messages are the platform's ids of its messages, for edits that come later.
	Messages []string
	Time     time.Time
}

// SuspectRecord is a chat that had unfinished work when a process died. Begun is
// the epoch in which its turn was last begun.
type SuspectRecord struct {
	Head  uint64 `json:"head"`
	Lost  int    `json:"lost"`
	Begun uint64 `json:"begun,omitempty"`
}

// OutRecord is a pending delivery. Mark is the epoch in which the part
// len(Receipts) was stored as being sent, 0 when it was not.
type OutRecord struct {
	Outbound    channels.Outbound  `json:"outbound"`
	Parts       []string           `json:"parts,omitempty"`
	Receipts    []channels.Receipt `json:"receipts,omitempty"`
	Mark        uint64             `json:"mark,omitempty"`
	Unknown     bool               `json:"unknown,omitempty"`
	Ambiguities int                `json:"ambiguities,omitempty"`
}

// SentRecord remembers an outgoing message's id; State is empty while it is queued.
// It is stored as fields in this order, receipts with their number before them.
type SentRecord struct {
	Chat, Seq uint64
	State     channels.OutcomeState
	Receipts  []channels.Receipt
	Reason    string
	Time      time.Time
}

// ShownRecord is a message that was shown, and the Seq of the newest history entry before it.
type ShownRecord struct {
	ID       string           `json:"id"`
	After    uint64           `json:"after"`
	Text     string           `json:"text"`
	File     string           `json:"file,omitempty"`
	Finishes string           `json:"finishes,omitempty"`
	Unasked  channels.Unasked `json:"unasked,omitempty"`
	Time     time.Time        `json:"time"`
}

// Forgotten is the state of a message of a session that was deleted before it left.
const Forgotten channels.OutcomeState = "forgotten"

// Encode is a payload: fields where the record has them, else JSON.
func Encode(v any) ([]byte, error) {
	if m, ok := v.(encoding.BinaryMarshaler); ok {
		return m.MarshalBinary()
	}
	payload, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return payload, nil
}

// MetaKey is the key of the state record in [Meta].
func MetaKey() []byte { return []byte("state") }

// maxFailed is how many failed items a chat lists.
const maxFailed = 20

// AddFailed lists an item that ended otherwise than answered.
func (c *ChatRecord) AddFailed(f session.FailedItem) {
	c.Failed = append(c.Failed, f)
	if over := len(c.Failed) - maxFailed; over > 0 {
		c.Failed = append([]session.FailedItem(nil), c.Failed[over:]...)
	}
}
