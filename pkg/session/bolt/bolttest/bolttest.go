package bolttest

import (
	"errors"
	"path/filepath"

	"go.etcd.io/bbolt"

	"parley/pkg/session/engine/table"
)

// fileDB is the name of the store file in its directory.
const fileDB = "parley.db"

func edit(dir string, f func(*bbolt.Tx) error) error {
	db, err := bbolt.Open(filepath.Join(dir, fileDB), 0o600, nil)
	if err != nil {
		return err
	}
	return errors.Join(db.Update(f), db.Close())
}

// Foreign makes the database of another program in place of the store of dir.
func Foreign(dir string) error {
	return edit(dir, func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("theirs"))
		return err
	})
}

// DropBuckets takes buckets away that an earlier build did not have.
func DropBuckets(dir string, names ...string) error {
	return edit(dir, func(tx *bbolt.Tx) error {
		var errs error
		for _, name := range names {
			errs = errors.Join(errs, tx.DeleteBucket([]byte(name)))
		}
		return errs
	})
}

// CountOn gives out n numbers as an earlier build does, which takes them from bbolt's
// sequence of a bucket. It returns the highest number by that sequence.
func CountOn(dir string, n uint64) (sequence uint64, err error) {
	err = edit(dir, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(table.Meta))
		sequence = b.Sequence() + n
		return b.SetSequence(sequence)
	})
	return sequence, err
}

// SetSchema makes the store of dir that of a release with another schema.
func SetSchema(dir string, n int) error {
	return edit(dir, func(tx *bbolt.Tx) error {
		b, key := tx.Bucket([]byte(table.Meta)), table.MetaKey()
		m, err := table.Read[table.MetaRecord](table.Meta, key, b.Get(key))
		if err != nil {
			return err
		}
		m.Schema = n
		payload, err := table.Encode(m)
		if err != nil {
			return err
		}
		return b.Put(key, table.Seal(table.Meta, key, payload))
	})
}
