package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"parley/pkg/gateway/admin"
)

func newStore(h *host) *cobra.Command {
	storeVerb := func(use, short string, op admin.Operation) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return h.storeVerb(cmd.Context(), op) },
		}
	}
	restore := &cobra.Command{
		Use: "restore FILE", Short: "Replace the store by a snapshot; the present one is kept beside it", Args: cobra.ExactArgs(1),
		Long: `Replaces the store by a snapshot while no gateway runs. The present file is kept
under another name. The restored store is held: nothing that waits in it is run
or sent until the verb release, because it may have been done already.`,
		RunE: func(cmd *cobra.Command, words []string) error {
			cfg, err := h.load(true)
			if err != nil {
				return err
			}
			if err := admin.RestoreStore(cmd.Context(), cfg.StateDir, words[0]); err != nil {
				return err
			}
			return h.print("restored from %s; look at it with %[2]s sessions list, then run %[2]s store release\n", words[0], admin.Program())
		},
	}
	return group("store", "Check, save, restore or release the store",
		storeVerb("check", "Read the whole store and say what is wrong with it", admin.CheckStore()),
		storeVerb("snapshot", "Save a copy of the store in the state folder", admin.SnapshotStore()),
		restore,
		storeVerb("release", "Let a restored store work again", admin.ReleaseStore()))
}

func (h *host) storeVerb(ctx context.Context, op admin.Operation) error {
	return h.operate(ctx, op, admin.Request{}, func(raw json.RawMessage) error {
		var r admin.StoreReport
		if err := json.Unmarshal(raw, &r); err != nil {
			return err
		}
		return h.print("%s\n", r.Text)
	})
}
