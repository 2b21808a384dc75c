// Package lru keeps what was used last.
package lru

import (
	"container/list"
	"errors"
	"sync"
)

// ErrFull says that nothing can be dropped.
var ErrFull = errors.New("cache is full")

type entry struct {
	key   string
	value []byte
	uses  int
}

// Cache is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	room  int
	order *list.List
	known map[string]*list.Element
}

// New makes a cache with room for so many entries.
func New(room int) *Cache {
	return &Cache{room: room, order: list.New(), known: map[string]*list.Element{}}
}

// Get returns what is kept under the key.
func (c *Cache) Get(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.known[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(element)
	found := element.Value.(*entry)
	found.uses++
	return found.value, true
}

// Peek does as Get, but does not count as a use.
func (c *Cache) Peek(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.known[key]
	if !ok {
		return nil, false
	}
	found := element.Value.(*entry)
	return found.value, true
}

// Put keeps a value, and drops the one that was used longest ago.
func (c *Cache) Put(key string, value []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.order.Len() >= c.room {
		last := c.order.Back()
		if last == nil {
			return ErrFull
		}
		c.order.Remove(last)
		delete(c.known, last.Value.(*entry).key)
	}
	c.known[key] = c.order.PushFront(&entry{key: key, value: value})
	return nil
}
