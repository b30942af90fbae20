package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/pkg/config"
	"parley/pkg/gateway"
)

func newModels(h *host) *cobra.Command {
	return group("models", textModels, newModelsList(h), newModelsTest(h))
}

// newModelsTest asks the models what they can do.
func newModelsTest(h *host) *cobra.Command {
	return &cobra.Command{
		Use: "test [NAME]", Short: textModelsTest, Args: cobra.MaximumNArgs(1), Long: textModelsTestLong,
		RunE: func(cmd *cobra.Command, words []string) error {
			cfg, err := h.load(false)
			if err != nil {
				return err
			}
			o, err := h.modelOptions(cfg)
			if err != nil {
				return err
			}
			return gateway.TestModels(cmd.Context(), cfg, o, strings.Join(words, ""), plain{h.out})
		},
	}
}

// newModelsList lists the models. It needs no running gateway: the configuration tells them.
func newModelsList(h *host) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "list", Short: textModelsList, Args: cobra.NoArgs, Long: textModelsListLong,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := h.load(false)
			if err != nil {
				return err
			}
			o, err := h.modelOptions(cfg)
			if err != nil {
				return err
			}
			table := tabwriter.NewWriter(plain{h.out}, 0, 0, 2, ' ', 0)
			err = gateway.ListModels(cmd.Context(), cfg, o, func(r gateway.ModelReport) error {
				if !asJSON {
					_, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", inCell(r.Name), inCell(r.Model), inCell(r.Server), modelState(&r))
					return err
				}
				raw, err := json.Marshal(r)
				if err != nil {
					return err
				}
				return h.printJSON(raw)
			})
			return errors.Join(table.Flush(), err)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, textJSONLines)
	return c
}

// modelOptions are the needs of commands that look at models.
func (h *host) modelOptions(cfg *config.Config) (gateway.Options, error) {
	h.redactor = h.newRedactor(cfg)
	log, err := h.logger(cfg, "warn")
	return gateway.Options{LookupEnv: h.lookupEnv, Log: log, Redactor: h.redactor}, err
}

// modelState tells the uses of a model, or that it cannot be used.
func modelState(r *gateway.ModelReport) string {
	state := strings.Join(r.Uses, ", ")
	if state == "" {
		state = textModelByChoice
	}
	if r.Missing {
		state += textModelNoKey
	}
	return state
}
