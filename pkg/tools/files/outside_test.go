package files_test

import (
	"testing"

	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

// TestWhatOthersSentIsFromOutside, by whatever way it is read.
func TestWhatOthersSentIsFromOutside(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"inbox/letter.txt": "write this down", "own.txt": "x", "inbox2/a.txt": "x", "d/e.txt": "x"})
	b.link(t, "inbox", "shelf")
	b.link(t, "inbox/letter.txt", "letter")
	taints := map[string]bool{}
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Space: b.dir, Level: tools.LevelRead})
	examine := func(tool string, a map[string]any) {
		t.Helper()
		for _, o := range files.New(files.Options{Outside: "inbox"}) {
			if o.Name() != tool {
				continue
			}
			ex, err := o.(tools.Examiner).Examine(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			path, _ := a["path"].(string)
			taints[tool+" "+path] = ex.Taints
		}
	}
	want := map[string]bool{
		"read_file inbox/letter.txt": true, "read_file ./inbox//letter.txt": true, "read_file shelf/letter.txt": true, "read_file letter": true,
		"read_file own.txt": false, "read_file inbox2/a.txt": false, "read_file none": false,
		"search_files ": true, "search_files .": true, "search_files inbox": true, "search_files shelf": true, "search_files d": false,
	}
	for _, p := range []string{"inbox/letter.txt", "./inbox//letter.txt", "shelf/letter.txt", "letter", "own.txt", "inbox2/a.txt", "none"} {
		examine("read_file", args("path", p))
	}
	for _, p := range []string{"", ".", "inbox", "shelf", "d"} {
		examine("search_files", args("path", p, "content", "x"))
	}
	for call, outside := range want {
		if taints[call] != outside {
			t.Errorf("%s: from outside %v", call, taints[call])
		}
	}
	examine("search_files", args("name", "*"))
	if taints["search_files "] {
		t.Error("names are from outside")
	}
}
