package slack

import (
	"container/list"
	"sync"
)

// maxRecent is how many of a kind are remembered.
const maxRecent = 1024

// recent remembers the newest of what is learned, and forgets what was not used for
// longest. The zero value is ready, and safe for many goroutines.
type recent[K comparable, V any] struct {
	mu    sync.Mutex
	order list.List // of memory[K, V], newest first
	at    map[K]*list.Element
}

type memory[K comparable, V any] struct {
	key   K
	value V
}

// with gives the value of key to f, a new one where there is none, under the lock.
func (r *recent[K, V]) with(key K, f func(v *V)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.at[key]
	if !ok {
		if r.at == nil {
			r.at = map[K]*list.Element{}
		}
		if r.order.Len() >= maxRecent {
			oldest := r.order.Back()
			delete(r.at, oldest.Value.(*memory[K, V]).key) //nolint:forcetypeassert // only this type is in the list
			r.order.Remove(oldest)
		}
		e = r.order.PushFront(&memory[K, V]{key: key})
		r.at[key] = e
	}
	r.order.MoveToFront(e)
	f(&e.Value.(*memory[K, V]).value) //nolint:forcetypeassert // only this type is in the list
}

// get is the value of key, and whether there is one.
func (r *recent[K, V]) get(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.at[key]
	if !ok {
		var none V
		return none, false
	}
	return e.Value.(*memory[K, V]).value, true //nolint:forcetypeassert // only this type is in the list
}

// drop forgets key.
func (r *recent[K, V]) drop(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.at[key]; ok {
		r.order.Remove(e)
		delete(r.at, key)
	}
}
