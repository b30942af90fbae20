package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/text"
)

// Kind is the subject of a [Row].
type Kind string

// The kinds of rows.
const (
	// KindStart and KindStop are the beginning and the end of a process.
	KindStart Kind = "start"
	KindStop  Kind = "stop"
	// KindBegin is a call that overwrites, deletes or executes, before it runs.
	KindBegin Kind = "begin"
	// KindCall is a call that ended, KindRefused one that did not run.
	KindCall    Kind = "call"
	KindRefused Kind = "refused"
	// KindApproval is a question or its decision, KindGrant a standing permission.
	KindApproval Kind = "approval"
	KindGrant    Kind = "grant"
	// KindLink is a chat of another channel that a person's page shows, or shows no more.
	KindLink Kind = "link"
	// KindOperator is an action on the command line.
	KindOperator Kind = "operator"
	// KindAudit is a row about the log itself: Outcome is torn, lost, missing, damaged or
	// changed.
	KindAudit Kind = "audit"
)

// The bounds of a row's texts, in bytes.
const (
	maxWord   = 128
	maxDetail = 300
	maxLine   = 16 << 10 // more than any row takes
	minLine   = 200      // less than any row takes
)

// Row is one line of the record. The log fills in Seq, Prev and Hash, and Time
// where it is zero.
type Row struct {
	// Seq counts the rows from 1.
	Seq     uint64    `json:"seq"`
	Time    time.Time `json:"time"`
	Kind    Kind      `json:"kind"`
	Channel string    `json:"channel,omitempty"`
	Account string    `json:"account,omitempty"`
	Chat    string    `json:"chat,omitempty"`
	Thread  string    `json:"thread,omitempty"`
	Sender  string    `json:"sender,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	Call    string    `json:"call,omitempty"`
	Turn    string    `json:"turn,omitempty"`
	// Outcome is one word: ok, or the type of an error.
	Outcome string `json:"outcome,omitempty"`
	// Detail is a short sentence, without people's messages and without secrets.
	Detail string `json:"detail,omitempty"`
	// Prev is the hash of the row before, in hex; zeros for the first.
	Prev string `json:"prev"`
	// Hash is SHA-256, in hex, over the row's JSON without this field.
	Hash string `json:"hash,omitempty"`
}

// hashField is how a line ends: the hash stands between the two.
const (
	hashBegin = `,"hash":"`
	hashEnd   = `"}`
	hashSize  = 2 * sha256.Size
)

// noHash stands before the first row.
func noHash() string { return strings.Repeat("0", hashSize) }

// seal gives a row its hash and returns its line, newline included.
func (r *Row) seal() ([]byte, error) {
	r.Hash = ""
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("audit: the row cannot be written: %w", err)
	}
	r.Hash = hashOf(body)
	return fmt.Appendf(body[:len(body)-1], "%s%s%s\n", hashBegin, r.Hash, hashEnd), nil
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// errNoRow says that a line is no row; errChanged that it differs from the sealed
// row.
var (
	errNoRow   = errors.New("it is no row")
	errChanged = errors.New("its content does not fit its hash: it was changed")
)

// parse reads a line without its newline. With errChanged it returns the row too.
func parse(line []byte) (Row, error) {
	var r Row
	tail := len(hashBegin) + hashSize + len(hashEnd)
	if len(line) < tail || !bytes.HasSuffix(line, []byte(hashEnd)) || !bytes.HasPrefix(line[len(line)-tail:], []byte(hashBegin)) {
		return r, errNoRow
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, errNoRow
	}
	body := append(bytes.Clone(line[:len(line)-tail]), '}')
	if hashOf(body) != r.Hash || r.Seq == 0 {
		return r, errChanged
	}
	return r, nil
}

// tidy makes a row's texts fit.
func (r *Row) tidy(redact func(string) string) {
	for _, word := range []*string{
		&r.Channel, &r.Account, &r.Chat, &r.Thread, &r.Sender, &r.Tool, &r.Call, &r.Turn, &r.Outcome,
	} {
		*word = clean(*word, maxWord, redact)
	}
	r.Kind = Kind(clean(string(r.Kind), maxWord, nil))
	r.Detail = clean(r.Detail, maxDetail, redact)
	r.Time = r.Time.UTC().Round(0)
}

// clean redacts before it cuts, so that no half of a secret stays.
func clean(s string, limit int, redact func(string) string) string {
	if s == "" {
		return s
	}
	if redact != nil {
		s = redact(s)
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	return text.ClipBytes(s, limit)
}
