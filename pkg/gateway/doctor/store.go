package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/pkg/audit"
	"parley/pkg/channels"
	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
	"parley/pkg/session/bolt"
	"parley/pkg/session/forgets"
)

// store reads the whole store as store check does: in the gateway that runs, or its file.
func (s *setup) store(ctx context.Context) []Finding {
	var said string
	err := admin.Ask(ctx, s.cfg.StateDir, admin.CheckStore(), admin.Request{}, func(raw json.RawMessage) error {
		var r admin.StoreReport
		err := json.Unmarshal(raw, &r)
		said = r.Text
		return err
	}, nil)
	first, _, _ := strings.Cut(said, "\n")
	switch {
	case err == nil:
		return []Finding{{nameStore, OK, first, ""}}
	case errors.Is(err, bolt.ErrNone):
		return []Finding{{nameStore, OK, textNoStore, ""}}
	case errors.Is(err, bolt.ErrLocked):
		return []Finding{{nameStore, Fail, err.Error(), fmt.Sprintf(textLockedCure, filepath.Join(s.cfg.StateDir, "parley.lock"))}}
	case errors.Is(err, bolt.ErrNewer):
		return []Finding{{nameStore, Fail, err.Error(), textNewerCure}}
	case errors.Is(err, bolt.ErrDir):
		return []Finding{{nameStore, Fail, err.Error(), fmt.Sprintf(textRightsCure, s.cfg.StateDir)}}
	case ctx.Err() != nil:
		return []Finding{{nameStore, Warn, textStoreLate, fmt.Sprintf(textStoreLateCure, s.program())}}
	case held(said):
		return []Finding{{nameStore, Fail, err.Error(), fmt.Sprintf(textHeldCure, s.program())}}
	default:
		return []Finding{{nameStore, Fail, err.Error(), s.restoring()}}
	}
}

// held says of the report of a store that the store is held and has no problem.
func held(said string) bool {
	is := false
	for line := range strings.Lines(said) {
		switch word, _, _ := strings.Cut(line, ":"); word {
		case "held":
			is = true
		case "problem":
			return false
		}
	}
	return is
}

// restoring is the cure of a damaged store.
func (s *setup) restoring() string {
	newest := ""
	names, _ := filepath.Glob(filepath.Join(s.cfg.StateDir, "snapshots", "parley-*.db")) // the pattern is right
	for _, name := range names {
		newest = max(newest, name) // the names are times
	}
	if newest == "" {
		return fmt.Sprintf(textNoSnapshots, s.program())
	}
	return fmt.Sprintf(textRestoreCure, s.program(), newest)
}

// forgetTime is how long a forget may take.
const forgetTime = time.Hour

// gateway tells how the gateway does that runs on the state folder, or whether one could
// write there.
func (s *setup) gateway(ctx context.Context) []Finding {
	r, err := s.running(ctx)
	switch {
	case err != nil:
		return []Finding{{nameGateway, Fail, err.Error(), fmt.Sprintf(textNoAnswerCure, s.program())}}
	case r == nil:
		return s.idle()
	}
	var found []Finding
	for _, trouble := range r.Trouble {
		found = append(found, Finding{nameGateway, Fail, trouble, fmt.Sprintf(textTroubleCure, s.program())})
	}
	for _, c := range r.Channels {
		if c.Health.State != channels.HealthOK {
			name := strings.TrimSuffix(c.Name+"/"+c.Account, "/")
			found = append(found, Finding{
				nameGateway, Warn, fmt.Sprintf(textChannel, name, c.Health.State, c.Health.Reason), fmt.Sprintf(textTroubleCure, s.program()),
			})
		}
	}
	found = append(found, s.forgetting(r.Forgetting)...)
	for _, slow := range r.Slow {
		said := fmt.Sprintf(textSlow, slow.Address.Channel, slow.Since.Format(time.DateTime), slow.Stage)
		found = append(found, Finding{nameGateway, Warn, said, textSlowCure})
	}
	if r.Version != gateway.Version() {
		found = append(found, Finding{nameGateway, Warn, fmt.Sprintf(textOtherVersion, r.PID, r.Version, gateway.Version()), textRestartCure})
	}
	if len(found) == 0 {
		found = []Finding{{nameGateway, OK, fmt.Sprintf(textRuns, r.PID, r.Since.Format(time.DateTime)), ""}}
	}
	return found
}

// forgetting tells of forgets that are under way, and of those that take too long.
func (s *setup) forgetting(since []time.Time) []Finding {
	if len(since) == 0 {
		return nil
	}
	said := fmt.Sprintf(textForgetting, admin.Count(len(since), "chat", "chats"), since[0].Local().Format(time.DateTime))
	if time.Since(since[0]) > forgetTime {
		return []Finding{{nameGateway, Warn, said, fmt.Sprintf(textForgettingCure, s.program())}}
	}
	return []Finding{{nameGateway, OK, said, ""}}
}

// idle says whether a gateway could start.
func (s *setup) idle() []Finding {
	dir := s.cfg.StateDir
	if err := bolt.Writable(dir); err != nil {
		return []Finding{{nameGateway, Fail, err.Error(), fmt.Sprintf(textRightsCure, dir)}}
	}
	if err := audit.Writable(admin.AuditDir(dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return []Finding{{nameGateway, Fail, fmt.Sprintf(textNoAudit, err), fmt.Sprintf(textRightsCure, admin.AuditDir(dir))}}
	}
	ledger, err := forgets.Open(dir)
	if err != nil {
		return []Finding{{nameGateway, Fail, err.Error(), fmt.Sprintf(textLedgerCure, dir)}}
	}
	var since []time.Time
	under := ledger.Unfinished()
	for i := range under {
		since = append(since, under[i].Time)
	}
	return append(s.forgetting(since), Finding{nameGateway, OK, fmt.Sprintf(textIdle, s.program()), ""})
}
