package socket

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
)

// ErrGroup says that the group of the configuration cannot be let in.
var ErrGroup = errors.New("admin.group")

// group are the users beside the gateway's own and root who may use the socket; nil is nobody.
type group struct {
	name string
	id   int
}

// groupOf finds a group of the machine by its name or its number; "" is none. A number needs no
// entry in /etc/group: groups of a directory service may be named so.
func groupOf(name string) (*group, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // nil is the group without members
	}
	if id, err := strconv.ParseUint(name, 10, 32); err == nil {
		return &group{name, int(id)}, nil
	}
	g, err := user.LookupGroup(name)
	if _, absent := errors.AsType[user.UnknownGroupError](err); absent {
		return nil, fmt.Errorf(textNoGroup, ErrGroup, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrGroup, name, err)
	}
	id, err := strconv.Atoi(g.Gid)
	return &group{name, id}, err
}

// CheckGroup says why the group of a configuration cannot be let in.
func CheckGroup(name string) error {
	_, err := groupOf(name)
	return err
}

// open lets the group, or only the gateway's own user, reach the socket.
func (g *group) open(stateDir, path string) error {
	const private, shared, passes = 0o600, 0o660, 0o010
	if g == nil {
		return os.Chmod(path, private)
	}
	info, err := os.Stat(stateDir)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Chown(path, -1, g.id), os.Chown(stateDir, -1, g.id)); err != nil {
		return fmt.Errorf(textGroupKept, ErrGroup, g.name, err)
	}
	return errors.Join(os.Chmod(path, shared), os.Chmod(stateDir, info.Mode().Perm()|passes))
}

// own says whether a user is the gateway's own, or root.
func own(uid int) bool { return uid == os.Getuid() || uid == 0 }

// admits is an error for a user who is neither the gateway's own nor root nor in the group.
func (g *group) admits(p *Peer) error {
	if own(p.UID) || g != nil && slices.Contains(p.Groups, g.id) {
		return nil
	}
	return fmt.Errorf(textNotAdmin, p.UID)
}
