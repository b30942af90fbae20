package clock_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/pkg/tools"
	"parley/pkg/tools/clock"
)

func registry(now func() time.Time) *tools.ToolRegistry {
	r := tools.NewToolRegistry()
	r.Register(clock.New(now))
	return r
}

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

func TestCurrentTime(t *testing.T) {
	t.Parallel()
	utc := time.Date(2026, 7, 4, 22, 30, 15, 999, time.UTC)
	tests := []struct {
		name string
		now  time.Time
		args map[string]any
		want string
	}{
		{"default", utc, nil, `{"time":"2026-07-04T22:30:15Z","timezone":"UTC","weekday":"Saturday","unix":1783204215,"utc_offset":"+00:00"}`},
		{"empty", utc, map[string]any{"timezone": ""}, `{"time":"2026-07-04T22:30:15Z","timezone":"UTC","weekday":"Saturday","unix":1783204215,"utc_offset":"+00:00"}`},
		{
			"the next day", utc,
			map[string]any{"timezone": "Asia/Tokyo"},
			`{"time":"2026-07-05T07:30:15+09:00","timezone":"Asia/Tokyo","weekday":"Sunday","unix":1783204215,"utc_offset":"+09:00"}`,
		},
		{
			"half an hour", utc,
			map[string]any{"timezone": "Asia/Kolkata"},
			`{"time":"2026-07-05T04:00:15+05:30","timezone":"Asia/Kolkata","weekday":"Sunday","unix":1783204215,"utc_offset":"+05:30"}`,
		},
		{
			"summer", utc,
			map[string]any{"timezone": "America/New_York"},
			`{"time":"2026-07-04T18:30:15-04:00","timezone":"America/New_York","weekday":"Saturday","unix":1783204215,"utc_offset":"-04:00"}`,
		},
		{
			"winter", utc.AddDate(0, -6, 0),
			map[string]any{"timezone": "America/New_York"},
			`{"time":"2026-01-04T17:30:15-05:00","timezone":"America/New_York","weekday":"Sunday","unix":1767565815,"utc_offset":"-05:00"}`,
		},
		{
			"a clock elsewhere", utc.In(time.FixedZone("XYZ", 3600)), nil,
			`{"time":"2026-07-04T23:30:15+01:00","timezone":"XYZ","weekday":"Saturday","unix":1783204215,"utc_offset":"+01:00"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res := registry(at(tt.now)).Execute(t.Context(), "current_time", tt.args)
			if diff := cmp.Diff(tt.want, res.ForLLM); diff != "" || res.IsError {
				t.Error(diff)
			}
		})
	}
}

func TestUnknownZones(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{
		"Atlantis", "Local", "local", "../../etc/passwd", "/etc/localtime",
		"Europe/../../etc/passwd", "Europe", "\x00", string(make([]byte, 100)),
	} {
		res := registry(time.Now).Execute(t.Context(), "current_time", map[string]any{"timezone": zone})
		var e struct{ Type string }
		if err := json.Unmarshal([]byte(res.ForLLM), &e); err != nil || e.Type != string(tools.ErrInvalidArguments) {
			t.Errorf("%q: %s", zone, res.ForLLM)
		}
	}
}

// TestLocalZoneHasAName keeps the word Local, which is useless to a model, out of answers.
func TestLocalZoneHasAName(t *testing.T) {
	t.Parallel()
	now := time.Now()
	res := registry(at(now)).Execute(t.Context(), "current_time", nil)
	var got struct {
		Time     time.Time
		Timezone string
		Unix     int64
	}
	if err := json.Unmarshal([]byte(res.ForLLM), &got); err != nil {
		t.Fatal(err)
	}
	if want, _ := now.Zone(); got.Timezone != want || got.Unix != now.Unix() || got.Time.Unix() != now.Unix() {
		t.Errorf("got %+v, want zone %s", got, want)
	}
}

func TestAgreesInEveryZone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		unix := rapid.Int64Range(0, 4e9).Draw(t, "unix")
		zone := rapid.SampledFrom([]string{
			"UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Kiritimati", "Africa/Casablanca",
		}).Draw(t,
			"zone")
		res := registry(at(time.Unix(unix, 0))).Execute(t.Context(), "current_time", map[string]any{"timezone": zone})
		var got struct {
			Time     time.Time
			Weekday  string
			Timezone string
			Unix     int64
			Offset   string `json:"utc_offset"`
		}
		if err := json.Unmarshal([]byte(res.ForLLM), &got); err != nil {
			t.Fatalf("%v in %s", err, res.ForLLM)
		}
		if got.Unix != unix || got.Time.Unix() != unix || got.Timezone != zone ||
			got.Weekday != got.Time.Weekday().String() || got.Offset != got.Time.Format("-07:00") {
			t.Fatalf("got %+v", got)
		}
	})
}

// TestBringsItsOwnZones checks the dependencies of the package: on a machine with
// zones of its own, only these tell whether the zones come with the program.
func TestBringsItsOwnZones(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(strings.Fields(string(out)), "time/tzdata") {
		t.Error("time/tzdata is not linked in")
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	if a := tools.AnnotationsOf(clock.New(time.Now)); !a.ReadOnly || !a.Idempotent || a.Level != tools.LevelChat {
		t.Errorf("annotations %+v", a)
	}
}
