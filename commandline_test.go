package parley_test

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const commandLine = "cmd/gateway"

// TestCommandLineImplementsNothing keeps the operations out of the command line, which
// parses, has pkg/gateway or its admin client do the work, and prints: it writes no file,
// starts no program, opens no connection, asks no store and makes no operation. The rooms
// that it may import are in the table of TestImportGraph.
func TestCommandLineImplementsNothing(t *testing.T) {
	t.Parallel()
	for _, r := range productRooms(t) {
		if r.dir == commandLine {
			for _, v := range operationsIn(r) {
				t.Error(v)
			}
			return
		}
	}
	t.Fatalf("there is no %s", commandLine)
}

// TestCommandLineFindsViolations plants work in the command line.
func TestCommandLineFindsViolations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"reads the environment": {
			"import (\"os\"; \"syscall\")\n\nvar home, _ = os.UserHomeDir()\n\n" +
				"func f() (*os.File, syscall.Signal) { return os.Stdout, syscall.SIGTERM }",
			nil,
		},
		"writes to its output": {"import \"os\"\n\nfunc f() error { _, err := os.Stdout.WriteString(\"x\"); return err }", nil},
		"prints a session":     {"import \"parley/pkg/session\"\n\nfunc f(i session.Info) string { return i.Address.Chat }", nil},
		"writes a file": {
			"import \"os\"\n\nfunc f() error { return os.WriteFile(\"x\", nil, 0o600) }",
			[]string{"a.go:5: os.WriteFile works on files"},
		},
		"makes a folder by another name": {
			"import files \"os\"\n\nvar f = files.MkdirAll",
			[]string{"a.go:5: os.MkdirAll works on files"},
		},
		"calls the kernel": {
			"import \"syscall\"\n\nfunc f() error { return syscall.Unlink(\"x\") }",
			[]string{"a.go:5: syscall.Unlink is no signal"},
		},
		"starts a program": {
			"import \"os/exec\"\n\nfunc f() error { return exec.Command(\"x\").Run() }",
			[]string{"a.go:5: os/exec.Command is work for pkg/gateway", "a.go:5: os/exec.Run is work for pkg/gateway"},
		},
		"asks a store": {
			"import \"parley/pkg/session\"\n\nfunc f(e session.Engine) { e.Jobs() }",
			[]string{"a.go:5: pkg/session.Jobs asks a store"},
		},
		"makes an operation": {
			"import \"parley/pkg/gateway/admin\"\n\nvar f = admin.Operation{Handle: nil}",
			[]string{"a.go:5: pkg/gateway/admin.Handle makes an operation"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := plant(t, commandLine, map[string]string{"a.go": "package main\n\n" + c.source + "\n\nfunc main() {}\n"})
			got := operationsIn(r)
			for i := range got {
				got[i] = strings.TrimPrefix(got[i], commandLine+"/")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// operationsIn are the uses of names by which a room would do more than parse and print,
// in order.
func operationsIn(r *room) []string {
	var found []string
	for id, object := range r.info.Uses {
		if object.Pkg() == nil || object.Pkg() == r.types {
			continue
		}
		why := worksBy(object)
		if why == "" {
			continue
		}
		at := r.fset.Position(id.Pos())
		from := strings.TrimPrefix(object.Pkg().Path(), module+"/")
		found = append(found, fmt.Sprintf("%s:%d: %s.%s %s", at.Filename, at.Line, from, object.Name(), why))
	}
	slices.Sort(found)
	return found
}

// worksBy says why an object is not for a command line; "" where it is.
func worksBy(object types.Object) string {
	name, from := object.Name(), object.Pkg().Path()
	ofPackage := object.Parent() == object.Pkg().Scope()
	switch from {
	case "os":
		if ofPackage && !slices.Contains(processNames(), name) {
			return "works on files"
		}
	case "syscall":
		if ofPackage && !strings.HasPrefix(name, "SIG") && name != "Signal" {
			return "is no signal"
		}
	case "os/exec", "net", "net/http", "golang.org/x/sys/unix":
		return "is work for pkg/gateway"
	case module + "/pkg/session":
		if isMethodOfInterface(object) {
			return "asks a store"
		}
	case module + "/pkg/gateway/admin":
		if field, ok := object.(*types.Var); ok && field.IsField() && (name == "Handle" || name == "OnFiles") {
			return "makes an operation"
		}
	}
	return ""
}

// processNames are the names of package os that are about the process. Lstat is for the
// redactor, which takes no place of a file for a secret.
func processNames() []string {
	return []string{
		"Args", "Environ", "ErrNotExist", "Exit", "File", "LookupEnv", "Lstat", "Signal", "Stderr", "Stdin", "Stdout", "UserHomeDir",
	}
}

func isMethodOfInterface(object types.Object) bool {
	f, ok := object.(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return false
	}
	return types.IsInterface(f.Signature().Recv().Type())
}
