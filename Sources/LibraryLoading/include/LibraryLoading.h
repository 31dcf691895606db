// Defines functions that load the library they belong to at their first call.
#pragma once

/// Returns a function of a library, which is loaded if it is not; ends the process as the system's loader does where
/// either is missing.
void *satchel_function(const char *library, const char *name);

/// Defines a function of `LIBRARY` that calls the library's own. The compiler compares it with the library's header.
#define FORWARD(result, name, parameters, arguments)                              \
    result name parameters {                                                      \
        static __typeof__(&name) function;                                        \
        __typeof__(&name) known = __atomic_load_n(&function, __ATOMIC_RELAXED);   \
        if (!known) {                                                             \
            known = (__typeof__(&name))satchel_function(LIBRARY, #name);          \
            __atomic_store_n(&function, known, __ATOMIC_RELAXED);                 \
        }                                                                         \
        return known arguments;                                                   \
    }
