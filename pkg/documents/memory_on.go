//go:build race

package documents

// processMemory leaves the race detector its own memory, of which it reserves terabytes.
const processMemory = 64 << 40
