package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// The stored form of each record and the bytes of each key are in testdata/forms.golden.
// A line that changes is a store that an earlier build cannot read, or of which this build
// misreads a part. A build that adds a field writes the file anew, with
//
//	go test ./pkg/session/engine -run TestForms -write-forms
//
// and changes no more than the line of that record.

const formsFile = "testdata/forms.golden"

var writeForms = flag.Bool("write-forms", false, "write the stored forms of this build")

// form is a record with each of its fields set.
type form struct {
	bucket bucket
	note   string // tells the forms of one bucket apart
	// encoded is the stored form, again is what this build makes of it.
	encoded []byte
	again   func(stored []byte) ([]byte, error)
}

func (f *form) name() string { return strings.TrimSpace(string(f.bucket) + " " + f.note) }

// formOf is the form of a record that is stored as [encode] writes it.
func formOf[T any](t *testing.T, b bucket, note string, rec T) form {
	t.Helper()
	encoded, err := encode(&rec)
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return form{b, note, encoded, func(stored []byte) ([]byte, error) {
		read, err := decode[T](b, nil, stored)
		if err != nil {
			return nil, err
		}
		return encode(read)
	}}
}

// plain is the form of bytes that are stored as they are.
func plain(b bucket, note string, stored []byte) form {
	return form{b, note, stored, func(stored []byte) ([]byte, error) { return stored, nil }}
}

func formTime(seconds int) time.Time { return time.Unix(1_700_000_000+int64(seconds), 5).UTC() }

// set gives each stored field of a record a value of its own, made from the field's stored
// name, or from its place where the form has no names.
func set(v reflect.Value, name string) {
	number := int64(crc32.ChecksumIEEE([]byte(name)) % 1000)
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = formTime(int(number))
		return
	case *json.RawMessage:
		*at = json.RawMessage(`{"` + name + `":1}`)
		return
	case *session.Task:
		*at = formTask()
		return
	case *session.Job:
		*at = formJob()
		return
	case *session.Approval:
		*at = formApproval()
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(number)
	case reflect.Uint64:
		v.SetUint(uint64(number)) //nolint:gosec // below 1000
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		set(v.Elem(), name)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		set(v.Index(0), name)
	case reflect.Map:
		setMap(v, name)
	case reflect.Struct:
		for i := range v.NumField() {
			if stored, kept := storedName(v.Type().Field(i), i); kept {
				set(v.Field(i), strings.TrimPrefix(name+"."+stored, "."))
			}
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf(name))
	default:
		panic("no value for " + name + ", which is a " + v.Kind().String())
	}
}

func setMap(v reflect.Value, name string) {
	v.Set(reflect.MakeMap(v.Type()))
	key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	set(key, name)
	set(value, name)
	v.SetMapIndex(key, value)
}

// storedName is the name of a field in JSON, else its place; false: it is not stored.
func storedName(f reflect.StructField, i int) (string, bool) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		name = strconv.Itoa(i)
	}
	return name, name != "-"
}

func full[T any]() (rec T) {
	set(reflect.ValueOf(&rec).Elem(), "")
	return rec
}

func formAddress() channels.Address {
	return channels.Address{Channel: "telegram", Account: "bot", Chat: "17", Thread: "4"}
}

func formSender(id string) channels.Sender { return channels.Sender{ID: id, Name: "Ada", Bot: true} }

func formTask() session.Task {
	return session.Task{
		ID: "task/1", Chat: "c1", Session: "s2", Address: formAddress(), Turn: "c1-3", Call: "call-4",
		Principal: session.Principal{Sender: formSender("7"), Direct: true, Level: "exec"},
		Tool:      "subagent", Arguments: json.RawMessage(`{"task":"look"}`), Agent: true, Depth: 2, Waited: true, Tainted: true,
		State: session.TaskDone, Started: formTime(1), Deadline: formTime(2), Ended: formTime(3), Status: "status/5", Result: "found",
	}
}

func formJob() session.Job {
	return session.Job{
		ID: "job1", Chat: "c1", Address: formAddress(), Name: "stretch",
		Principal: session.Principal{Sender: formSender("7"), Direct: true, Level: "write"}, Tainted: true, Created: formTime(1),
		Spec: json.RawMessage(`{"every":"1h"}`), Text: "stretch now", Prompt: true, Due: formTime(2), Leaps: 3, Paused: true, Why: "it failed",
		Runs: session.JobRuns{Failures: 4, Last: formTime(5), Reason: "no model", Day: "2026-11-22", Count: 6}, Told: "chat",
	}
}

func formApproval() session.Approval {
	return session.Approval{
		ID: "approval1", Chat: "c1", Session: "s2", Address: formAddress(),
		Call: session.HeldCall{
			Turn: "c1-3", Round: 4, Index: 5, ID: "call-6", Tool: "write_file", Arguments: `{"path":"a.md"}`,
			Fingerprint: "print",
		}, Task: "task/1", Text: "write_file a.md", Question: "question/7",
		Principal: session.Principal{Sender: formSender("7"), Direct: true, Level: "exec"}, Tainted: true, Grantable: true,
		Asked: formTime(1), Expires: formTime(2), State: session.ApprovalVoid,
		Answer: session.ApprovalAnswer{By: formSender("8"), At: formTime(3), Turn: "c1-9", Reason: "too late"},
	}
}

func recordForms(t *testing.T) []form {
	t.Helper()
	entry := full[session.Entry]()
	called := full[session.Entry]()
	called.Message.ToolCalls[0].RawArguments = ""
	reread := full[session.Entry]()
	reread.Message.ToolCalls[0].RawArguments = `{"message.tool_calls.arguments":"message.tool_calls.arguments"}`
	outbound := full[outRec]()
	encoded, err := encodeOutbox([]channels.Outbound{outbound.Outbound})
	if err != nil {
		t.Fatal(err)
	}
	return []form{
		formOf(t, bkMeta, "state", full[metaRec]()),
		plain(bkMeta, "number", numKey(258)),
		plain(bkAddr, "", numKey(258)),
		formOf(t, bkChats, "", full[chatRec]()),
		formOf(t, bkSessions, "", full[sessionRec]()),
		formOf(t, bkSessions, "present", sessionRec{Chat: 258}),
		entryForm(t, "", &entry, &entry),
		entryForm(t, "without raw arguments", &called, &reread),
		formOf(t, bkInbox, "", full[session.Item]()),
		formOf(t, bkSeen, "", full[seenRec]()),
		formOf(t, bkSteps, "", full[stepRec]()),
		formOf(t, bkTurns, "", full[turnRec]()),
		formOf(t, bkSuspects, "", full[suspectRec]()),
		formOf(t, bkOutbox, "", outbound),
		plain(bkOutbox, "new", outPayload(encoded[0], 0)),
		plain(bkOutbox, "new, being sent", outPayload(encoded[0], 258)),
		formOf(t, bkSent, "", full[sentRec]()),
		formOf(t, bkTasks, "", formTask()),
		formOf(t, bkTasks, "small", session.Task{}),
		formOf(t, bkJobs, "", formJob()),
		formOf(t, bkJobs, "small", session.Job{Spec: json.RawMessage(`{}`)}),
		plain(bkCursors, "", []byte("17")),
		formOf(t, bkAsks, "", full[askRec]()),
		formOf(t, bkPairs, "", full[pairRec]()),
		formOf(t, bkMoves, "", full[moveRec]()),
		formOf(t, bkApprovals, "", formApproval()),
		formOf(t, bkApprovals, "small", session.Approval{}),
		formOf(t, bkGrants, "", full[session.Grant]()),
		plain(bkZones, "", []byte("Europe/Berlin")),
		formOf(t, bkSpent, "", spentRec{session.ForPeople: full[session.Usage]()}),
		plain(bkBad, "", seal(bkInbox, numKey(1, 2), []byte("payload"))),
	}
}

// entryForm is the form of an entry that is read back as another one.
func entryForm(t *testing.T, note string, e, reread *session.Entry) form {
	t.Helper()
	encoded, err := encodeEntry(e)
	want, err2 := encodeEntry(reread)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return form{bkHistory, note, encoded, func(stored []byte) ([]byte, error) {
		read, err := decodeEntry(stored)
		if err != nil {
			return nil, err
		}
		again, err := encodeEntry(&read)
		if err == nil && bytes.Equal(again, want) {
			return stored, nil
		}
		return again, err
	}}
}

// keyForms are the keys of each bucket.
func keyForms() []form {
	at := formTime(1)
	long := strings.Repeat("x", maxRawKey+1)
	key := func(b bucket, note string, k []byte) form { return plain(b, strings.TrimSpace("key "+note), k) }
	return []form{
		key(bkMeta, "of the state", metaKey()),
		key(bkMeta, "of the number", []byte(numberKey)),
		key(bkAddr, "", addrKey(formAddress())),
		key(bkChats, "", numKey(258)),
		key(bkSessions, "", []byte(sessionID(258))),
		key(bkHistory, "", numKey(258, 3)),
		key(bkInbox, "", numKey(258, 3)),
		key(bkSeen, "", idKey("telegram/bot/1")),
		key(bkSeen, "of a long id", idKey(long)),
		key(bkSeen, "of an item that was taken back", takenBackKey("telegram/bot/1")),
		key(bkSeen, "of a job that has ended", endedKey("job1")),
		key(bkSteps, "", numKey(258, 3, 4)),
		key(bkTurns, "", numKey(258, 3)),
		key(bkSuspects, "", numKey(258)),
		key(bkOutbox, "", numKey(258, 3)),
		key(bkSent, "", idKey("c1-3/call/1")),
		key(bkSuspended, "", numKey(258)),
		key(bkTasks, "", idKey("task/1")),
		key(bkOpen, "", dueKey(at, "task/1")),
		key(bkJobs, "", idKey("job1")),
		key(bkDue, "", dueKey(at, "job1")),
		key(bkCursors, "", idKey("telegram/bot/updates")),
		key(bkAsks, "", []byte("CODE")),
		key(bkPairs, "", personKey("telegram", "bot", "7")),
		key(bkMoves, "", addrKey(formAddress())),
		key(bkApprovals, "", idKey("approval1")),
		key(bkGrants, "", idKey("grant1")),
		key(bkZones, "", numKey(258)),
		key(bkSpent, "", spentKey(258, "2026-11-22")),
		key(bkTasksOf, "", ofKey(chatID(258), "task/1")),
		key(bkJobsOf, "", ofKey(chatID(258), "job1")),
		key(bkGone, "", numKey(258)),
		key(bkBad, "", append([]byte(string(bkInbox)+"/"), numKey(258, 3)...)),
	}
}

// shown is a form as a line: JSON as it is, other bytes quoted.
func shown(stored []byte) string {
	if json.Valid(stored) && !bytes.ContainsRune(stored, '\n') {
		return string(stored)
	}
	return strconv.QuoteToASCII(string(stored))
}

// read is the reverse of [shown].
func read(line string) ([]byte, error) {
	if json.Valid([]byte(line)) && !strings.HasPrefix(line, `"`) {
		return []byte(line), nil
	}
	s, err := strconv.Unquote(line)
	return []byte(s), err
}

// TestForms: this build writes each record and key as the builds before it, and loses no
// part of a record that it reads.
func TestForms(t *testing.T) {
	t.Parallel()
	forms := append(recordForms(t), keyForms()...)
	var now strings.Builder
	for i := range forms {
		fmt.Fprintf(&now, "%s: %s\n", forms[i].name(), shown(forms[i].encoded))
	}
	if *writeForms {
		if err := os.WriteFile(formsFile, []byte(now.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(formsFile)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(kept), "\n"), strings.Split(now.String(), "\n")); d != "" {
		t.Fatalf("stored forms differ from those of earlier builds (-earlier +now):\n%s", d)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(kept), "\n"), "\n") {
		f := &forms[i]
		stored, err := read(strings.TrimPrefix(line, f.name()+": "))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		again, err := f.again(stored)
		if err != nil || !bytes.Equal(stored, again) {
			t.Errorf("%s: %v: read and written again it is\n%s", line, err, shown(again))
		}
	}
}

// TestFormsAreWhole: the golden file has each bucket, and the records that are written by
// hand above have each field set.
func TestFormsAreWhole(t *testing.T) {
	t.Parallel()
	has := map[bucket]bool{bkLeases: true} // always empty
	for _, f := range keyForms() {
		has[f.bucket] = true
	}
	for _, b := range buckets() {
		if !has[b] {
			t.Errorf("no key of the bucket %s", b)
		}
		has[b] = isIndex(b) || b == bkLeases
	}
	for _, f := range recordForms(t) {
		has[f.bucket] = true
	}
	for b, ok := range has {
		if !ok {
			t.Errorf("no record of the bucket %s", b)
		}
	}
	for _, rec := range []any{formTask(), formJob(), formApproval()} {
		unset(t, reflect.ValueOf(rec), reflect.TypeOf(rec).Name())
	}
}

// unset reports the fields of a record that have no value.
func unset(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	if v.IsZero() {
		t.Errorf("%s is not set", name)
	}
	if _, isTime := v.Interface().(time.Time); isTime || v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		unset(t, v.Field(i), name+"."+v.Type().Field(i).Name)
	}
}
