package kill_test

import (
	"testing"

	"parley/internal/test/loopchat"
	"parley/internal/test/loopchat/server"
)

// TestCrashesInRecoveryCountAsOne kills the gateway while its turns run and then,
// twenty times, each time that it has marked its suspects and before any of them runs.
// Three crashes of a turn would set its items aside: here all must stay.
func TestCrashesInRecoveryCountAsOne(t *testing.T) {
	t.Parallel()
	const chats, crashes = 3, 20
	w := newWorld(t, server.Options{})
	release := w.model.hold()
	p := w.start("")
	w.running(chats)
	p.Kill()
	w.crashed()
	for range crashes {
		w.died(w.start(inRecovery+":1"), inRecovery)
	}
	release()
	p = w.start("")
	w.answered()
	st, err := w.gw.Status(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if st.Quarantined > 0 || st.Waiting > 0 || st.Suspects > 0 {
		t.Errorf("%d items were set aside, %d wait, %d chats are suspects", st.Quarantined, st.Waiting, st.Suspects)
	}
	w.terminate(p)
	w.storeCheck()
	row := w.check()
	if row.window > 0 {
		t.Errorf("%d answers came twice, and no process died over one", row.window)
	}
	row.channel, row.point = loopchat.Name, inRecovery
	summary.add(row)
}
