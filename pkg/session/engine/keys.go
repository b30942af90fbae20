package engine

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

// bucket is the name of a bucket.
type bucket = kv.Bucket

// The buckets. What is waiting is deleted when it is done, so that a scan of
// inbox, outbox or steps costs no more than what is waiting.
const (
	bkMeta      bucket = "meta"      // "state" -> metaRec
	bkAddr      bucket = "addr"      // address -> chat number
	bkChats     bucket = "chats"     // chat -> chatRec
	bkSessions  bucket = "sessions"  // session id -> sessionRec
	bkHistory   bucket = "history"   // session, seq -> session.Entry, see encodeEntry
	bkInbox     bucket = "inbox"     // chat, seq -> session.Item
	bkSeen      bucket = "seen"      // item id -> seenRec
	bkSteps     bucket = "steps"     // chat, head seq, n -> stepRec
	bkTurns     bucket = "turns"     // chat, head seq -> turnRec
	bkSuspects  bucket = "suspects"  // chat -> suspectRec
	bkOutbox    bucket = "outbox"    // chat, seq -> outRec
	bkSent      bucket = "sent"      // outbound id -> sentRec
	bkSuspended bucket = "suspended" // chat -> nothing
	bkTasks     bucket = "tasks"     // task id -> session.Task
	bkOpen      bucket = "open"      // start time, task id -> nothing
	bkJobs      bucket = "jobs"      // job id -> session.Job
	bkDue       bucket = "due"       // due time, job id -> nothing; not those that wait for their chat
	bkLeases    bucket = "leases"    // empty: an earlier build opens no store without it
	bkCursors   bucket = "cursors"   // name -> position
	bkAsks      bucket = "asks"      // pairing code -> askRec
	bkPairs     bucket = "pairs"     // person -> pairRec
	bkMoves     bucket = "moves"     // address of a chat that moved -> moveRec
	bkApprovals bucket = "approvals" // approval id -> session.Approval
	bkGrants    bucket = "grants"    // grant id -> session.Grant
	bkZones     bucket = "zones"     // chat -> name of its time zone
	bkSpent     bucket = "spent"     // chat, day -> spentRec
	bkTasksOf   bucket = "tasks_of"  // chat, task id -> nothing
	bkJobsOf    bucket = "jobs_of"   // chat, job id -> nothing
	bkGone      bucket = "gone"      // session or chat -> nothing: it is forgotten, and something of it is left
	bkBad       bucket = "bad"       // bucket, key -> the bytes of a damaged record
)

func buckets() []bucket {
	return []bucket{
		bkMeta, bkAddr, bkChats, bkSessions, bkHistory, bkInbox, bkSeen, bkSteps, bkTurns, bkSuspects,
		bkOutbox, bkSent, bkSuspended, bkTasks, bkOpen, bkJobs, bkDue, bkLeases, bkCursors,
		bkAsks, bkPairs, bkMoves, bkApprovals, bkGrants, bkZones, bkSpent, bkTasksOf, bkJobsOf, bkGone, bkBad,
	}
}

// laterBuckets are those that a store of an earlier build lacks: it gets them when
// it is opened, and until then it is read as if they were empty.
func laterBuckets() []bucket {
	return []bucket{bkAsks, bkPairs, bkMoves, bkApprovals, bkGrants, bkZones, bkSpent, bkTasksOf, bkJobsOf, bkGone}
}

// isIndex says that a bucket's values are empty by design.
func isIndex(b bucket) bool {
	return slices.Contains([]bucket{bkOpen, bkDue, bkSuspended, bkTasksOf, bkJobsOf, bkGone}, b)
}

// index is a bucket whose keys end with those of the records that it leads to,
// after a head of fixed length.
type index struct {
	bucket, records bucket
	head            int
}

func openIndex() index    { return index{bkOpen, bkTasks, timeKeyLen} }
func dueIndex() index     { return index{bkDue, bkJobs, timeKeyLen} }
func tasksOfIndex() index { return index{bkTasksOf, bkTasks, chatKeyLen} }
func jobsOfIndex() index  { return index{bkJobsOf, bkJobs, chatKeyLen} }

func indexes() []index { return []index{openIndex(), dueIndex(), tasksOfIndex(), jobsOfIndex()} }

// numKey is the big-endian form of numbers, so that keys sort as they count.
func numKey(ns ...uint64) []byte {
	k := make([]byte, 0, 8*len(ns))
	for _, n := range ns {
		k = binary.BigEndian.AppendUint64(k, n)
	}
	return k
}

// num reads the i-th number of a key; 0 when the key is too short.
func num(key []byte, i int) uint64 {
	if len(key) < 8*(i+1) {
		return 0
	}
	return binary.BigEndian.Uint64(key[8*i:])
}

// maxRawKey is the longest id that is its own key.
const maxRawKey = 200

// idKey is the key of an id of any length and content.
func idKey(id string) []byte {
	if len(id) <= maxRawKey {
		return append([]byte{'r'}, id...)
	}
	sum := sha256.Sum256([]byte(id))
	return append([]byte{'h'}, sum[:]...)
}

// addrKey tells addresses apart whatever bytes their parts hold.
func addrKey(a channels.Address) []byte {
	var s []byte
	for _, part := range []string{a.Channel, a.Account, a.Chat, a.Thread} {
		s = binary.AppendUvarint(s, uint64(len(part)))
		s = append(s, part...)
	}
	return idKey(string(s))
}

// timeKey sorts as time does, for every year that JSON can hold.
func timeKey(t time.Time) []byte {
	//nolint:gosec // the sign bit is flipped on purpose: negative seconds sort first
	k := binary.BigEndian.AppendUint64(nil, uint64(t.Unix())^(1<<63))
	return binary.BigEndian.AppendUint32(k, uint32(t.Nanosecond())) //nolint:gosec // below 1e9
}

// How long the heads of the keys in the indexes are.
const (
	timeKeyLen = 12
	chatKeyLen = 8
)

// dueKey is the key in an index by time.
func dueKey(t time.Time, id string) []byte { return append(timeKey(t), idKey(id)...) }

// ofKey is the key in an index by chat; what belongs to no chat is listed under 0.
func ofKey(chat, id string) []byte {
	n, err := parseID("c", chat)
	if err != nil {
		n = 0
	}
	return append(numKey(n), idKey(id)...)
}

// keyTime is the time at the head of an index key.
func keyTime(key []byte) (time.Time, bool) {
	if len(key) < timeKeyLen {
		return time.Time{}, false
	}
	secs := int64(binary.BigEndian.Uint64(key) ^ (1 << 63)) //nolint:gosec // the reverse of timeKey
	return time.Unix(secs, int64(binary.BigEndian.Uint32(key[8:]))), true
}

func chatID(n uint64) string    { return "c" + strconv.FormatUint(n, 36) }
func sessionID(n uint64) string { return "s" + strconv.FormatUint(n, 36) }

func turnID(chat, head uint64) string { return chatID(chat) + "-" + strconv.FormatUint(head, 36) }

func parseID(prefix, id string) (uint64, error) {
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
