#if __linux__
#include <LibraryLoading.h>
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

void *satchel_function(const char *library, const char *name) {
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    void *function = handle ? dlsym(handle, name) : NULL;
    if (!function) {
        fprintf(stderr, "satchel: error while loading shared libraries: %s\n", dlerror());
        _exit(127);
    }
    return function;
}
#endif
