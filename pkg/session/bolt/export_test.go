package bolt

import "context"

// RestoreBy is Restore where link gives a file a second name.
func RestoreBy(ctx context.Context, dir, snap string, link func(from, to string) error) error {
	return restore(ctx, dir, snap, link, nil)
}
