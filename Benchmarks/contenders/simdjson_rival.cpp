// simdjson's DOM parser in a process of its own: `simdjson_rival fresh|release|reused FILE [--once]`, protocol as in
// python_rival.py. "fresh" makes a parser for each run, "release" counts its release as well, "reused" keeps one and
// with it its buffers.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include "simdjson.h"

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: simdjson_rival fresh|release|reused FILE [--once]\n");
        return 64;
    }
    bool reused = std::strcmp(argv[1], "reused") == 0;
    bool releases = std::strcmp(argv[1], "release") == 0;
    bool once = argc > 3 && std::strcmp(argv[3], "--once") == 0;
    simdjson::padded_string bytes;
    if (simdjson::padded_string::load(argv[2]).get(bytes)) {
        std::fprintf(stderr, "error: cannot read the data set\n");
        return 1;
    }
    auto parser = std::make_unique<simdjson::dom::parser>();
    char line[16];
    for (bool warm = false;; warm = true) {
        if (warm && !std::fgets(line, sizeof line, stdin)) break;
        if (!reused) parser = std::make_unique<simdjson::dom::parser>();
        auto start = std::chrono::steady_clock::now();
        simdjson::dom::element root;
        auto error = parser->parse(bytes).get(root);
        if (releases) parser.reset();
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        if (error) {
            std::fprintf(stderr, "error: %s\n", simdjson::error_message(error));
            return 1;
        }
        if (once) return 0;
        if (warm) {
            std::printf("%.9f\n", seconds.count());
        } else {
            std::puts("ready");
        }
        std::fflush(stdout);
    }
    return 0;
}
