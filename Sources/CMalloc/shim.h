#pragma once
#ifdef __linux__
#include <malloc.h>
#endif

/// Lets all threads of the process share one heap, where the C library would give each its own.
static inline void cmalloc_share_heap(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}
