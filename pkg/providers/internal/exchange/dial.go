package exchange

import (
	"context"
	"io"
	"net"
	"sync"
)

// dialing makes connections that send large requests without a buffer of their own
// for each: net/http hands the rest of a body that its own buffer does not hold to
// the connection, and that of the standard library then allocates 32 KiB.
func dialing(
	dial func(ctx context.Context, network, addr string) (net.Conn, error),
) func(ctx context.Context, network, addr string) (net.Conn, error) {
	buffers := &sync.Pool{New: func() any { return new([32 << 10]byte) }}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &conn{Conn: c, buffers: buffers}, nil
	}
}

type conn struct {
	net.Conn

	buffers *sync.Pool
}

// ReadFrom implements [io.ReaderFrom].
func (c *conn) ReadFrom(r io.Reader) (int64, error) {
	buf, ok := c.buffers.Get().(*[32 << 10]byte)
	if !ok {
		return io.Copy(struct{ io.Writer }{c.Conn}, r)
	}
	defer c.buffers.Put(buf)
	return io.CopyBuffer(struct{ io.Writer }{c.Conn}, struct{ io.Reader }{r}, buf[:])
}
