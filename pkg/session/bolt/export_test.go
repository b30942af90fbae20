package bolt

// Crash gives the store up as a killed process would: what was accepted is on
// the disk, and there is no mark of a clean end.
func (e *Engine) Crash() {
	e.stop()
	e.workers.Wait()
	if e.endWrites() {
		_ = e.release()
	}
}
