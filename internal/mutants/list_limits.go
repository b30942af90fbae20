package mutants

// limitMutants break the promises of the section "Large stores, clocks and composed tools".
func limitMutants() []Mutant {
	return []Mutant{}
}
