package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/modelset"
	"parley/pkg/providers/check"
)

// chooseModel makes the models. An App that operates asks none.
func (a *App) chooseModel(ctx context.Context) (err error) {
	if a.o.Operate {
		a.models = modelset.Builtin(Version())
		return nil
	}
	a.models, err = modelset.New(ctx, a.cfg, modelset.Options{
		LookupEnv: a.o.LookupEnv, Known: a.policy.Addresses, Version: Version(), Log: a.o.Log,
	})
	if err != nil {
		return err
	}
	for _, secret := range a.models.Secrets() {
		a.o.Redactor.Add(secret)
	}
	return nil
}

// Introduction is the first line on screen: the model that answers, the reason, and
// further models that were found. The path is the one of the configuration.
func (a *App) Introduction(configPath string) string {
	from := a.models.Origin()
	if from.Configured {
		return fmt.Sprintf(textModelNamed, from.Name, from.Why, configPath)
	}
	also := ""
	if len(from.Also) > 0 {
		also = fmt.Sprintf(textModelAlso, strings.Join(from.Also, ", "))
	}
	return fmt.Sprintf(textModelFound, from.Name, from.Why, also, configPath, admin.Program())
}

// ModelReport is a model with its uses.
type ModelReport = modelset.Report

// ListModels emits the models of a configuration, or those that are found without any, in
// the order of /model.
func ListModels(ctx context.Context, cfg *config.Config, o Options, emit func(ModelReport) error) error {
	models, err := modelset.New(ctx, cfg, modelset.Options{LookupEnv: o.LookupEnv, Version: Version(), Log: o.Log})
	if err != nil {
		return admin.WithCode(admin.CodeUsage, err)
	}
	for _, r := range models.Reports() {
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

// TestModels asks each model of a configuration what it can do, or the one of a name, and
// writes a table of the verdicts. A model that cannot use tools makes it an error.
func TestModels(ctx context.Context, cfg *config.Config, o Options, name string, w io.Writer) error {
	models, err := modelset.New(ctx, cfg, modelset.Options{LookupEnv: o.LookupEnv, Version: Version(), Log: o.Log})
	if err != nil {
		return admin.WithCode(admin.CodeUsage, err)
	}
	for _, secret := range models.Secrets() {
		o.Redactor.Add(secret)
	}
	reports, err := models.Check(ctx, name)
	if err != nil {
		return admin.WithCode(admin.CodeUsage, err)
	}
	var table bytes.Buffer
	if err := check.Print(&table, reports); err != nil {
		return err
	}
	if _, err := io.WriteString(w, o.Redactor.Redact(table.String())); err != nil {
		return admin.WithCode(admin.CodeFailed, err)
	}
	if slices.ContainsFunc(reports, func(r check.Report) bool { return !r.WellFormed() }) {
		return &admin.ExitError{Code: admin.CodeFailed, Silent: true, Err: errors.New(textModelsFail)}
	}
	return ctx.Err()
}
