package mutants

import "slices"

// List is every mutant.
func List() []Mutant {
	return slices.Concat(
		engineMutants(), storeMutants(), channelMutants(), consoleMutants(), fileMutants(), toolMutants(), callMutants(), webMutants(),
		agentMutants(), edgeMutants(), telegramMutants(), telegramRowMutants(),
	)
}
