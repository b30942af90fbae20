package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"parley/pkg/config"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
)

// openStore opens the engine in the state folder. For a command that looks, nothing
// is made or changed there.
func openStore(ctx context.Context, cfg *config.Config, o *appOptions) (*bolt.Engine, error) {
	open := bolt.Open
	if o.look {
		open = bolt.Look
	}
	e, err := open(ctx, bolt.Options{Dir: cfg.StateDir, Log: o.log, Trouble: o.trouble})
	if err != nil {
		return nil, storeError(err)
	}
	return e, nil
}

// storeError gives an error of the store its exit code.
func storeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolt.ErrLocked):
		return coded(exitInUse, err)
	case errors.Is(err, bolt.ErrDir):
		return coded(exitUsage, err)
	default:
		return coded(exitFailed, err)
	}
}

// held says why the store hands nothing out, as an error.
func (a *App) held(ctx context.Context) error {
	st, err := a.engine.Status(ctx)
	if err != nil {
		return err
	}
	if st.Held != "" {
		return fmt.Errorf("%w (%s)", session.ErrHeld, st.Held)
	}
	return nil
}

// storeReport is the answer of the operations on the store.
type storeReport struct {
	Text string `json:"text"`
}

// storeOp does an operation on the store of the running gateway.
func (a *App) storeOp(ctx context.Context, op string, emit emitter) error {
	switch op {
	case opSnapshot:
		path, err := a.store.Snapshot(ctx)
		if err != nil {
			return err
		}
		return emit(storeReport{"the snapshot is " + path})
	case opRelease:
		return released(a.store.ReleaseHold(ctx), emit)
	default:
		r, err := a.store.Check(ctx)
		if err != nil {
			return err
		}
		return reportCheck(&r, emit)
	}
}

// fileOp does the same when no gateway runs. It opens no engine where it can do
// without: opening a damaged store would change it.
func fileOp(ctx context.Context, dir, op string, emit emitter) error {
	switch op {
	case opSnapshot:
		path, err := bolt.SnapshotFile(ctx, dir, 0)
		if err != nil {
			return err
		}
		return emit(storeReport{"the snapshot is " + path})
	case opRelease:
		return released(bolt.ReleaseHold(ctx, dir, bolt.Options{}), emit)
	default:
		r, err := bolt.Check(ctx, dir)
		if err != nil {
			return err
		}
		return reportCheck(&r, emit)
	}
}

func released(err error, emit emitter) error {
	if errors.Is(err, session.ErrNotFound) {
		return emit(storeReport{"the store is not held: there is nothing to release"})
	}
	if err != nil {
		return err
	}
	return emit(storeReport{"the store is released: what waits is run and sent"})
}

// reportCheck tells what is wrong with a store. A store that is held is in order, and
// an error all the same: nothing that waits in it is run.
func reportCheck(r *bolt.Report, emit emitter) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s, %s, %s; %d waiting, %d sending, %d set aside",
		count(r.Records, "record", "records"), count(r.Chats, "chat", "chats"), count(r.Sessions, "conversation", "conversations"),
		count(r.Entries, "entry", "entries"), r.Waiting, r.Sending, r.SetAside)
	if r.Held != "" {
		text.WriteString("\nheld: " + r.Held)
	}
	for _, p := range r.Problems {
		text.WriteString("\nproblem: " + p)
	}
	if r.More > 0 {
		text.WriteString("\nand " + count(r.More, "more problem", "more problems"))
	}
	if err := emit(storeReport{text.String()}); err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return err
	}
	if r.Held != "" {
		return errors.New("the store is held: when you have seen what is missing, run gateway store release")
	}
	return nil
}

func newStore(h *host) *cobra.Command {
	storeVerb := func(use, short, op string) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return h.storeVerb(cmd.Context(), op) },
		}
	}
	restore := &cobra.Command{
		Use: "restore FILE", Short: "Replace the store by a snapshot; the present one is kept beside it", Args: cobra.ExactArgs(1),
		Long: `Replaces the store by a snapshot while no gateway runs. The present file is kept
under another name. The restored store is held: nothing that waits in it is run
or sent until gateway store release, because it may have been done already.`,
		RunE: func(cmd *cobra.Command, words []string) error {
			cfg, err := h.load(true)
			if err != nil {
				return err
			}
			if _, err := os.Stat(words[0]); err != nil {
				return coded(exitFailed, fmt.Errorf("the snapshot cannot be read: %w: snapshots are in %s", err, filepath.Join(cfg.StateDir, "snapshots")))
			}
			if err := bolt.Restore(cmd.Context(), cfg.StateDir, words[0]); err != nil {
				return storeError(err)
			}
			return h.print("restored from %s; look at it with gateway sessions list, then run gateway store release\n", words[0])
		},
	}
	return group("store", "Check, save, restore or release the store",
		storeVerb("check", "Read the whole store and say what is wrong with it", opCheck),
		storeVerb("snapshot", "Save a copy of the store in the state folder", opSnapshot),
		restore,
		storeVerb("release", "Let a restored store work again", opRelease))
}

func (h *host) storeVerb(ctx context.Context, op string) error {
	cfg, err := h.load(true)
	if err != nil {
		return err
	}
	show := func(raw json.RawMessage) error {
		var r storeReport
		if err := json.Unmarshal(raw, &r); err != nil {
			return err
		}
		return h.print("%s\n", r.Text)
	}
	return askOrDo(ctx, cfg.StateDir, op, deskArgs{}, show, func() error {
		return storeError(fileOp(ctx, cfg.StateDir, op, emitTo(show)))
	})
}

// emitTo hands values on in the form in which they come over the socket.
func emitTo(take func(json.RawMessage) error) emitter {
	return func(v any) error {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return take(raw)
	}
}
