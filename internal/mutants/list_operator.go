package mutants

// operatorMutants break the promises of the section "The operator"s commands".
func operatorMutants() []Mutant {
	return []Mutant{}
}
