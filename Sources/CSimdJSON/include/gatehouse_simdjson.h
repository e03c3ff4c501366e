// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_SIMDJSON_H
#define GATEHOUSE_SIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define GATEHOUSE_NOEXCEPT noexcept
extern "C" {
#else
#define GATEHOUSE_NOEXCEPT
#endif

// simdjson's DOM parser as four C functions. No C++ exception leaves them, and no input bytes make them
// abort.
//
// Thread tags: [any-thread] callable at any time; [one-thread] calls on the same parser must not overlap,
// different parsers are independent. A parser may move between threads from one call to the next.

/// Bytes after the end of a text that `gatehouse_json_parse` may read (their content does not matter).
#define GATEHOUSE_JSON_PADDING 64

/// Deepest nesting of arrays and objects that is parsed; a text beyond it fails with GATEHOUSE_JSON_TOO_DEEP.
#define GATEHOUSE_JSON_MAXIMUM_DEPTH 512

/// The reason why a parse failed. Values are ours and stay stable across simdjson releases.
typedef enum {
    /// The text is one valid JSON document; the tape describes it.
    GATEHOUSE_JSON_OK = 0,
    /// The text is not valid JSON, or not valid UTF-8, or simdjson refused it for a reason without a code
    /// here.
    GATEHOUSE_JSON_INVALID = 1,
    /// A number is malformed or legal but beyond Int64, UInt64 and Double; a stricter scanner must decide
    /// which.
    GATEHOUSE_JSON_NUMBER = 2,
    /// Arrays and objects are nested deeper than GATEHOUSE_JSON_MAXIMUM_DEPTH.
    GATEHOUSE_JSON_TOO_DEEP = 3,
    /// The text is longer than the parser's maximum capacity; nothing was parsed.
    GATEHOUSE_JSON_TOO_LONG = 4,
    /// There was no memory for the document; the parser stays usable.
    GATEHOUSE_JSON_NO_MEMORY = 5,
} gatehouse_json_status;

/// A parser with its buffers and the document of its last successful parse. Opaque.
typedef struct gatehouse_json_parser gatehouse_json_parser;

/// The raw document of a parser, in simdjson's tape layout.
///
/// Word 0 and the last word have the tag 'r'; the root value is at word 1. Both areas belong to the parser,
/// must not be written, and are valid until the next parse or destroy on it.
typedef struct {
    /// First word of the tape; NULL when `status` is not GATEHOUSE_JSON_OK.
    const uint64_t *words;
    /// Number of words, including both root words; 0 when `words` is NULL.
    size_t word_count;
    /// First byte of the string area: for each string, in document order, a little-endian 32-bit length, the
    /// bytes, a NUL.
    const uint8_t *strings;
    /// Bytes of the string area that hold strings of this document; the rest is uninitialised.
    size_t string_byte_count;
    /// The outcome of the parse that produced this document.
    gatehouse_json_status status;
} gatehouse_json_document;

/// Creates a parser for texts of at most `maximum_capacity` bytes (up to 4,294,967,295; higher values are
/// reduced to that).
///
/// Buffers are allocated on demand. The caller owns the result and must destroy it with
/// `gatehouse_json_parser_destroy`. Returns NULL when there is no memory. [any-thread]
gatehouse_json_parser *gatehouse_json_parser_create(size_t maximum_capacity) GATEHOUSE_NOEXCEPT;

/// Destroys a parser and its document. NULL is allowed and does nothing. [one-thread]
void gatehouse_json_parser_destroy(gatehouse_json_parser *parser) GATEHOUSE_NOEXCEPT;

/// Parses the text of `length` bytes into the parser's own document, replacing the one before.
///
/// `text` stays the caller's, is only read during the call, and must have GATEHOUSE_JSON_PADDING readable
/// bytes after it. The whole text is validated (RFC 8259 and UTF-8) before GATEHOUSE_JSON_OK is reported.
/// Buffers grow to the next power of two when needed, never beyond the maximum capacity. Linear in `length`.
/// [one-thread]
gatehouse_json_document gatehouse_json_parse(
    gatehouse_json_parser *parser, const uint8_t *text, size_t length) GATEHOUSE_NOEXCEPT;

/// Bytes of text for which the parser holds buffers; each takes up to 14 bytes of memory. [one-thread]
size_t gatehouse_json_parser_capacity(const gatehouse_json_parser *parser) GATEHOUSE_NOEXCEPT;

#undef GATEHOUSE_NOEXCEPT

#ifdef __cplusplus
}
#endif

#endif
