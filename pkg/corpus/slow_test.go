package corpus_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/corpus"
)

// TestASlowCorpusHoldsUpNoOther: while its files are read, those that are gone elsewhere are noticed.
func TestASlowCorpusHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const files, each = 200, 3 * time.Second
		top := t.TempDir()
		docs, slow := filepath.Join(top, "docs"), filepath.Join(top, "slow")
		page := filepath.Join(docs, "a.md")
		err := errors.Join(os.Mkdir(docs, 0o700), os.Mkdir(slow, 0o700), os.WriteFile(page, []byte("alpacas graze"), 0o600))
		for i := range files {
			err = errors.Join(err, os.WriteFile(filepath.Join(slow, fmt.Sprintf("%03d.pdf", i)), nil, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		read := func(ctx context.Context, name string, _ *os.File) (corpus.Text, error) {
			pause := time.NewTimer(each)
			defer pause.Stop()
			if name == "000.pdf" || name == "001.pdf" || name == "002.pdf" {
				<-ctx.Done() // not before its time is over
				return corpus.Text{}, ctx.Err()
			}
			<-pause.C
			return corpus.Text{Text: "badgers dig"}, nil
		}
		l := corpus.New(corpus.Options{
			Path: filepath.Join(top, "index"), Read: read, Log: zerolog.Nop(),
			Folders: []corpus.Folder{{Name: "docs", Dir: docs}, {Name: "slow", Dir: slow}},
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			l.Run(ctx)
		}()
		after := func(d time.Duration) (corpus.State, corpus.State) {
			<-time.After(d)
			states := l.States([]string{"docs", "slow"})
			return states[0], states[1]
		}
		if d, s := after(10 * time.Second); d.Files != 1 || d.Looked.IsZero() || !s.Looked.IsZero() {
			t.Errorf("at first: %+v, %+v", d, s)
		}
		if err := os.Remove(page); err != nil {
			t.Error(err)
		}
		if d, s := after(5 * time.Minute); d.Files != 0 || s.Waiting == 0 || s.Files == 0 {
			t.Errorf("the removal is not seen before the end of the slow corpus: %+v, %+v", d, s)
		}
		if _, s := after(time.Hour); s.Files != files-3 || len(s.Unread) != 3 || s.Looked.IsZero() {
			t.Errorf("at last: %+v", s)
		}
		cancel()
		<-ended
	})
}
