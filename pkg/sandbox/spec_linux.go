package sandbox

// The roles in which this program starts again, as its first argument says.
const (
	roleInit    = "parley-sandbox"         // process 1 of the sandbox
	roleProgram = "parley-sandbox-program" // the role that becomes the program
)

// The files of both roles beside the program's own three.
const (
	specFile   = 3 // the [spec] comes in; for the init it ends with the gateway
	reportFile = 4 // reports go out
	beginFile  = 5 // the program's role says that it has begun
)

// spec are the instructions for the roles.
type spec struct {
	Path   string
	Args   []string // the name included
	Env    []string
	Dir    string
	Unsafe bool
	// Counted: a control group counts all memory of the run.
	Counted bool
	// Mounts are the program's folders beside the system, in their order.
	Mounts    []mount
	Workspace mount
	Hidden    []string
	Network   bool

	Memory, FileSize, Scratch, Disk int64
	Processes, DiskFiles            int
	// Probe, when set, is done in place of the program.
	Probe *probe
}

// shares says whether the program may share memory without a file: if a group counts
// it, and the program cannot hand it to another run, whose group would not. With the
// network, Landlock keeps it from abstract sockets of others since its version 6.
func (s *spec) shares() bool {
	const scoped = 6
	return s.Counted && (!s.Network || landlockVersion() >= scoped)
}

// threads bounds the threads of all processes of a run together.
func (s *spec) threads() int { return 2 * s.Processes }

// numbers is how many processes and threads the kernel gives the sandbox at a time:
// twice the limit of a run, so that a count finds too many before or after the program
// is refused one, and those of the init and of the program's role.
func (s *spec) numbers() int {
	const roles = 32
	return 2*s.threads() + roles
}

// mount makes a path of the machine visible. Source has no symbolic links.
type mount struct {
	Source, Target string
	Writable       bool
}

// report is one line from a role.
type report struct {
	// Error: the program was not run.
	Error string `json:",omitempty"`
	// Ended: it ended with Code.
	Ended bool   `json:",omitempty"`
	Code  int    `json:",omitempty"`
	Limit string `json:",omitempty"`
	// Escapes are the probes that did not fail.
	Escapes []string `json:",omitempty"`
	Probed  bool     `json:",omitempty"`
}
