package sizes_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tools/sizes"
)

func TestModules(t *testing.T) {
	t.Parallel()
	got, err := sizes.Modules(
		strings.NewReader("bin/x: go1.26\n\tpath\tparley/cmd/gateway\n\tmod\tparley\t(devel)\t\n\tdep\tgo.etcd.io/bbolt\tv1.5.0\th1:x=\n"),
	)
	if diff := cmp.Diff([]string{"parley", "go.etcd.io/bbolt"}, got); diff != "" || err != nil {
		t.Errorf("%v; -want +got\n%s", err, diff)
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	const symbols = `
  4a0 100 T parley/pkg/agent.New
  4a1  20 t parley/cmd/gateway.main
  4a2  30 T go.etcd.io/bbolt.(*DB).Update
  4a3   7 R go.etcd.io/bbolt/internal.x
  4a4   5 T gopkg.in/yaml%2ev3.Unmarshal
  4a5   9 T main.main
  4a6  11 T net/http.(*Client).Do
  4a7 999 R go:func.*
  4a8 999 D crypto/internal.memory
  4a9     U _end
  4aa   3 T go.etcd.io/bboltish.New
`
	got, err := sizes.Sum(strings.NewReader(symbols), []string{"parley", "go.etcd.io/bbolt", "gopkg.in/yaml.v3"})
	want := []sizes.Module{{"parley", 129}, {"go.etcd.io/bbolt", 37}, {sizes.Standard, 14}, {"gopkg.in/yaml.v3", 5}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; -want +got\n%s", err, diff)
	}
}
