package table

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/kv"
)

// Bucket is the name of a bucket.
type Bucket = kv.Bucket

// The buckets. A finished item is deleted, so that a scan of inbox, outbox or steps
// costs only as much as the waiting ones.
const (
	Meta      Bucket = "meta"      // "state" -> MetaRecord
	Addr      Bucket = "addr"      // address -> chat number
	Chats     Bucket = "chats"     // chat -> ChatRecord
	Sessions  Bucket = "sessions"  // session id -> SessionRecord
	History   Bucket = "history"   // session, seq -> session.Entry, see encodeEntry
	Marks     Bucket = "marks"     // session, seq -> marks of the entry, see PutMarks; most have none
	Undone    Bucket = "undone"    // session, seq -> seq of the last entry that was undone with it
	Originals Bucket = "originals" // session, seq -> providers.Original of the entry; most have none
	Shown     Bucket = "shown"     // session, seq of the outbox -> ShownRecord
	Inbox     Bucket = "inbox"     // chat, seq -> session.Item
	Seen      Bucket = "seen"      // item id -> SeenRecord
	Steps     Bucket = "steps"     // chat, head seq, n -> StepRecord
	Turns     Bucket = "turns"     // chat, head seq -> TurnRecord
	Suspects  Bucket = "suspects"  // chat -> SuspectRecord
	Outbox    Bucket = "outbox"    // chat, seq -> OutRecord
	Sent      Bucket = "sent"      // outbound id -> SentRecord
	Suspended Bucket = "suspended" // chat -> empty
	Tasks     Bucket = "tasks"     // task id -> session.Task
	Open      Bucket = "open"      // start time, task id -> empty
	Jobs      Bucket = "jobs"      // job id -> session.Job
	Due       Bucket = "due"       // due time, job id -> empty; not those that wait for their chat
	Leases    Bucket = "leases"    // empty: an earlier build opens no store without it
	Cursors   Bucket = "cursors"   // name -> position
	Asks      Bucket = "asks"      // pairing code -> AskRecord
	Pairs     Bucket = "pairs"     // person -> PairRecord
	Moves     Bucket = "moves"     // address of a chat that moved -> MoveRecord
	Approvals Bucket = "approvals" // approval id -> session.Approval
	Grants    Bucket = "grants"    // grant id -> session.Grant
	Zones     Bucket = "zones"     // chat -> name of its time zone
	Models    Bucket = "models"    // chat -> name of the model that it has chosen
	Reads     Bucket = "reads"     // chat -> seq of the outbox: its person has seen the messages up to it
	Spent     Bucket = "spent"     // chat, day -> SpentRecord
	Shares    Bucket = "shares"    // chat, day, person -> ShareRecord
	Uses      Bucket = "uses"      // chat, head seq -> UseRecord of the turn, where it asked a model
	Sums      Bucket = "sums"      // item id -> sum of the item's wish, where it has one
	Programs  Bucket = "programs"  // chat, head seq -> session.Program of the turn, where one asked
	TasksOf   Bucket = "tasks_of"  // chat, task id -> empty
	JobsOf    Bucket = "jobs_of"   // chat, job id -> empty
	Tokens    Bucket = "tokens"    // hash of a secret -> session.Token
	Links     Bucket = "links"     // address -> session.Link
	Facts     Bucket = "facts"     // chat, number -> session.Fact
	FactsOf   Bucket = "facts_of"  // hash of the person, chat, number -> empty
	Gone      Bucket = "gone"      // session or chat -> empty: it is forgotten, and a part of it is left
	Bad       Bucket = "bad"       // bucket, key -> the bytes of a damaged record
)

// Buckets are all buckets of a store.
func Buckets() []Bucket {
	return []Bucket{
		Meta, Addr, Chats, Sessions, History, Inbox, Seen, Steps, Turns, Suspects,
		Outbox, Sent, Suspended, Tasks, Open, Jobs, Due, Leases, Cursors,
		Asks, Pairs, Moves, Approvals, Grants, Zones, Models, Spent, TasksOf, JobsOf, Gone, Tokens, Marks,
		Shares, Uses, Sums, Shown, Programs, Originals, Reads, Links, Undone, Facts, FactsOf, Bad,
	}
}

// LaterBuckets are those that a store of an earlier build lacks: it gets them when
// it is opened, and until then it is read as if they were empty.
func LaterBuckets() []Bucket {
	return []Bucket{
		Asks, Pairs, Moves, Approvals, Grants, Zones, Models, Spent, TasksOf, JobsOf, Gone, Tokens, Marks,
		Shares, Uses, Sums, Shown, Programs, Originals, Reads, Links, Undone, Facts, FactsOf,
	}
}

// isIndex says that a bucket's values are empty by design.
func isIndex(b Bucket) bool {
	return slices.Contains([]Bucket{Open, Due, Suspended, TasksOf, JobsOf, FactsOf, Gone}, b)
}

// Index is a bucket with keys that end with those of the records that they lead to,
// after a head of fixed length.
type Index struct {
	Bucket, Records Bucket
	Head            int
}

// OpenIndex lists the running tasks by the time of their start.
func OpenIndex() Index { return Index{Open, Tasks, timeKeyLen} }

// DueIndex lists the jobs that may fire, by their due time.
func DueIndex() Index { return Index{Due, Jobs, timeKeyLen} }

// TasksOfIndex lists the tasks by their chat.
func TasksOfIndex() Index { return Index{TasksOf, Tasks, ChatKeyLen} }

// JobsOfIndex lists the jobs by their chat.
func JobsOfIndex() Index { return Index{JobsOf, Jobs, ChatKeyLen} }

// FactsOfIndex lists the facts of people by their person.
func FactsOfIndex() Index { return Index{FactsOf, Facts, sha256.Size} }

// Indexes are all of them.
func Indexes() []Index {
	return []Index{OpenIndex(), DueIndex(), TasksOfIndex(), JobsOfIndex(), FactsOfIndex()}
}

// NumKey is the big-endian form of numbers, so that keys sort as they count.
func NumKey(ns ...uint64) []byte {
	k := make([]byte, 0, 8*len(ns))
	for _, n := range ns {
		k = binary.BigEndian.AppendUint64(k, n)
	}
	return k
}

// Num reads the i-th number of a key; 0 when the key is too short.
func Num(key []byte, i int) uint64 {
	if len(key) < 8*(i+1) {
		return 0
	}
	return binary.BigEndian.Uint64(key[8*i:])
}

// maxRawKey is the longest id that is its own key.
const maxRawKey = 200

// IDKey is the key of an id of any length and content.
func IDKey(id string) []byte {
	if len(id) <= maxRawKey {
		return append([]byte{'r'}, id...)
	}
	sum := sha256.Sum256([]byte(id))
	return append(hashed(), sum[:]...)
}

// hashed begins the keys of ids that are too long to be keys.
func hashed() []byte { return []byte{'h'} }

// AddrKey tells addresses apart whatever bytes their parts hold.
func AddrKey(a channels.Address) []byte {
	var s []byte
	for _, part := range []string{a.Channel, a.Account, a.Chat, a.Thread} {
		s = binary.AppendUvarint(s, uint64(len(part)))
		s = append(s, part...)
	}
	return IDKey(string(s))
}

// TimeKey sorts as time does, for every year that JSON can hold.
func TimeKey(t time.Time) []byte {
	//nolint:gosec // the sign bit is flipped on purpose: negative seconds sort first
	k := binary.BigEndian.AppendUint64(nil, uint64(t.Unix())^(1<<63))
	return binary.BigEndian.AppendUint32(k, uint32(t.Nanosecond())) //nolint:gosec // below 1e9
}

// How long the heads of the keys in the indexes are.
const (
	timeKeyLen = 12
	ChatKeyLen = 8
)

// DueKey is the key in an index by time.
func DueKey(t time.Time, id string) []byte { return append(TimeKey(t), IDKey(id)...) }

// OfKey is the key in an index by chat; a record without a chat is listed under 0.
func OfKey(chat, id string) []byte {
	n, err := ParseID("c", chat)
	if err != nil {
		n = 0
	}
	return append(NumKey(n), IDKey(id)...)
}

// KeyTime is the time at the head of an index key.
func KeyTime(key []byte) (time.Time, bool) {
	if len(key) < timeKeyLen {
		return time.Time{}, false
	}
	secs := int64(binary.BigEndian.Uint64(key) ^ (1 << 63)) //nolint:gosec // the reverse of timeKey
	return time.Unix(secs, int64(binary.BigEndian.Uint32(key[8:]))), true
}

// ChatID is the id of a chat, by its number.
func ChatID(n uint64) string { return "c" + strconv.FormatUint(n, 36) }

// SessionID is the id of a session, by its number.
func SessionID(n uint64) string { return "s" + strconv.FormatUint(n, 36) }

// TurnID is the id of the turn that begins with an item.
func TurnID(chat, head uint64) string { return ChatID(chat) + "-" + strconv.FormatUint(head, 36) }

// TurnKey is the key of the record of a chat's turn, by its id; false for another one's id.
func TurnKey(chat uint64, id string) ([]byte, bool) {
	head, err := ParseID(ChatID(chat)+"-", id)
	return NumKey(chat, head), err == nil
}

// ParseID is the number in an id with a prefix; [session.ErrNotFound] where it is no such id.
func ParseID(prefix, id string) (uint64, error) {
	rest, ok := strings.CutPrefix(id, prefix)
	if !ok || rest == "" {
		return 0, fmt.Errorf("%q: %w", id, session.ErrNotFound)
	}
	n, err := strconv.ParseUint(rest, 36, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", id, session.ErrNotFound)
	}
	return n, nil
}

// TakenBackKey is the key under which it is remembered that an item was taken back. It
// differs from all ids of items, which hold no NUL.
func TakenBackKey(id string) []byte { return IDKey("taken back\x00" + id) }

// EndedKey is where it is remembered, as long as ids of items are, that a job has
// fired for the last time.
func EndedKey(id string) []byte { return IDKey("job/" + id) }
