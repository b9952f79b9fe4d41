/*
 * A byte ring shared by one producer and one consumer.
 */
#include <stddef.h>
#include <stdint.h>
#include "ring_buffer.h"

#define RING_MIN_SIZE 64u
#define RING_MASK(ring) ((ring)->capacity - 1)

#ifdef RING_TRACE
#define TRACE(fmt, ...) fprintf(stderr, fmt, __VA_ARGS__)
#else
#define TRACE(fmt, ...) ((void)0)
#endif

/* What a push may answer. */
enum ring_status {
    RING_OK = 0,
    RING_FULL,
    RING_CLOSED = 8,
};

typedef void (*ring_listener)(void *context, size_t available);

typedef uint32_t ring_index;

struct ring_span {
    const uint8_t *start;
    size_t length;
};

/** The ring itself; the capacity is a power of two. */
typedef struct ring {
    uint8_t *bytes;
    ring_index head, tail;
    size_t capacity;
    ring_listener on_data;
    struct {
        unsigned pushed;
        unsigned dropped;
    } counters;
    int (*hash)(const void *key);
} ring_t;

typedef enum { ORDER_FIRST, ORDER_LAST } ring_order;

union ring_word {
    uint32_t whole;
    uint8_t parts[4];
};

static const size_t default_capacity = 4096;
static int open_rings;
extern int ring_debug_level;
const char *const ring_names[] = { "first", "last" };

static int ring_grow(ring_t *ring, size_t wanted);
void ring_dump(const struct ring *ring);
uint8_t *ring_peek(ring_t *ring, size_t *length);

// Makes an empty ring.
// The caller frees it.
ring_t *ring_new(size_t capacity)
{
    ring_t *ring = malloc(sizeof(ring_t));
    size_t rounded = next_power(capacity);
    if (ring == NULL)
        return NULL;
    *ring = (ring_t){ .capacity = rounded };
    open_rings++;
    return ring;
}

enum ring_status ring_push(ring_t *ring, const uint8_t *bytes, size_t length)
{
    if (ring->tail - ring->head + length > ring->capacity) {
        ring->counters.dropped++;
        return RING_FULL;
    }
    memcpy(ring->bytes + (ring->tail & RING_MASK(ring)), bytes, length);
    if (ring->on_data)
        ring->on_data(ring, length);
    TRACE("pushed %zu\n", length);
    return RING_OK;
}

static inline int __attribute__((unused)) is_empty(const ring_t *ring) { return ring->head == ring->tail; }

/* Picks a hash by name. */
int (*ring_hash_for(const char *name))(const void *key)
{
    return strcmp(name, "fnv") ? hash_sum : hash_fnv;
}
