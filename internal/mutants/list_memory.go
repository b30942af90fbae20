package mutants

// memoryMutants break the promises of the section "What the model remembers and reads".
func memoryMutants() []Mutant {
	return []Mutant{}
}
