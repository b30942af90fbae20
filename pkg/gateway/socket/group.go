package socket

import (
	"errors"
	"fmt"
	"net"
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

// groupOf finds a group of the machine; "" is none.
func groupOf(name string) (*group, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // nil is the group without members
	}
	g, err := user.LookupGroup(name)
	if err != nil {
		return nil, fmt.Errorf(textNoGroup, ErrGroup, name, err)
	}
	id, err := strconv.Atoi(g.Gid)
	return &group{name, id}, err
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

// admits is an error for a connection of another user, unless that is root or in the group.
func (g *group) admits(conn *net.UnixConn) error {
	id, err := peerOf(conn)
	if err != nil {
		return err
	}
	if id == os.Getuid() || id == 0 || g.has(id) {
		return nil
	}
	return fmt.Errorf(textNotAdmin, id)
}

// has says whether a user is in the group, as the machine knows it now.
func (g *group) has(id int) bool {
	if g == nil {
		return false
	}
	u, err := user.LookupId(strconv.Itoa(id))
	if err != nil {
		return false
	}
	all, err := u.GroupIds()
	return err == nil && slices.Contains(all, strconv.Itoa(g.id))
}
