package console

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// TestOutputWaitsForItsTerminal, for a second once the console is to end, and then no more.
func TestOutputWaitsForItsTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		defer func() { _ = reader.Close() }()
		ends := make(chan struct{})
		o := &output{to: writer, ends: ends}
		began := time.Now()
		go func() {
			<-time.After(time.Hour)
			_, _ = io.ReadFull(reader, make([]byte, len("shown")))
		}()
		if n, err := o.Write([]byte("shown")); n != len("shown") || err != nil || time.Since(began) != time.Hour {
			t.Errorf("%d bytes, %v, after %v", n, err, time.Since(began))
		}
		began = time.Now()
		time.AfterFunc(time.Minute, func() { close(ends) })
		if _, err := o.Write([]byte("not shown")); !errors.Is(err, errStuck) || time.Since(began) != time.Minute+leaveTime {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		began = time.Now()
		if _, err := o.Write([]byte("not shown")); !errors.Is(err, errStuck) || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
