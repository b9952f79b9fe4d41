#ifndef RING_BUFFER_H
#define RING_BUFFER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RING_VERSION "2.1"

struct ring;

typedef struct ring ring_t;

/** Frees a ring; NULL is allowed. */
void ring_free(ring_t *ring);

/** Bytes waiting to be read. */
static inline size_t ring_waiting(const ring_t *ring)
{
    return ring_count(ring);
}

extern const char *ring_version(void);

#ifdef __cplusplus
}
#endif

#endif
