package mutants

// networkMutants break the promises of the section "Networks that fail and strangers that push".
func networkMutants() []Mutant {
	return []Mutant{}
}
