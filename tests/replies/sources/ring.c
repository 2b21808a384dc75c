#include <stdlib.h>
#include <string.h>

#include "ring.h"

struct ring {
	unsigned char *bytes;
	size_t size;
	size_t head;
	size_t used;
};

struct ring *ring_new(size_t size)
{
	struct ring *ring = malloc(sizeof(*ring));

	if (!ring)
		return NULL;
	ring->bytes = malloc(size);
	ring->size = size;
	ring->head = 0;
	ring->used = 0;
	return ring;
}

size_t ring_write(struct ring *ring, const unsigned char *from, size_t count)
{
	size_t written = 0;

	while (written < count && ring->used < ring->size) {
		size_t at = (ring->head + ring->used) % ring->size;
		ring->bytes[at] = from[written];
		ring->used++;
		written++;
	}
	return written;
}

size_t ring_read(struct ring *ring, unsigned char *to, size_t count)
{
	size_t done = 0;

	while (done < count && ring->used > 0) {
		to[done] = ring->bytes[ring->head];
		ring->head = (ring->head + 1) % ring->size;
		ring->used--;
		done++;
	}
	return done;
}

size_t ring_skip(struct ring *ring, size_t count)
{
	size_t done = 0;

	while (done < count && ring->used > 0) {
		ring->head = (ring->head + 1) % ring->size;
		ring->used--;
		done++;
	}
	return done;
}

void ring_free(struct ring *ring)
{
	if (!ring)
		return;
	free(ring->bytes);
	free(ring);
}
