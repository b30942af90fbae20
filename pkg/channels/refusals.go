package channels

import "time"

// Refusals paces attempts of an account that its platform refuses. One refusal is often
// a fault of the server or of a proxy before it, and the token is good; one that lasts
// is for a person to end. The zero value has seen no refusal. It is one goroutine's.
type Refusals struct{ n int }

// Take counts one more refusal and is the pause after it: 1, 5 and 30 s, then twice
// as long each time, from one minute to five.
func (r *Refusals) Take() time.Duration {
	first := []time.Duration{time.Second, 5 * time.Second, 30 * time.Second}
	const longest = 5 * time.Minute
	r.n++
	if r.n <= len(first) {
		return first[r.n-1]
	}
	pause := time.Minute
	for n := len(first) + 1; n < r.n && pause < longest; n++ {
		pause *= 2
	}
	return min(pause, longest)
}

// Reset forgets them: the account was not refused any more.
func (r *Refusals) Reset() { r.n = 0 }

// Lasting says that at least two refusals have followed each other.
func (r *Refusals) Lasting() bool { return r.n > 1 }
