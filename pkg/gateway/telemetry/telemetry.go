package telemetry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/durable"
	"parley/pkg/tools"
)

const (
	// MostDays is how many days are kept, today among them.
	MostDays = 90
	// UsualDays are those of a question that names no number.
	UsualDays = 7
	// The rows of a day: calls of further tools count under [Others].
	mostRows = 2000
	mostFile = 16 << 20 // bytes that are read of a file
	every    = time.Minute
	ending   = ".json"
)

// Others is the tool of the calls that a full day has no row for.
const Others = "(others)"

// Row are the calls of a tool that a model made on a day.
type Row struct {
	// Day is YYYY-MM-DD, in UTC; "" in a sum of days.
	Day string `json:"day,omitempty"`
	// Tool is "" for names without a tool, and Model for calls that no model made.
	Tool  string `json:"tool"`
	Model string `json:"model,omitempty"`
	// Offered are the requests to the model that had the tool, Picks the calls that it wrote,
	// Denied those that a person did not allow.
	Offered uint64 `json:"offered"`
	Picks   uint64 `json:"picks"`
	Denied  uint64 `json:"denied"`
	// Runs are the calls that were run, Memo those answered from memory instead.
	Runs uint64 `json:"runs"`
	Memo uint64 `json:"memo"`
	// Refused are calls that did not run, Errors runs that failed, by the type of the failure.
	Refused map[string]uint64 `json:"refused"`
	Errors  map[string]uint64 `json:"errors"`
	// Total is the time of the runs, in nanoseconds.
	Total time.Duration `json:"total"`
}

// add adds n times the counts of another row, where n is 1 or the negative 1.
func (r *Row) add(o *Row, n uint64) {
	r.Offered, r.Picks, r.Denied = r.Offered+n*o.Offered, r.Picks+n*o.Picks, r.Denied+n*o.Denied
	r.Runs, r.Memo, r.Total = r.Runs+n*o.Runs, r.Memo+n*o.Memo, r.Total+time.Duration(n)*o.Total //nolint:gosec // 1 or -1
	r.Refused, r.Errors = sum(r.Refused, o.Refused, n), sum(r.Errors, o.Errors, n)
}

func sum(a, b map[string]uint64, n uint64) map[string]uint64 {
	all := map[string]uint64{}
	maps.Copy(all, a)
	for kind, count := range b {
		if all[kind] += n * count; all[kind] == 0 {
			delete(all, kind)
		}
	}
	return all
}

func (r *Row) empty() bool {
	return r.Offered+r.Picks+r.Denied+r.Runs+r.Memo == 0 && r.Total == 0 && len(r.Refused)+len(r.Errors) == 0
}

// key names a row of a day.
type key struct{ tool, model string }

// counts are the rows of a day, or those of the process.
type counts map[key]Row

// Options are the parts of a [Log]; all are required.
type Options struct {
	// Dir is the folder of the files; the first one makes it.
	Dir string
	// Counts are those of this process since its start.
	Counts func() []tools.Stats
	Now    func() time.Time
	Log    zerolog.Logger
}

// Log keeps the counts of one process. Two processes never have one folder.
type Log struct {
	o Options

	mu sync.Mutex
	// written are the counts of the process that the files have.
	written counts
	// pruned is the day on which old files were removed.
	pruned string
}

// New keeps counts from now on.
func New(o Options) *Log { return &Log{o: o, written: counts{}} }

// Run writes the counts each minute, and once more when ctx ends.
func (l *Log) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		if err := l.Flush(); err != nil {
			l.o.Log.Warn().Err(err).Msg("the counts of the tools cannot be written; they are kept in memory for the next time")
		}
	}
}

// Flush writes the counts that no file has yet to that of today.
func (l *Log) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, day := l.now(), l.o.Now().UTC().Format(time.DateOnly)
	news := counts{}
	for k, row := range now {
		old := l.written[k]
		if row.add(&old, ^uint64(0)); !row.empty() {
			news[k] = row
		}
	}
	if len(news) == 0 {
		return nil
	}
	rows, err := l.read(day)
	if errors.Is(err, errDamaged) {
		l.o.Log.Error().Err(err).Str("file", l.path(day)).Msg("the counts of the tools of a day cannot be read: their file is set aside")
		rows, err = counts{}, os.Rename(l.path(day), l.path(day)+".damaged")
	}
	if err != nil {
		return err
	}
	for k, row := range news {
		if _, known := rows[k]; !known && len(rows) >= mostRows {
			k = key{tool: Others}
		}
		sum := rows[k]
		sum.add(&row, 1)
		sum.Day, sum.Tool, sum.Model = day, k.tool, k.model
		rows[k] = sum
	}
	if err := l.write(day, rows); err != nil {
		return err
	}
	if l.written = now; l.pruned != day {
		l.pruned = day
		l.prune()
	}
	return nil
}

// now are the counts of the process.
func (l *Log) now() counts {
	all := counts{}
	for _, s := range l.o.Counts() {
		all[key{s.Tool, s.Model}] = Row{
			Tool: s.Tool, Model: s.Model, Offered: s.Offered, Picks: s.Picks, Denied: s.Denied, Runs: s.Runs, Memo: s.Memo,
			Refused: byWord(s.Refused), Errors: byWord(s.Errors), Total: s.Total,
		}
	}
	return all
}

func byWord[T ~string](by map[T]uint64) map[string]uint64 {
	all := map[string]uint64{}
	for kind, n := range by {
		all[string(kind)] = n
	}
	return all
}

func (l *Log) path(day string) string { return filepath.Join(l.o.Dir, day+ending) }

// errDamaged is for a file that holds no rows.
var errDamaged = errors.New("the file holds no counts")

// read reads the rows of a day: none where it has no file.
func (l *Log) read(day string) (counts, error) {
	f, err := os.Open(l.path(day))
	if errors.Is(err, fs.ErrNotExist) {
		return counts{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	var rows []Row
	if err := json.NewDecoder(io.LimitReader(f, mostFile)).Decode(&rows); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	all := counts{}
	for i := range rows {
		all[key{rows[i].Tool, rows[i].Model}] = rows[i]
	}
	return all, nil
}

func (l *Log) write(day string, rows counts) error {
	if err := os.MkdirAll(l.o.Dir, 0o700); err != nil {
		return err
	}
	all := sorted(slices.Collect(maps.Values(rows)))
	return durable.Replace(l.path(day), func(w io.Writer) error { return json.NewEncoder(w).Encode(all) })
}

func sorted(all []Row) []Row {
	slices.SortFunc(all, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Model, b.Model))
	})
	return all
}

// prune removes the files of days that are too long ago.
func (l *Log) prune() {
	entries, err := os.ReadDir(l.o.Dir)
	if err != nil {
		return // there are none yet
	}
	first := l.o.Now().UTC().AddDate(0, 0, 1-MostDays).Format(time.DateOnly)
	for _, e := range entries {
		if e.Name() >= first {
			continue
		}
		if err := os.Remove(filepath.Join(l.o.Dir, e.Name())); err != nil {
			l.o.Log.Warn().Err(err).Msg("old counts of the tools cannot be removed")
		}
	}
}

// Days are the rows of the last days, today among them, of one to [MostDays]; in order of day, tool and
// model. What the process has counted since the last write is among them.
func (l *Log) Days(days int) []Row {
	if err := l.Flush(); err != nil {
		l.o.Log.Warn().Err(err).Msg("the counts of the tools cannot be written")
	}
	var all []Row
	today := l.o.Now().UTC()
	for ago := range min(max(days, 1), MostDays) {
		rows, err := l.read(today.AddDate(0, 0, -ago).Format(time.DateOnly))
		if err != nil {
			l.o.Log.Warn().Err(err).Msg("the counts of the tools of a day cannot be read")
			continue
		}
		all = slices.AppendSeq(all, maps.Values(rows))
	}
	return sorted(all)
}

// Sum are the sums of rows over their days, in order of tool and model.
func Sum(rows []Row) []Row {
	sums := counts{}
	for i := range rows {
		k := key{rows[i].Tool, rows[i].Model}
		sum := sums[k]
		sum.add(&rows[i], 1)
		sum.Tool, sum.Model = k.tool, k.model
		sums[k] = sum
	}
	return sorted(slices.Collect(maps.Values(sums)))
}

// String is the row's calls on one line.
func (r *Row) String() string {
	line := []string{
		fmt.Sprintf("offered %d", r.Offered), fmt.Sprintf("picked %d", r.Picks), fmt.Sprintf("denied %d", r.Denied),
		fmt.Sprintf("run %d", r.Runs),
	}
	if r.Memo > 0 {
		line = append(line, fmt.Sprintf("from memory %d", r.Memo))
	}
	line = append(line, kinds("refused", r.Refused), kinds("failed", r.Errors))
	if r.Runs > 0 {
		average := r.Total / time.Duration(r.Runs) //nolint:gosec // far below its largest value
		line = append(line, fmt.Sprint(average.Round(time.Microsecond), " on average"))
	}
	return strings.Join(line, ", ")
}

// kinds are a number of failures with their types.
func kinds(word string, by map[string]uint64) string {
	var all uint64
	var each []string
	for _, kind := range slices.Sorted(maps.Keys(by)) {
		all += by[kind]
		each = append(each, fmt.Sprintf("%d %s", by[kind], kind))
	}
	if all == 0 {
		return word + " 0"
	}
	return fmt.Sprintf("%s %d (%s)", word, all, strings.Join(each, ", "))
}
