package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// fileTx is a transaction of bbolt as a [kv.Tx].
type fileTx struct {
	b       *bbolt.Tx
	buckets []opened // few
}

// opened is a bucket that the transaction has used, and the cursor of its Get: a new one
// for each key would allocate its way through the pages each time.
type opened struct {
	name kv.Bucket
	b    *bbolt.Bucket
	get  *bbolt.Cursor // nil until it is used
}

// usual is about how many buckets a transaction that reads uses.
const usual = 6

// in is a bucket. All of them are created with the store, so that one that is missing
// is damage; those of [laterBuckets] are nil in a store of an earlier build.
func (t *fileTx) in(b kv.Bucket) *bbolt.Bucket {
	if o := t.open(b); o != nil {
		return o.b
	}
	return nil
}

// open is in with the cursor; it is valid until the next call.
func (t *fileTx) open(b kv.Bucket) *opened {
	for i := range t.buckets {
		if t.buckets[i].name == b {
			return &t.buckets[i]
		}
	}
	bk := t.b.Bucket([]byte(b))
	if bk == nil {
		if slices.Contains(table.LaterBuckets(), b) {
			return nil
		}
		panic(fmt.Sprintf("bucket %s is missing", b))
	}
	if t.buckets == nil {
		t.buckets = make([]opened, 0, usual)
	}
	t.buckets = append(t.buckets, opened{name: b, b: bk})
	return &t.buckets[len(t.buckets)-1]
}

// Get is the value of a key.
func (t *fileTx) Get(b kv.Bucket, key []byte) []byte {
	o := t.open(b)
	if o == nil {
		return nil
	}
	if o.get == nil {
		o.get = o.b.Cursor()
	}
	if k, v := o.get.Seek(key); bytes.Equal(k, key) {
		return v
	}
	return nil
}

// Cursor walks over a bucket.
func (t *fileTx) Cursor(b kv.Bucket) kv.Cursor {
	bk := t.in(b)
	if bk == nil {
		return noCursor{}
	}
	return fileCursor{bk.Cursor()}
}

// Put stores a key. The numbers that are given out are also the sequence of their
// bucket: an earlier build takes them from there.
func (t *fileTx) Put(b kv.Bucket, key, value []byte) error {
	bk := t.in(b)
	if b == table.Meta && string(key) == table.NumberKey && len(value) >= table.NumberLen {
		if err := bk.SetSequence(binary.BigEndian.Uint64(value[len(value)-table.NumberLen:])); err != nil {
			return err
		}
	}
	return bk.Put(key, value)
}

// Delete removes a key.
func (t *fileTx) Delete(b kv.Bucket, key []byte) error { return t.in(b).Delete(key) }

// lacks says that the file does not have a bucket yet.
func (t *fileTx) lacks(b kv.Bucket) bool { return t.b.Bucket([]byte(b)) == nil }

// create makes the buckets that are missing.
func (t *fileTx) create() error {
	for _, name := range table.Buckets() {
		if _, err := t.b.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// counted is the highest number that an earlier build has given out.
func (t *fileTx) counted() uint64 { return t.in(table.Meta).Sequence() }

// outdated says that an earlier build wrote the store last: buckets are missing, or it
// counted on.
func (t *fileTx) outdated() bool {
	last, err := table.LastNumber(t)
	return slices.ContainsFunc(table.Buckets(), t.lacks) || err == nil && t.counted() > last
}

// upgrade brings a new store, or one of an earlier build, up to this one.
func (t *fileTx) upgrade() error {
	unlisted := t.lacks(table.TasksOf)
	if err := t.create(); err != nil {
		return err
	}
	if err := table.CountFrom(t, t.counted()); err != nil || !unlisted {
		return err
	}
	return table.ListByChat(t)
}

// complete makes a whole store of a new one, or with r of a snapshot.
func (t *fileTx) complete(now time.Time, r *table.Restored) error {
	if err := t.upgrade(); err != nil {
		return err
	}
	return table.Complete(t, now, r)
}

// state reads the part that every start needs. An error that is damage means that the
// file is to be moved aside.
func (t *fileTx) state() (table.State, error) {
	if t.lacks(table.Meta) {
		return table.State{}, table.Damagedf("it is another program's file")
	}
	st, err := table.ReadState(t)
	if err != nil {
		return st, err
	}
	for _, b := range table.Buckets() {
		t.in(b) // one that is missing is damage
	}
	return st, nil
}

// fileCursor is a cursor of bbolt.
type fileCursor struct{ c *bbolt.Cursor }

// Seek goes to the first key at or after key.
func (c fileCursor) Seek(key []byte) (k, v []byte) {
	if key == nil {
		return c.c.First()
	}
	return c.c.Seek(key)
}

// SeekBefore goes to the last key before key.
func (c fileCursor) SeekBefore(key []byte) (k, v []byte) {
	if key == nil {
		return c.c.Last()
	}
	if k, _ := c.c.Seek(key); k == nil {
		return c.c.Last()
	}
	return c.c.Prev()
}

// Next goes on by one.
func (c fileCursor) Next() (k, v []byte) { return c.c.Next() }

// Prev goes back by one.
func (c fileCursor) Prev() (k, v []byte) { return c.c.Prev() }

// noCursor walks over a bucket that is not there.
type noCursor struct{}

func (noCursor) Seek([]byte) (k, v []byte)       { return nil, nil }
func (noCursor) SeekBefore([]byte) (k, v []byte) { return nil, nil }
func (noCursor) Next() (k, v []byte)             { return nil, nil }
func (noCursor) Prev() (k, v []byte)             { return nil, nil }
