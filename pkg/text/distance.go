package text

// Distance is how many letters are to be put in, left out, replaced or swapped with their
// neighbour to make one word of the other.
func Distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
