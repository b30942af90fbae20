package mutants

// argumentMutants break the promises of the section "Arguments and results".
func argumentMutants() []Mutant {
	return []Mutant{}
}
