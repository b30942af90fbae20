package approval

import (
	"time"

	"parley/pkg/session"
)

// Time is how long a question may be answered.
const Time = 10 * time.Minute

// Lapsed reports whether the time to answer a question is over. A clock that was put
// back gives it no more.
func Lapsed(a *session.Approval, now time.Time) bool {
	return now.Before(a.Asked) || !now.Before(a.Expires)
}
