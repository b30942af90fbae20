package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rs/zerolog"

	"parley/pkg/gateway"
	"parley/pkg/gateway/modelset"
	"parley/pkg/providers"
	"parley/pkg/providers/check"
)

// modelSet makes the models of the configuration, or finds some where it has none.
func (m models) modelSet(ctx context.Context) (*modelset.Set, error) {
	set, err := modelset.New(ctx, m.setup.cfg, modelset.Options{
		LookupEnv: m.setup.o.LookupEnv, Redactor: m.setup.redactor, Version: gateway.Version(), Log: zerolog.Nop(),
	})
	if err != nil {
		return nil, err
	}
	for _, secret := range set.Secrets() {
		m.setup.redactor.Add(secret)
	}
	return set, nil
}

// models asks each model a small question with tools.
func (m models) ask(ctx context.Context) []Finding {
	set, err := m.modelSet(ctx)
	if err != nil {
		return []Finding{{nameModels, Fail, err.Error(), fmt.Sprintf(textCheckCure, m.setup.program())}}
	}
	var found []Finding
	var names []string
	rows := map[string]modelset.Report{}
	for _, r := range set.Reports() {
		rows[r.Name] = r
		switch {
		case r.Missing:
			found = append(found, Finding{nameModel + r.Name, Skip, textNoKey, ""})
		case r.Speech:
			found = append(found, Finding{nameModel + r.Name, Skip, textSpeech, ""})
		case r.Provider == modelset.Offline && len(m.setup.cfg.Models) == 0:
			found = append(found, Finding{nameModels, Warn, textOnlyOffline, textOnlyOfflineCure})
		case r.Provider == modelset.Offline:
			found = append(found, Finding{nameModel + r.Name, OK, textOffline, ""})
		default:
			names = append(names, r.Name)
		}
	}
	err = set.Try(ctx, names, m.setup.o.Limits.Model, func(r *check.Report) error {
		row := rows[r.Name]
		found = append(found, m.model(r, &row))
		return nil
	})
	if err != nil { // the time of all is over, and not each has its finding
		found = append(found, Finding{nameModels, Fail, err.Error(), fmt.Sprintf(textLateCure, m.setup.program())})
	}
	return found
}

// model judges the answer of a model.
func (m models) model(r *check.Report, row *modelset.Report) Finding {
	name, at := nameModel+r.Name, "models."+r.Name
	if len(m.setup.cfg.Models) == 0 {
		at = textFoundModel
	}
	switch {
	case r.Verdicts[check.Answers] != check.Yes && r.Err != nil:
		said, cure := m.modelError(r, row, at)
		return Finding{name, Fail, said, cure}
	case r.Verdicts[check.Answers] != check.Yes:
		return Finding{name, Fail, textNoAnswer, fmt.Sprintf(textModelsTest, m.setup.program(), r.Name)}
	case r.Verdicts[check.Calls] != check.Yes:
		return Finding{name, Warn, fmt.Sprintf(textNoCalls, r.Model), fmt.Sprintf(textNoCallsCure, at, m.setup.program(), r.Name)}
	}
	return Finding{name, OK, fmt.Sprintf(textModelGood, r.Model, host(row.Server)), ""}
}

// modelError is the fault of a model that gave no answer, and its cure.
func (m models) modelError(r *check.Report, row *modelset.Report, at string) (said, cure string) {
	said = r.Err.Error()
	failure, ok := errors.AsType[*providers.Error](r.Err)
	if !ok {
		return said, fmt.Sprintf(textModelsTest, m.setup.program(), r.Name)
	}
	server := host(row.Server)
	switch failure.Kind {
	case providers.KindAuth:
		cure = fmt.Sprintf(textKeyCure, at, server)
	case providers.KindQuota:
		cure = fmt.Sprintf(textQuotaCure, server)
	case providers.KindNotFound:
		cure = fmt.Sprintf(textNotFoundCure, strings.TrimRight(row.Server, "/")+"/models", at)
	case providers.KindUnreachable:
		cure = fmt.Sprintf(textModelUnreached, server, at)
		if unknownName(r.Err) {
			cure = fmt.Sprintf(textNameCure, server)
		}
	case providers.KindTimeout:
		cure = fmt.Sprintf(textModelLate, m.setup.o.Limits.Model, m.setup.program(), r.Name)
	case providers.KindRateLimited, providers.KindOverloaded:
		cure = textLaterCure
	case providers.KindCut, providers.KindTooLong, providers.KindInvalid, providers.KindFiltered, providers.KindUnusable,
		providers.KindRecited:
		cure = fmt.Sprintf(textModelsTest, m.setup.program(), r.Name)
	}
	return said, cure
}
