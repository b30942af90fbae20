package mutants

// peopleMutants break the promises of the section "People and their chats".
func peopleMutants() []Mutant {
	return []Mutant{}
}
