// SPDX-License-Identifier: Apache-2.0

#include "benchmark.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include <simdjson.h>

/// Bytes that are read at a time; the longest line that is parsed.
static constexpr size_t capacity = 1 << 18;

long gatehouse_benchmark_parse_lines(const char *path) noexcept try {
    std::ifstream file(path, std::ios::binary);
    if (!file) { return -1; }
    simdjson::dom::parser parser;
    if (parser.allocate(capacity)) { return -1; }
    std::vector<char> text(capacity + simdjson::SIMDJSON_PADDING);
    long valid = 0;
    size_t held = 0;
    while (file.read(text.data() + held, static_cast<std::streamsize>(capacity - held)), file.gcount() > 0) {
        const char *line = text.data();
        const char *const end = line + held + file.gcount();
        while (const void *found = std::memchr(line, '\n', static_cast<size_t>(end - line))) {
            const char *stop = static_cast<const char *>(found);
            simdjson::dom::element element;
            const auto *bytes = reinterpret_cast<const uint8_t *>(line);
            if (!parser.parse(bytes, static_cast<size_t>(stop - line), false).get(element)) { valid++; }
            line = stop + 1;
        }
        held = static_cast<size_t>(end - line);
        std::memmove(text.data(), line, held);
    }
    return valid;
} catch (...) {
    return -1;
}
