package job

import (
	"fmt"
	"slices"
	"strings"

	"parley/pkg/agent/named"
	"parley/pkg/session"
	"parley/pkg/text"
)

// Pick finds a job by its id or its name. [session.ErrNotFound]: it is missing;
// [named.ErrAmbiguous]: several have the name.
func Pick(all []session.Job, said string) (session.Job, error) {
	if i := slices.IndexFunc(all, func(j session.Job) bool { return strings.EqualFold(j.ID, strings.TrimSpace(said)) }); i >= 0 {
		return all[i], nil
	}
	var fit []session.Job
	var ids []string
	for i := range all {
		if named.Fits(all[i].Name, said) {
			fit, ids = append(fit, all[i]), append(ids, all[i].ID)
		}
	}
	switch len(fit) {
	case 0:
		return session.Job{}, fmt.Errorf("schedule %s: %w", text.ClipBytes(said, 64), session.ErrNotFound)
	case 1:
		return fit[0], nil
	default:
		return session.Job{}, named.Ambiguous(said, ids)
	}
}
