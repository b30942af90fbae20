package table

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
	"parley/pkg/providers"
	"parley/pkg/session"
)

// The stored form of each record and the bytes of each key are in testdata/forms.golden.
// A line that changes is a store that an earlier build cannot read, or of which this build
// misreads a part. A build that adds a bucket, or a field to a record in JSON, writes the
// file anew, with
//
//	go test ./pkg/session/engine/table -run TestForms -write-forms
//
// and changes no more than the lines of that record. The line of a record that is stored as
// fields never changes.

const formsFile = "testdata/forms.golden"

var writeForms = flag.Bool("write-forms", false, "write the stored forms of this build")

// form is a record with each of its fields set.
type form struct {
	bucket Bucket
	note   string // tells the forms of one bucket apart
	// encoded is the stored form, again is this build's form of it.
	encoded []byte
	again   func(stored []byte) ([]byte, error)
}

func (f *form) name() string { return strings.TrimSpace(string(f.bucket) + " " + f.note) }

// formOf is the form of a record that is stored as [encode] writes it.
func formOf[T any](t *testing.T, b Bucket, note string, rec T) form {
	t.Helper()
	encoded, err := Encode(&rec)
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return form{b, note, encoded, func(stored []byte) ([]byte, error) {
		read, err := Decode[T](b, nil, stored)
		if err != nil {
			return nil, err
		}
		return Encode(read)
	}}
}

// plain is the form of bytes that are stored as they are.
func plain(b Bucket, note string, stored []byte) form {
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
		v.SetUint(uint64(number))
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
		Principal: session.Principal{Sender: formSender("7"), Direct: true, Level: "exec", Follows: true, Several: true},
		Tool:      "subagent", Arguments: json.RawMessage(`{"task":"look"}`), Agent: true, Depth: 2, Waited: true, Tainted: true,
		State: session.TaskDone, Started: formTime(1), Deadline: formTime(2), Ended: formTime(3), Status: "status/5", Result: "found",
		Wish: &channels.Wish{Model: "small", Credential: "token/1"},
	}
}

func formJob() session.Job {
	return session.Job{
		ID: "job1", Chat: "c1", Address: formAddress(), Name: "stretch",
		Principal: session.Principal{Sender: formSender("7"), Direct: true, Level: "write", Follows: true, Several: true}, Tainted: true,
		Created: formTime(1),
		Spec:    json.RawMessage(`{"every":"1h"}`), Text: "stretch now", Prompt: true, Due: formTime(2), Leaps: 3, Paused: true, Why: "it failed",
		Runs: session.JobRuns{Failures: 4, Last: formTime(5), Reason: "no model", Day: "2026-11-22", Count: 6}, Told: "chat",
		Wish: &channels.Wish{Model: "small", Credential: "token/1"},
	}
}

func formApproval() session.Approval {
	return session.Approval{
		ID: "approval1", Chat: "c1", Session: "s2", Address: formAddress(),
		Call: session.HeldCall{
			Turn: "c1-3", Round: 4, Index: 5, ID: "call-6", Tool: "write_file", Arguments: `{"path":"a.md"}`,
			Fingerprint: "print",
		}, Task: "task/1", Text: "write_file a.md", Question: "question/7",
		Principal: session.Principal{Sender: formSender("7"), Direct: true, Level: "exec", Follows: true, Several: true}, Tainted: true,
		Grantable: true,
		Wish:      &channels.Wish{NoTools: true, Tools: []string{"a"}, Rounds: 3, Choice: "tool", Tool: "a", Model: "small"},
		Asked:     formTime(1), Expires: formTime(2), State: session.ApprovalVoid,
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
	outbound := full[OutRecord]()
	encoded, err := EncodeOutbox([]channels.Outbound{outbound.Outbound})
	if err != nil {
		t.Fatal(err)
	}
	return []form{
		formOf(t, Meta, "state", full[MetaRecord]()),
		plain(Meta, "number", NumKey(258)),
		plain(Addr, "", NumKey(258)),
		formOf(t, Chats, "", full[ChatRecord]()),
		formOf(t, Sessions, "", full[SessionRecord]()),
		formOf(t, Sessions, "present", SessionRecord{Chat: 258}),
		entryForm(t, "", &entry, &entry),
		entryForm(t, "without raw arguments", &called, &reread),
		plain(Marks, "", appendNumbers(nil, markOutside|markSummary)),
		plain(Marks, "of starts", appendNumbers(nil, markSchedule|markSequel)),
		plain(Undone, "", NumKey(258)),
		formOf(t, Originals, "", full[providers.Original]()),
		formOf(t, Shown, "", full[ShownRecord]()),
		formOf(t, Inbox, "", full[session.Item]()),
		formOf(t, Seen, "", full[SeenRecord]()),
		formOf(t, Steps, "", full[StepRecord]()),
		formOf(t, Turns, "", full[TurnRecord]()),
		formOf(t, Suspects, "", full[SuspectRecord]()),
		formOf(t, Outbox, "", outbound),
		plain(Outbox, "new", OutPayload(encoded[0], 0)),
		plain(Outbox, "new, being sent", OutPayload(encoded[0], 258)),
		formOf(t, Sent, "", full[SentRecord]()),
		formOf(t, Tasks, "", formTask()),
		formOf(t, Tasks, "small", session.Task{}),
		formOf(t, Jobs, "", formJob()),
		formOf(t, Jobs, "small", session.Job{Spec: json.RawMessage(`{}`)}),
		plain(Cursors, "", []byte("17")),
		formOf(t, Asks, "", full[AskRecord]()),
		formOf(t, Pairs, "", full[PairRecord]()),
		formOf(t, Moves, "", full[MoveRecord]()),
		formOf(t, Approvals, "", formApproval()),
		formOf(t, Approvals, "small", session.Approval{}),
		formOf(t, Grants, "", full[session.Grant]()),
		plain(Zones, "", []byte("Europe/Berlin")),
		plain(Models, "", []byte("local")),
		plain(Reads, "", NumKey(258)),
		formOf(t, Spent, "", SpentRecord{session.ForPeople: full[session.Usage]()}),
		formOf(t, Shares, "", full[ShareRecord]()),
		formOf(t, Uses, "", full[UseRecord]()),
		plain(Sums, "", []byte("sum")),
		formOf(t, Programs, "", full[session.Program]()),
		formOf(t, Tokens, "", full[session.Token]()),
		formOf(t, Links, "", full[session.Link]()),
		formOf(t, Facts, "", full[session.Fact]()),
		formOf(t, Facts, "small", session.Fact{}),
		plain(Bad, "", Seal(Inbox, NumKey(1, 2), []byte("payload"))),
	}
}

// entryForm is the form of an entry that is read back as another one.
func entryForm(t *testing.T, note string, e, reread *session.Entry) form {
	t.Helper()
	encoded, err := EncodeEntry(e)
	want, err2 := EncodeEntry(reread)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return form{History, note, encoded, func(stored []byte) ([]byte, error) {
		read, err := DecodeEntry(stored)
		if err != nil {
			return nil, err
		}
		again, err := EncodeEntry(&read)
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
	key := func(b Bucket, note string, k []byte) form { return plain(b, strings.TrimSpace("key "+note), k) }
	return []form{
		key(Meta, "of the state", MetaKey()),
		key(Meta, "of the number", []byte(NumberKey)),
		key(Addr, "", AddrKey(formAddress())),
		key(Chats, "", NumKey(258)),
		key(Sessions, "", []byte(SessionID(258))),
		key(History, "", NumKey(258, 3)),
		key(Marks, "", NumKey(258, 3)),
		key(Undone, "", NumKey(258, 3)),
		key(Originals, "", NumKey(258, 3)),
		key(Shown, "", NumKey(258, 3)),
		key(Inbox, "", NumKey(258, 3)),
		key(Seen, "", IDKey("telegram/bot/1")),
		key(Seen, "of a long id", IDKey(long)),
		key(Seen, "of an item that was taken back", TakenBackKey("telegram/bot/1")),
		key(Seen, "of a job that has ended", EndedKey("job1")),
		key(Steps, "", NumKey(258, 3, 4)),
		key(Turns, "", NumKey(258, 3)),
		key(Suspects, "", NumKey(258)),
		key(Outbox, "", NumKey(258, 3)),
		key(Sent, "", IDKey("c1-3/call/1")),
		key(Suspended, "", NumKey(258)),
		key(Tasks, "", IDKey("task/1")),
		key(Open, "", DueKey(at, "task/1")),
		key(Jobs, "", IDKey("job1")),
		key(Due, "", DueKey(at, "job1")),
		key(Cursors, "", IDKey("telegram/bot/updates")),
		key(Asks, "", []byte("CODE")),
		key(Pairs, "", PersonKey("telegram", "bot", "7")),
		key(Moves, "", AddrKey(formAddress())),
		key(Approvals, "", IDKey("approval1")),
		key(Grants, "", IDKey("grant1")),
		key(Zones, "", NumKey(258)),
		key(Models, "", NumKey(258)),
		key(Reads, "", NumKey(258)),
		key(Spent, "", SpentKey(258, "2026-11-22")),
		key(Shares, "", ShareKey(258, "2026-11-22", "7")),
		key(Uses, "", NumKey(258, 3)),
		key(Sums, "", IDKey("web/1")),
		key(Programs, "", NumKey(258, 3)),
		key(TasksOf, "", OfKey(ChatID(258), "task/1")),
		key(JobsOf, "", OfKey(ChatID(258), "job1")),
		key(Gone, "", NumKey(258)),
		key(Tokens, "", bytes.Repeat([]byte{7}, 32)),
		key(Links, "", AddrKey(formAddress())),
		key(Facts, "", FactKey(&session.Fact{Number: 3, Chat: ChatID(258)})),
		key(FactsOf, "", FactOfKey(&session.Fact{Number: 3, Chat: ChatID(258), Person: "telegram:bot:7"})),
		key(Bad, "", append([]byte(string(Inbox)+"/"), NumKey(258, 3)...)),
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
	has := map[Bucket]bool{Leases: true} // always empty
	for _, f := range keyForms() {
		has[f.bucket] = true
	}
	for _, b := range Buckets() {
		if !has[b] {
			t.Errorf("no key of the bucket %s", b)
		}
		has[b] = isIndex(b) || b == Leases
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
	if _, isTime := reflect.TypeAssert[time.Time](v); isTime || v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		unset(t, v.Field(i), name+"."+v.Type().Field(i).Name)
	}
}
