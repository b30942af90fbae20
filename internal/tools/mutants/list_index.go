package mutants

// indexMutants break the index of words.
func indexMutants() []Mutant {
	const room, blocks, words = "pkg/index", "pkg/index/blocks", "pkg/index/words"
	const kills, damage, scopes, purge = "index: kills", "index: damage", "index: scopes", "index: purge"
	return []Mutant{
		{
			Promise: kills, Defect: "writes over the place of the newest manifest",
			File: room + "/file.go", Old: "at = slotB", New: "at = slotA",
			Dir: room, Test: "^TestKilledAtEachByte$",
		},
		{
			Promise: kills, Defect: "trusts a slot whose manifest is not whole",
			File: room + "/file.go", Old: "continue // the other one is from before", New: "return nil, err",
			Dir: room, Test: "^TestPowerCut$",
		},
		{
			Promise: damage, Defect: "reads blocks whatever their checksums",
			File: blocks + "/block.go", Old: "if !r.unchecked && Sum(", New: "if r.unchecked && Sum(",
			Dir: room, Test: "^TestEachByteDamaged$",
		},
		{
			Promise: damage, Defect: "takes postings of passages that there are not",
			File: room + "/postings.go", Old: "|| next+step >= uint64(limit) {", New: "|| next+step < next {",
			Dir: room, Test: "^TestHostileBlocks$",
		},
		{
			Promise: damage, Defect: "stems words of a language that there is not",
			File: words + "/words.go", Old: "if !l.Valid() {", New: "if l == languages {",
			Dir: room, Test: "^FuzzFile$",
		},
		{
			Promise: damage, Defect: "opens a file of another form as it is",
			File: room + "/file.go", Old: "string(head[:len(magic)]) != magic", New: "len(head) < len(magic)",
			Dir: room, Test: "^TestEachByteDamaged$",
		},
		{
			Promise: scopes, Defect: "takes a scope for another one whose name goes on",
			File: blocks + "/table.go", Old: "!bytes.Equal(c.Key(), key)", New: "!bytes.HasPrefix(c.Key(), key)",
			Dir: room, Test: "^TestNoWordCrosses$",
		},
		{
			Promise: scopes, Defect: "reads a scope twice that is named twice",
			File: room + "/search.go", Old: "slices.Compact(slices.Sorted(slices.Values(scopes)))",
			New: "slices.Sorted(slices.Values(scopes))",
			Dir: room, Test: "^TestNoWordCrosses$",
		},
		{
			Promise: purge, Defect: "keeps the words of a replaced document",
			File: room + "/update.go", Old: "	c.removed[d.ID] = true\n", New: "	delete(c.removed, d.ID)\n",
			Dir: room, Test: "^TestPurgeLeavesNoTrace$",
		},
		{
			Promise: purge, Defect: "counts the segments that the file ever had",
			File: room + "/update.go", Old: "seg.id, seg.off = 1, dataBegin", New: "seg.id, seg.off = s.nextID, dataBegin",
			Dir: room, Test: "^TestPurgeLeavesNoTrace$",
		},
		{
			Promise: purge, Defect: "lets the file grow",
			File: room + "/update.go", Old: "if end > 2*live+spare {", New: "if end > 2000*live+spare {",
			Dir: room, Test: "^TestTheFileStaysSmall$",
		},
	}
}

// passageMutants break the words and the passages of the index.
func passageMutants() []Mutant {
	const room, words, splitter = "pkg/index", "pkg/index/words", "pkg/index/passage"
	return []Mutant{
		{
			Promise: "index: words", Defect: "looks for the words of one language",
			File: room + "/search.go", Old: "if n < len(all) && !slices", New: "if first && !slices",
			Dir: room, Test: "^TestLanguages$",
		},
		{
			Promise: "index: words", Defect: "keeps accents",
			File: words + "/words.go", Old: "if !isAccent(d) {", New: "if !isAccent(r) {",
			Dir: words, Test: "^TestTerms$",
		},
		{
			Promise: "index: words", Defect: "keeps the ending of a name with capitals in it",
			File: words + "/words.go", Old: "== normal: // a name", New: "== word+normal: // a name",
			Dir: words, Test: "^TestNamesWithCapitals$",
		},
		{
			Promise: "index: words", Defect: "takes a Korean particle for a part of the Latin word before it",
			File: words + "/words.go", Old: "if isDense(r) != dense && isPart(r)", New: "if isDense(r) != isDense(r) && isPart(r)",
			Dir: words, Test: "^TestTerms$",
		},
		{
			Promise: "index: words", Defect: "miscounts the lines of a passage",
			File: splitter + "/passage.go", Old: "s.first = s.n", New: "s.first = s.n - 1",
			Dir: splitter, Test: "^TestMarkdown$",
		},
	}
}
