// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_redis_reader.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// The most bytes, and elements, to keep room for between two answers.
enum { kept_bytes = 1 << 20, kept_elements = 1 << 16 };

// MARK: - Looking into answers

static bool holds_text(const gatehouse_redis_reply *reply) {
    return reply->kind == gatehouse_redis_string || reply->kind == gatehouse_redis_status || reply->kind == gatehouse_redis_failure;
}

int gatehouse_redis_kind_of(const gatehouse_redis_reply *reply) { return reply == NULL ? gatehouse_redis_nil : (int)reply->kind; }

long long gatehouse_redis_number(const gatehouse_redis_reply *reply) {
    return gatehouse_redis_kind_of(reply) == gatehouse_redis_integer ? reply->number : 0;
}

const char *gatehouse_redis_bytes(const gatehouse_redis_reply *reply, size_t *length) {
    const bool is_text = reply != NULL && holds_text(reply);
    *length = is_text ? (size_t)reply->number : 0;
    return is_text ? reply->bytes : NULL;
}

size_t gatehouse_redis_count(const gatehouse_redis_reply *reply) {
    return gatehouse_redis_kind_of(reply) == gatehouse_redis_array ? (size_t)reply->number : 0;
}

const gatehouse_redis_reply *gatehouse_redis_element(const gatehouse_redis_reply *reply, size_t index) {
    return index < gatehouse_redis_count(reply) ? reply + reply->first + index : NULL;
}

// MARK: - Room

bool gatehouse_redis_reader_reserve(struct gatehouse_redis_reader *reader, size_t count) {
    if (reader->start > 0) {
        reader->count -= reader->start;
        reader->taken -= reader->start;
        memmove(reader->bytes, reader->bytes + reader->start, reader->count);
        reader->start = 0;
    }
    if (reader->room - reader->count >= count) return true;
    size_t room = reader->count + (count > reader->count ? count : reader->count);
    char *bytes = realloc(reader->bytes, room);
    if (bytes == NULL) return false;
    reader->bytes = bytes;
    reader->room = room;
    return true;
}

// Makes room for further elements of the current answer.
static bool announce(struct gatehouse_redis_reader *reader, size_t count) {
    reader->announced += count;
    if (reader->announced <= reader->capacity) return true;
    size_t capacity = reader->announced < 512 ? 1024 : 2 * reader->announced;
    gatehouse_redis_reply *elements = realloc(reader->elements, capacity * sizeof *elements);
    if (elements == NULL) return false;
    reader->elements = elements;
    reader->capacity = capacity;
    return true;
}

// Forgets the answer before, and gives back what only a large one needed.
static bool begin(struct gatehouse_redis_reader *reader) {
    reader->start = reader->taken;
    if (reader->taken == reader->count && reader->room > kept_bytes) {
        free(reader->bytes);
        reader->bytes = NULL;
        reader->start = reader->taken = reader->count = reader->room = 0;
    }
    if (reader->capacity > kept_elements) {
        free(reader->elements);
        reader->elements = NULL;
        reader->capacity = 0;
    }
    reader->announced = 0;
    return announce(reader, 1);
}

void gatehouse_redis_reader_free(struct gatehouse_redis_reader *reader) {
    free(reader->bytes);
    free(reader->elements);
}

// MARK: - Reading what a server sends

// Reads a decimal number, whose further digits may not have come yet.
static enum gatehouse_redis_step read_number(const char *text, size_t length, long long *number) {
    bool is_negative = length > 0 && *text == '-';
    long long value = 0;
    for (size_t index = is_negative; index < length; index++) {
        if (text[index] < '0' || text[index] > '9') return gatehouse_redis_unframed;
        int digit = text[index] - '0';
        // The smallest number has no positive counterpart; it is not supported.
        if (value > (LLONG_MAX - digit) / 10) return gatehouse_redis_oversized;
        value = value * 10 + digit;
    }
    *number = is_negative ? -value : value;
    return gatehouse_redis_whole;
}

// Ends an element, and with it each array whose last element it was.
static void end_element(struct gatehouse_redis_reader *reader) {
    while (reader->depth > 0 && ++reader->open[reader->depth - 1].next == reader->open[reader->depth - 1].end) reader->depth--;
}

// Opens an array.
static enum gatehouse_redis_step open_array(struct gatehouse_redis_reader *reader, size_t index, size_t count) {
    if (reader->depth == gatehouse_redis_most_depth || count > gatehouse_redis_most_elements + 1 - reader->announced) {
        return gatehouse_redis_oversized;
    }
    size_t first = reader->announced;
    if (!announce(reader, count)) return gatehouse_redis_exhausted;
    reader->elements[index].first = first - index;
    reader->open[reader->depth].next = first;
    reader->open[reader->depth++].end = first + count;
    return gatehouse_redis_whole;
}

// Reads one element, of an array only its length; nothing of one that is incomplete.
static enum gatehouse_redis_step read_element(struct gatehouse_redis_reader *reader) {
    if (reader->taken == reader->count) return gatehouse_redis_lacking;
    const char *line = reader->bytes + reader->taken, *all = reader->bytes + reader->count;
    const char kind = *line++;
    if (kind == 0 || strchr("+-:$*", kind) == NULL) return gatehouse_redis_unframed;
    const char *end = memchr(line, '\r', (size_t)(all - line));
    const size_t length = (size_t)((end != NULL ? end : all) - line);
    if (length > gatehouse_redis_most_line) return gatehouse_redis_oversized;
    const bool is_text = kind == '+' || kind == '-';
    long long number = (long long)length;
    enum gatehouse_redis_step step = gatehouse_redis_whole;
    if (!is_text) {
        step = read_number(line, length, &number);
    } else if (memchr(line, '\n', length) != NULL) {
        step = gatehouse_redis_unframed;
    }
    if (step != gatehouse_redis_whole) return step;
    if (end == NULL || end + 1 == all) return gatehouse_redis_lacking;
    if (end[1] != '\n' || (!is_text && line + (*line == '-') == end)) return gatehouse_redis_unframed;

    const size_t index = reader->depth > 0 ? reader->open[reader->depth - 1].next : 0;
    gatehouse_redis_reply *element = &reader->elements[index];
    const char *text = is_text ? line : end + 2;
    const char *after = end + 2;
    *element = (gatehouse_redis_reply){.number = number, .place = (size_t)(text - reader->bytes) - reader->start};
    switch (kind) {
    case '+': element->kind = gatehouse_redis_status; break;
    case '-': element->kind = gatehouse_redis_failure; break;
    case ':': element->kind = gatehouse_redis_integer; break;
    default:
        element->kind = kind == '$' ? gatehouse_redis_string : gatehouse_redis_array;
        if (*line == '-') {
            if (number != -1) return gatehouse_redis_unframed;
            *element = (gatehouse_redis_reply){.kind = gatehouse_redis_nil};
        } else if (kind == '*') {
            if (number == 0) break;
            reader->taken = (size_t)(after - reader->bytes);
            return open_array(reader, index, (size_t)number);
        } else {
            if (number > gatehouse_redis_most_bytes - 2) return gatehouse_redis_oversized;
            if (element->place + (size_t)number + 2 > gatehouse_redis_most_bytes) return gatehouse_redis_oversized;
            if (all - after < number + 2) return gatehouse_redis_lacking;
            after += number + 2;
            if (after[-2] != '\r' || after[-1] != '\n') return gatehouse_redis_unframed;
        }
    }
    reader->taken = (size_t)(after - reader->bytes);
    if (reader->taken - reader->start > gatehouse_redis_most_bytes) return gatehouse_redis_oversized;
    end_element(reader);
    return gatehouse_redis_whole;
}

enum gatehouse_redis_step gatehouse_redis_reader_next(struct gatehouse_redis_reader *reader, const gatehouse_redis_reply **reply) {
    if (reader->depth == 0 && !begin(reader)) return gatehouse_redis_exhausted;
    do {
        enum gatehouse_redis_step step = read_element(reader);
        if (step != gatehouse_redis_whole) return step;
    } while (reader->depth > 0);
    // The bytes stay where they are until the next call.
    for (size_t index = 0; index < reader->announced; index++) {
        gatehouse_redis_reply *element = &reader->elements[index];
        if (holds_text(element)) element->bytes = reader->bytes + reader->start + element->place;
    }
    *reply = reader->elements;
    return gatehouse_redis_whole;
}

// MARK: - Entries

// Reads digits up to the end or another character, and stops there.
static uint64_t digits(const char **place, const char *end) {
    uint64_t number = 0;
    for (; *place < end && **place >= '0' && **place <= '9'; (*place)++) number = number * 10 + (uint64_t)(**place - '0');
    return number;
}

uint64_t gatehouse_redis_number_at_end(const gatehouse_redis_reply *reply) {
    size_t length;
    const char *text = gatehouse_redis_bytes(reply, &length);
    if (text == NULL) return 0;
    const char *place = text + length;
    while (place > text && place[-1] >= '0' && place[-1] <= '9') place--;
    return digits(&place, text + length);
}

bool gatehouse_redis_entry_at(const gatehouse_redis_reply *entries, size_t index, struct gatehouse_redis_entry *entry) {
    const gatehouse_redis_reply *reply = gatehouse_redis_element(entries, index);
    if (gatehouse_redis_count(reply) != 2) return false;
    const gatehouse_redis_reply *fields = gatehouse_redis_element(reply, 1);
    size_t length;
    const char *id = gatehouse_redis_bytes(gatehouse_redis_element(reply, 0), &length);
    if (id == NULL || gatehouse_redis_kind_of(fields) != gatehouse_redis_array) return false;
    const char *end = id + length;
    *entry = (struct gatehouse_redis_entry){.high = digits(&id, end)};
    if (id == end || *id != '-') return false;
    id++;
    entry->low = digits(&id, end);
    size_t count = gatehouse_redis_count(fields);
    for (size_t field = 0; field + 1 < count; field += 2) {
        const char *name = gatehouse_redis_bytes(gatehouse_redis_element(fields, field), &length);
        if (name == NULL || length != 1) continue;
        const gatehouse_redis_reply *value = gatehouse_redis_element(fields, field + 1);
        if (*name == 'a' || *name == 'p') {
            entry->is_packed = *name == 'p';
            entry->action = gatehouse_redis_bytes(value, &entry->action_length);
        } else if (*name == 'o') {
            entry->origin = gatehouse_redis_bytes(value, &entry->origin_length);
        }
    }
    return true;
}
