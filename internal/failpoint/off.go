//go:build !failpoint

package failpoint

// Enabled says whether this build has failpoints.
const Enabled = false

// Hit is empty in this build.
func Hit(string) {}
