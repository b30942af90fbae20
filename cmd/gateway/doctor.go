package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/doctor"
)

func newDoctor(h *host) *cobra.Command {
	var asJSON, offline bool
	c := &cobra.Command{
		Use: "doctor", Short: textDoctor, Args: cobra.NoArgs, Long: textDoctorLong,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := doctor.Options{
				Path: h.configFile(), Named: h.configPath != "", Home: h.home, LookupEnv: h.lookupEnv, Redactor: h.newRedactor,
				Offline: offline,
			}
			if asJSON {
				return doctorJSON(cmd.Context(), h, o)
			}
			p := doctor.Printer{W: h.out, Colour: colour(h)}
			sum, err := doctor.Run(cmd.Context(), o, p.Finding)
			return judged(sum, errors.Join(err, p.Summary(sum)))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, textJSON)
	c.Flags().BoolVar(&offline, "offline", false, textDoctorOffline)
	return c
}

// doctorJSON prints the report as one value.
func doctorJSON(ctx context.Context, h *host, o doctor.Options) error {
	report := struct {
		doctor.Summary

		Checks []doctor.Finding `json:"checks"`
	}{}
	var err error
	report.Summary, err = doctor.Run(ctx, o, func(f doctor.Finding) error {
		report.Checks = append(report.Checks, f)
		return nil
	})
	if err != nil {
		return judged(report.Summary, err)
	}
	raw, err := json.Marshal(report)
	if err != nil {
		return err
	}
	return judged(report.Summary, h.printJSON(raw))
}

// judged is the end of the command.
func judged(sum doctor.Summary, err error) error {
	switch {
	case err != nil:
		return admin.WithCode(admin.CodeFailed, err)
	case sum.Fail > 0:
		return &admin.ExitError{Code: admin.CodeFaulty, Silent: true, Err: errors.New(textFaulty)}
	}
	return nil
}

// colour says whether standard output takes the colours of a terminal.
func colour(h *host) bool {
	no, _ := h.lookupEnv("NO_COLOR")
	kind, _ := h.lookupEnv("TERM")
	return h.screen() && no == "" && kind != "" && kind != "dumb"
}
