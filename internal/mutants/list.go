package mutants

import "slices"

// List is every mutant.
func List() []Mutant {
	return slices.Concat(engineMutants(), channelMutants(), toolMutants(), callMutants(), agentMutants(), edgeMutants(), telegramMutants(), telegramRowMutants())
}
