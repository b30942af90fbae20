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
		Use: "restore FILE", Short: textRestore, Args: cobra.ExactArgs(1),
		Long: textRestoreLong,
		RunE: func(cmd *cobra.Command, words []string) error {
			cfg, err := h.load(true)
			if err != nil {
				return err
			}
			if err := admin.RestoreStore(cmd.Context(), cfg.StateDir, words[0]); err != nil {
				return err
			}
			return h.print(textRestored, words[0], admin.Program())
		},
	}
	return group("store", textStore,
		storeVerb("check", textStoreCheck, admin.CheckStore()),
		storeVerb("snapshot", textStoreSnapshot, admin.SnapshotStore()),
		restore,
		storeVerb("release", textStoreRelease, admin.ReleaseStore()))
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
