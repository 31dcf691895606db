// Ends a program, or takes its disk away, at the n-th call that changes a file. Loaded with LD_PRELOAD.
//
// SATCHEL_FAULT is kill:N (ends before the N-th call), torn:N (does half of a write first), full:N (from the N-th on there
// is no space), io:N (the N-th alone fails), lost:N (a write is not done and says that it is) or stale:N (the N-th file of a
// shared directory that is opened for reading is not to be had, as on a network drive). SATCHEL_FAULT_LOG names a file that
// gets a line for each call: what it is, a tab, the path as the program gave it or the system knows it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum effect { NONE, FAILS, IS_LOST };

static char mode[8] = "none";
static long point, calls;
static int record = -1;

__attribute__((constructor)) static void prepare(void) {
    const char *fault = getenv("SATCHEL_FAULT"), *path = getenv("SATCHEL_FAULT_LOG");
    if (fault) sscanf(fault, "%7[a-z]:%ld", mode, &point);
    if (path) record = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static int is(const char *wanted) { return strcmp(mode, wanted) == 0; }

static int changes_a_file(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

static void note(const char *call, const char *path, int fd) {
    char link[32], target[1024], line[1200];
    if (record < 0) return;
    if (!path) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, target, sizeof target - 1);
        target[length > 0 ? length : 0] = 0;
        path = target;
    }
    int length = snprintf(line, sizeof line, "%s\t%s\n", call, path);
    syscall(SYS_write, record, line, length);
}

struct piece {
    const void *bytes;
    size_t count;
    off_t offset; // -1: where the file is
};

static void write_half(int fd, const struct piece *piece) {
    size_t half = piece->count / 2;
    if (piece->offset < 0) syscall(SYS_write, fd, piece->bytes, half);
    else syscall(SYS_pwrite64, fd, piece->bytes, half, piece->offset);
}

// What happens at this call; does not return where the program ends here.
static enum effect reach(const char *call, const char *path, int fd, int takes_space, const struct piece *piece) {
    long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    note(call, path, fd);
    if (takes_space && number >= point && is("full")) {
        errno = ENOSPC;
        return FAILS;
    }
    if (number != point) return NONE;
    if (piece && is("torn")) write_half(fd, piece);
    if (is("torn") || is("kill")) kill(getpid(), SIGKILL);
    if (piece && is("lost")) return IS_LOST;
    if (!is("io")) return NONE;
    errno = EIO;
    return FAILS;
}

#define REAL(name) \
    static typeof(name) *real; \
    if (!real) real = (typeof(name) *)dlsym(RTLD_NEXT, #name)

static enum effect reach_write(int fd, const void *bytes, size_t count, off_t offset) {
    struct piece piece = {bytes, count, offset};
    return fd != record && changes_a_file(fd) ? reach("write", NULL, fd, 1, &piece) : NONE;
}

#define ANSWER(effect, count, call) \
    switch (effect) { \
        case FAILS: return -1; \
        case IS_LOST: return count; \
        default: return call; \
    }

ssize_t write(int fd, const void *bytes, size_t count) {
    REAL(write);
    ANSWER(reach_write(fd, bytes, count, -1), count, real(fd, bytes, count))
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    ANSWER(reach_write(fd, bytes, count, offset), count, real(fd, bytes, count, offset))
}
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    REAL(pwrite64);
    ANSWER(reach_write(fd, bytes, count, offset), count, real(fd, bytes, count, offset))
}

// The rest of a copy goes through write once it is said not to be possible here.
ssize_t sendfile(int to, int from, off_t *offset, size_t count) { errno = ENOSYS; return -1; }
ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) { errno = ENOSYS; return -1; }
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *there, size_t count, unsigned flags) {
    errno = ENOSYS;
    return -1;
}

#define ON_FILE(name, words, parameters, ...) \
    int name parameters { \
        REAL(name); \
        return changes_a_file(fd) && reach(words, NULL, fd, 0, NULL) == FAILS ? -1 : real(__VA_ARGS__); \
    }
ON_FILE(fsync, "fsync", (int fd), fd)
ON_FILE(fdatasync, "fsync", (int fd), fd)
ON_FILE(ftruncate, "truncate", (int fd, off_t size), fd, size)
ON_FILE(ftruncate64, "truncate", (int fd, off64_t size), fd, size)
ON_FILE(fchmod, "chmod", (int fd, mode_t bits), fd, bits)

#define ON_PATH(name, words, takes_space, parameters, ...) \
    int name parameters { \
        REAL(name); \
        return reach(words, path, -1, takes_space, NULL) == FAILS ? -1 : real(__VA_ARGS__); \
    }
ON_PATH(unlink, "unlink", 0, (const char *path), path)
ON_PATH(unlinkat, "unlink", 0, (int folder, const char *path, int flags), folder, path, flags)
ON_PATH(rmdir, "unlink", 0, (const char *path), path)
ON_PATH(mkdir, "mkdir", 1, (const char *path, mode_t bits), path, bits)
ON_PATH(rename, "rename", 0, (const char *old, const char *path), old, path)
ON_PATH(link, "link", 1, (const char *old, const char *path), old, path)

static int is_stale(const char *path) {
    static long opened;
    if (!is("stale") || !strstr(path, "/w/") || !strstr(path, ".seg")) return 0;
    if (__atomic_add_fetch(&opened, 1, __ATOMIC_SEQ_CST) != point) return 0;
    errno = ESTALE;
    return 1;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        int bits = flags & O_CREAT ? va_arg(rest, int) : 0; \
        va_end(rest); \
        int is_new = flags & O_CREAT && access(path, F_OK) != 0; \
        if (is_stale(path)) return -1; \
        return is_new && reach("create", path, -1, 1, NULL) == FAILS ? -1 : real(path, flags, bits); \
    }
OPEN(open)
OPEN(open64)
