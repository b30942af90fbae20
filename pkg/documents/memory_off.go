//go:build !race

package documents

// processMemory is the bound that the sandbox holds.
const processMemory = MaxMemory
