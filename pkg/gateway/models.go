package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/modelset"
	"parley/pkg/providers/check"
	"parley/pkg/session"
)

// chooseModel makes the models. An App that operates asks none.
func (a *App) chooseModel(ctx context.Context) (err error) {
	if a.o.Operate {
		a.models = modelset.Builtin(Version())
		return nil
	}
	a.models, err = modelset.New(ctx, a.cfg, modelset.Options{
		LookupEnv: a.o.LookupEnv, Known: a.policy.Addresses, Redactor: a.o.Redactor, Version: Version(), Log: a.o.Log,
	})
	if err != nil {
		return err
	}
	for _, secret := range a.models.Secrets() {
		a.o.Redactor.Add(secret)
	}
	return nil
}

// Introduction is the first line on screen: the model that answers, in the console where it runs, the
// reason, further models that were found, and the address of the page. The path is the one of the
// configuration.
func (a *App) Introduction(ctx context.Context, configPath string) string {
	introduction := modelLine(ctx, a, configPath)
	if page := a.front.page(); page != nil {
		introduction += fmt.Sprintf(textPageAt, page.Address(), admin.Program())
	}
	return introduction
}

// modelLine tells the model that answers.
func modelLine(ctx context.Context, a *App, configPath string) string {
	from := a.models.Origin()
	if a.o.Console {
		at := consoleChat()
		info, err := a.store.Sessions().Lookup(ctx, at)
		if err != nil && !errors.Is(err, session.ErrNotFound) {
			a.o.Log.Warn().Err(err).Msg("the model that the console has chosen cannot be read")
		}
		from = a.models.OriginAt(at, info.Model)
	}
	switch {
	case from.Chosen:
		return fmt.Sprintf(textModelChosen, from.Name)
	case from.Configured:
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
// writes a table of the verdicts, row by row as they come. A model that cannot use tools
// makes it an error.
func TestModels(ctx context.Context, cfg *config.Config, o Options, name string, w io.Writer) error {
	models, err := modelset.New(ctx, cfg, modelset.Options{
		LookupEnv: o.LookupEnv, Redactor: o.Redactor, Version: Version(), Log: o.Log,
	})
	if err != nil {
		return admin.WithCode(admin.CodeUsage, err)
	}
	for _, secret := range models.Secrets() {
		o.Redactor.Add(secret)
	}
	names, err := models.Checked(name)
	if err != nil {
		return admin.WithCode(admin.CodeUsage, err)
	}
	table, err := check.NewTable(redacting{w, o.Redactor.Redact}, names)
	if err != nil {
		return admin.WithCode(admin.CodeFailed, err)
	}
	failed := false
	err = models.Check(ctx, names, func(r *check.Report) error {
		failed = failed || !r.WellFormed()
		return table.Add(r)
	})
	if err == nil && name == "" {
		for _, left := range models.Left() {
			table.Note(fmt.Sprintf(textModelLeft, left))
		}
	}
	if err := errors.Join(err, table.End()); err != nil {
		return admin.WithCode(admin.CodeFailed, err)
	}
	if failed {
		return &admin.ExitError{Code: admin.CodeFailed, Silent: true, Err: errors.New(textModelsFail)}
	}
	return nil
}

// redacting writes texts without secrets. Each call of Write has whole lines.
type redacting struct {
	w      io.Writer
	redact func(string) string
}

// Write implements [io.Writer].
func (r redacting) Write(p []byte) (int, error) {
	if _, err := io.WriteString(r.w, r.redact(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
