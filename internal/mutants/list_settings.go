package mutants

// settingMutants break the promises of the section "Configuration".
func settingMutants() []Mutant {
	return []Mutant{}
}
