package local

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/engine"
	"parley/pkg/session/engine/fsck"
	"parley/pkg/session/forgets"
)

// Options say where the store is and how its engine works. Dir is required; the fields
// are those of [bolt.Options] and [engine.Options].
type Options struct {
	Dir           string
	Log           zerolog.Logger
	LockTimeout   time.Duration
	SnapshotEvery time.Duration
	Keep          int
	Retain        time.Duration
	Trouble       func(error)
	Lanes         int
	Now           func() time.Time
}

func (o *Options) file() bolt.Options {
	return bolt.Options{Dir: o.Dir, Log: o.Log, LockTimeout: o.LockTimeout, Keep: o.Keep, Now: o.Now, Forgotten: forgotten{o.Dir}}
}

// Engine is an engine with the file that it works on.
type Engine struct {
	*engine.Engine

	file    *bolt.Store
	forgets *forgets.Ledger
}

var _ session.Engine = (*Engine)(nil)

// Reading is how far the chats of an engine were read.
func Reading(e *Engine) session.Reading { return engine.ReadingOf(e.Engine) }

// Facts are those that the chats and people of an engine have told.
func Facts(e *Engine) session.Facts { return engine.FactsOf(e.Engine) }

// Open opens the store in o.Dir as [bolt.Open] does, and an engine over it.
func Open(ctx context.Context, o Options) (*Engine, error) { return openWith(ctx, bolt.Open, o) }

// Look opens the store in o.Dir for reading, as [bolt.Look] does, and an engine over it
// that refuses writes.
func Look(ctx context.Context, o Options) (*Engine, error) { return openWith(ctx, bolt.Look, o) }

func openWith(ctx context.Context, open func(context.Context, bolt.Options) (*bolt.Store, error), o Options) (*Engine, error) {
	file, err := open(ctx, o.file())
	if err != nil {
		return nil, err
	}
	e := &Engine{file: file}
	if e.forgets, err = forgets.Open(o.Dir); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	eo := engine.Options{
		Log: o.Log, ReadOnly: file.ReadOnly(), SnapshotEvery: o.SnapshotEvery, Retain: o.Retain,
		Trouble: o.Trouble, Lanes: o.Lanes, Now: o.Now,
	}
	if !file.None() {
		eo.NoteDamage = file.NoteDamage
		eo.Snapshot = func(context.Context) error {
			_, err := file.Save()
			return err
		}
	}
	if e.Engine, err = engine.Open(ctx, file, eo); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return e, nil
}

// None reports whether the store does not exist yet. The engine then shows an empty one.
func (e *Engine) None() bool { return e.file.None() }

// Snapshot writes a consistent copy of the store, checks it, and removes the
// oldest copies. It returns the copy's path.
func (e *Engine) Snapshot(context.Context) (string, error) {
	path, err := e.file.Save()
	e.Suspect(err)
	return path, err
}

// Check reads the whole store, which is in use, and checks its rules.
func (e *Engine) Check(context.Context) (fsck.Report, error) {
	r, err := e.file.Check()
	if damage := e.Damage(); damage != nil {
		r.Addf("%v", damage)
	}
	return r, err
}

// ReleaseHold lets a held store of a directory that no gateway uses work again.
func ReleaseHold(ctx context.Context, dir string, o Options) error {
	if err := bolt.MustExist(dir); err != nil {
		return err
	}
	o.Dir, o.SnapshotEvery = dir, -1
	e, err := Open(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(e.ReleaseHold(ctx), e.Close())
}
