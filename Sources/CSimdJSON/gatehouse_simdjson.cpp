// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_simdjson.h"

#include <cstring>
#include <memory>
#include <new>

#include <simdjson.h>

#ifndef NDEBUG
#error "simdjson's asserts abort the process; this target must define NDEBUG in every configuration"
#endif

static_assert(
    simdjson::SIMDJSON_PADDING <= GATEHOUSE_JSON_PADDING,
    "the header promises less padding than this simdjson needs");

struct gatehouse_json_parser {
    size_t maximum_capacity;
    simdjson::dom::parser parser;
};

namespace {

/// Capacity of the first buffers: most action lines fit, and the three areas together stay below 64 KB.
constexpr size_t initial_capacity = 4096;

/// simdjson stores text positions in 32 bits.
constexpr size_t largest_capacity = simdjson::SIMDJSON_MAXSIZE_BYTES;

/// The low 56 bits of a tape word.
constexpr uint64_t payload_mask = (uint64_t(1) << 56) - 1;

gatehouse_json_status status_of(simdjson::error_code error) noexcept {
    switch (error) {
    case simdjson::SUCCESS: return GATEHOUSE_JSON_OK;
    case simdjson::CAPACITY: return GATEHOUSE_JSON_TOO_LONG;
    case simdjson::MEMALLOC: return GATEHOUSE_JSON_NO_MEMORY;
    case simdjson::DEPTH_ERROR: return GATEHOUSE_JSON_TOO_DEEP;
    case simdjson::NUMBER_ERROR: return GATEHOUSE_JSON_NUMBER;
    default: return GATEHOUSE_JSON_INVALID;
    }
}

/// Makes room for a text of `length` bytes.
///
/// simdjson itself would grow to exactly each longer text, so a stream of slowly growing lines would allocate
/// for every one of them.
simdjson::error_code reserve(gatehouse_json_parser &self, size_t length) noexcept {
    simdjson::dom::parser &parser = self.parser;
    if (parser.capacity() >= length && parser.doc.capacity() >= length && parser.implementation) {
        return simdjson::SUCCESS;
    }
    if (length > self.maximum_capacity) { return simdjson::CAPACITY; }
    size_t capacity = initial_capacity;
    while (capacity < length) { capacity *= 2; }
    if (capacity > self.maximum_capacity && self.maximum_capacity >= initial_capacity) {
        capacity = self.maximum_capacity;
    }
    if (auto error = parser.allocate(capacity, GATEHOUSE_JSON_MAXIMUM_DEPTH)) { return error; }
    return parser.doc.allocate(capacity);
}

/// Bytes of the string area in use, found from the last string of the document; 0 without strings.
///
/// simdjson keeps no such count. The tape alone cannot be read backwards (the raw word of a number may look
/// like anything), but the positions found by its first stage can: each structural character has a known
/// number of tape words. Stops at the last string, which is near the end in all but documents that end in
/// long lists of numbers.
size_t string_bytes(const simdjson::dom::parser &parser, const uint8_t *text, size_t word_count) noexcept {
    const uint64_t *tape = parser.doc.tape.get();
    const uint32_t *positions = parser.implementation->structural_indexes.get();
    size_t word = word_count - 1;
    for (size_t index = parser.implementation->n_structural_indexes; index-- > 0;) {
        switch (text[positions[index]]) {
        case ',': case ':': break;
        case '{': case '}': case '[': case ']': case 't': case 'f': case 'n': word -= 1; break;
        case '"': {
            const size_t start = size_t(tape[word - 1] & payload_mask);
            uint32_t length;
            std::memcpy(&length, parser.doc.string_buf.get() + start, sizeof length);
            return start + sizeof length + length + 1;
        }
        default: word -= 2; break;
        }
    }
    return 0;
}

}  // namespace

extern "C" gatehouse_json_parser *gatehouse_json_parser_create(size_t maximum_capacity) noexcept {
    const size_t maximum = maximum_capacity < largest_capacity ? maximum_capacity : largest_capacity;
    return new (std::nothrow) gatehouse_json_parser{maximum, simdjson::dom::parser(largest_capacity)};
}

extern "C" void gatehouse_json_parser_destroy(gatehouse_json_parser *parser) noexcept { delete parser; }

extern "C" gatehouse_json_document gatehouse_json_parse(
    gatehouse_json_parser *parser, const uint8_t *text, size_t length) noexcept {
    gatehouse_json_document document = {nullptr, 0, nullptr, 0, GATEHOUSE_JSON_OK};
    auto error = reserve(*parser, length);
    // Calls the implementation directly: there is room, and the caller guarantees the padding.
    if (!error) { error = parser->parser.implementation->parse(text, length, parser->parser.doc); }
    document.status = status_of(error);
    if (error) { return document; }
    const simdjson::dom::document &parsed = parser->parser.doc;
    document.words = parsed.tape.get();
    // The first root word points past the last one.
    document.word_count = size_t(parsed.tape[0] & payload_mask);
    document.strings = parsed.string_buf.get();
    document.string_byte_count = string_bytes(parser->parser, text, document.word_count);
    return document;
}

extern "C" size_t gatehouse_json_parser_capacity(const gatehouse_json_parser *parser) noexcept {
    return parser->parser.doc.capacity();
}
