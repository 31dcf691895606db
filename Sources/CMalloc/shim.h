#pragma once
#ifdef __linux__
#include <malloc.h>
#endif

/// Lets the threads of the process share two heaps, where the C library would give each its own.
static inline void cmalloc_share_heaps(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 2);
#endif
}
