package outbound

import (
	"container/list"
	"sync"
)

// maxRecent is how many of a kind are remembered.
const maxRecent = 1024

// recent remembers the newest facts, and forgets those that were not used for longest.
// The zero value is ready, and safe for many goroutines.
type recent[K comparable, V any] struct {
	mu    sync.Mutex
	order list.List // of keys, newest first
	at    map[K]*memory[V]
}

type memory[V any] struct {
	place *list.Element
	value V
}

// with gives the value of key to f, making it first if needed, under the lock.
func (r *recent[K, V]) with(key K, f func(v *V)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, ok := r.at[key]
	if !ok {
		m = r.add(key)
	}
	r.order.MoveToFront(m.place)
	f(&m.value)
}

// add makes room for key, which is new; the lock is held.
func (r *recent[K, V]) add(key K) *memory[V] {
	if r.at == nil {
		r.at = map[K]*memory[V]{}
	}
	if r.order.Len() >= maxRecent {
		if oldest, ok := r.order.Remove(r.order.Back()).(K); ok {
			delete(r.at, oldest)
		}
	}
	m := &memory[V]{place: r.order.PushFront(key)}
	r.at[key] = m
	return m
}

// get is the value of key, and whether there is one.
func (r *recent[K, V]) get(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m, ok := r.at[key]; ok {
		return m.value, true
	}
	var none V
	return none, false
}

// drop forgets key.
func (r *recent[K, V]) drop(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m, ok := r.at[key]; ok {
		r.order.Remove(m.place)
		delete(r.at, key)
	}
}
