// yyjson in a process of its own: `yyjson_rival parse|parse-release|write|write-indented FILE [--once]`, protocol as
// in python_rival.py.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "yyjson.h"

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void fail(const char *message) {
    fprintf(stderr, "error: %s\n", message);
    exit(1);
}

static char *read_all(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) fail("cannot open the data set");
    long size = ftell(file);
    rewind(file);
    char *bytes = size > 0 ? malloc((size_t)size) : NULL;
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) fail("cannot read the data set");
    fclose(file);
    *length = (size_t)size;
    return bytes;
}

int main(int argc, char **argv) {
    if (argc < 3) fail("usage: yyjson_rival MODE FILE [--once]");
    size_t length;
    char *bytes = read_all(argv[2], &length);
    int parses = strncmp(argv[1], "parse", 5) == 0;
    int releases = strcmp(argv[1], "parse-release") == 0;
    yyjson_write_flag flags =
        strcmp(argv[1], "write-indented") == 0 ? YYJSON_WRITE_PRETTY_TWO_SPACES : YYJSON_WRITE_NOFLAG;
    int once = argc > 3 && strcmp(argv[3], "--once") == 0;
    yyjson_doc *source = parses ? NULL : yyjson_read(bytes, length, YYJSON_READ_NOFLAG);
    if (!parses && !source) fail("cannot parse the data set");

    char line[16];
    for (int warm = 0;; warm = 1) {
        if (warm && !fgets(line, sizeof line, stdin)) break;
        double start = now();
        yyjson_doc *document = NULL;
        char *text = NULL;
        size_t written = 0;
        if (parses) {
            document = yyjson_read(bytes, length, YYJSON_READ_NOFLAG);
        } else {
            text = yyjson_write(source, flags, &written);
        }
        double held = now();
        if (!document && !text) fail("yyjson failed");
        if (once) return 0;
        yyjson_doc_free(document);
        double seconds = (releases ? now() : held) - start;
        free(text);
        if (warm) {
            printf("%.9f\n", seconds);
        } else {
            puts("ready");
        }
        fflush(stdout);
    }
    return 0;
}
