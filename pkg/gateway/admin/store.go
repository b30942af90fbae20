package admin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/engine/fsck"
	"parley/pkg/session/local"
)

// CheckStore reads the whole store. It emits a [StoreReport], and fails where the store
// has a problem or is held.
func CheckStore() Operation {
	return Operation{
		Name: "store check",
		Handle: func(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
			return checked(emit)(g.Store.Check(ctx))
		},
		OnFiles: func(ctx context.Context, stateDir string, emit Emit) error {
			return checked(emit)(bolt.Check(ctx, stateDir))
		},
	}
}

// SnapshotStore saves a copy of the store. It emits a [StoreReport].
func SnapshotStore() Operation {
	return Operation{
		Name: "store snapshot", Audited: true,
		Handle: func(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
			return saved(emit)(g.Store.Snapshot(ctx))
		},
		OnFiles: func(ctx context.Context, stateDir string, emit Emit) error {
			return saved(emit)(bolt.SnapshotFile(ctx, stateDir, 0))
		},
	}
}

// ReleaseStore lets a restored store work again. It emits a [StoreReport].
func ReleaseStore() Operation {
	return Operation{
		Name: "store release", Audited: true,
		Handle: func(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
			return StoreError(released(g.Store.ReleaseHold(ctx), emit))
		},
		OnFiles: func(ctx context.Context, stateDir string, emit Emit) error {
			return StoreError(released(local.ReleaseHold(ctx, stateDir, local.Options{}), emit))
		},
	}
}

// RestoreStore replaces the store by a snapshot, while no gateway runs. The present file
// is kept under another name.
func RestoreStore(ctx context.Context, stateDir, file string) error {
	if _, err := os.Stat(file); err != nil {
		return WithCode(CodeFailed, fmt.Errorf(textNoSnapshot, err, filepath.Join(stateDir, "snapshots")))
	}
	return StoreError(local.Restore(ctx, stateDir, file))
}

func saved(emit Emit) func(path string, err error) error {
	return func(path string, err error) error {
		if err != nil {
			return StoreError(err)
		}
		return emit(StoreReport{"the snapshot is " + path})
	}
}

func checked(emit Emit) func(fsck.Report, error) error {
	return func(r fsck.Report, err error) error {
		if err == nil {
			err = reportCheck(&r, emit)
		}
		return StoreError(err)
	}
}

// StoreReport is the answer of the operations on the store.
type StoreReport struct {
	Text string `json:"text"`
}

func released(err error, emit Emit) error {
	if errors.Is(err, session.ErrNotFound) {
		return emit(StoreReport{textNotHeld})
	}
	if err != nil {
		return err
	}
	return emit(StoreReport{textReleased})
}

// reportCheck tells the faults of a store. A store that is held is in order, and an
// error all the same: its waiting messages are not run.
func reportCheck(r *fsck.Report, emit Emit) error {
	var text strings.Builder
	fmt.Fprintf(&text, textStoreCounts,
		Count(r.Records, "record", "records"), Count(r.Chats, "chat", "chats"), Count(r.Sessions, "conversation", "conversations"),
		Count(r.Entries, "entry", "entries"), r.Waiting, r.Sending, r.SetAside)
	if r.Held != "" {
		text.WriteString("\nheld: " + r.Held)
	}
	for _, p := range r.Problems {
		text.WriteString("\nproblem: " + p)
	}
	if r.More > 0 {
		text.WriteString("\nand " + Count(r.More, textMoreProblem, textMoreProblems))
	}
	if err := emit(StoreReport{text.String()}); err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return err
	}
	if r.Held != "" {
		return fmt.Errorf(textHeld, Program())
	}
	return nil
}
