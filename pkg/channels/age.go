package channels

import (
	"context"
	"fmt"
	"time"

	"parley/pkg/text"
)

// LateAfter is the age above which a message states its own age, or an answer that of
// its question: the gateway, or a server that it needs, was down, and the person may
// have moved on.
const LateAfter = 10 * time.Minute

// age lets a late message begin with its age, if it asks for that and no part of it can have left.
func (r *delivering) age(work context.Context, first *Part) error {
	o := &r.info.Outbound
	old := time.Since(o.Time)
	if !o.Aged || first.Index > 0 || r.known.ambiguous > 0 || o.File != nil || old <= LateAfter {
		return nil
	}
	ago := text.Ago(old)
	if r.aged == ago {
		return nil
	}
	r.aged = ago
	r.parts = r.egress.cut(fmt.Sprintf(textSentLate, ago) + o.Text)
	if err := r.note(work); err != nil {
		return err
	}
	*first = r.build(0)
	return nil
}
