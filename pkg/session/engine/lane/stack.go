package lane

// turnStack is how much of its stack a turn uses.
const turnStack = 14 << 10

// growStack makes the stack of the goroutine as large as a turn needs it. A stack that grows in the
// middle of a turn is copied once or twice with all frames on it.
//
//go:noinline
func growStack() byte {
	var frame [turnStack]byte
	return touch(&frame)
}

// touch keeps the frame from being left out.
//
//go:noinline
func touch(frame *[turnStack]byte) byte { return frame[0] }
