package mutants

import "slices"

// List is every mutant.
func List() []Mutant {
	return slices.Concat(engineMutants(), channelMutants(), consoleMutants(), fileMutants(), toolMutants(), callMutants(), agentMutants(), edgeMutants(), telegramMutants())
}
