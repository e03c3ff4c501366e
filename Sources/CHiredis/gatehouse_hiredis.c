// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "gatehouse_hiredis.h"
#include "gatehouse_redis_reader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The names of the library in each version of Debian and Ubuntu, newest first.
static const char *const names[] = {"libhiredis.so.1.3.0", "libhiredis.so.1.1.0", "libhiredis.so.1.0.0", "libhiredis.so.1",
                                    "libhiredis.so.0.14"};

// The accessed structure of the library, up to the last accessed field; in version 0 and in version 1.
struct reply_0 {
    int type;
    long long integer;
    size_t length;
    char *bytes;
    size_t elements;
    const gatehouse_redis_reply **element;
};
struct reply_1 {
    int type;
    long long integer;
    double real;
    size_t length;
    char *bytes;
    char subtype[4];
    size_t elements;
    const gatehouse_redis_reply **element;
};

static struct {
    // Whether the structures are those of version 1.
    bool is_1;
    void (*free_reply)(void *);
    void *(*make_reader)(void);
    int (*feed)(void *, const char *, size_t);
    int (*read)(void *, void **);
    void (*free_reader)(void *);
} library;
static pthread_once_t is_loaded = PTHREAD_ONCE_INIT;
static const char *failure;

// MARK: - Looking into structures

#define FIELD(reply, field) \
    (library.is_1 ? ((const struct reply_1 *)(reply))->field : ((const struct reply_0 *)(reply))->field)

int gatehouse_redis_kind_of(const gatehouse_redis_reply *reply) {
    return reply == NULL ? gatehouse_redis_nil : *(const int *)reply;
}

long long gatehouse_redis_number(const gatehouse_redis_reply *reply) {
    return gatehouse_redis_kind_of(reply) == gatehouse_redis_integer ? FIELD(reply, integer) : 0;
}

const char *gatehouse_redis_bytes(const gatehouse_redis_reply *reply, size_t *length) {
    *length = 0;
    switch (gatehouse_redis_kind_of(reply)) {
    case gatehouse_redis_string:
    case gatehouse_redis_status:
    case gatehouse_redis_failure: *length = FIELD(reply, length); return FIELD(reply, bytes);
    default: return NULL;
    }
}

size_t gatehouse_redis_count(const gatehouse_redis_reply *reply) {
    return gatehouse_redis_kind_of(reply) == gatehouse_redis_array ? FIELD(reply, elements) : 0;
}

const gatehouse_redis_reply *gatehouse_redis_element(const gatehouse_redis_reply *reply, size_t index) {
    return index < gatehouse_redis_count(reply) ? FIELD(reply, element)[index] : NULL;
}

void gatehouse_redis_free_reply(gatehouse_redis_reply *reply) { library.free_reply(reply); }

// MARK: - Loading

// Makes the library parse a text and an array, and checks that they match the structures of its version. Until the version is
// known, accesses only bytes that both versions have.
static bool recognize(void) {
    static const char words[] = "$3\r\nabc\r\n*2\r\n:7\r\n$2\r\nde\r\n";
    void *reader = library.make_reader();
    void *text = NULL, *array = NULL;
    bool is_known = false;
    if (reader == NULL || library.feed(reader, words, sizeof words - 1) != 0 || library.read(reader, &text) != 0 ||
        text == NULL || library.read(reader, &array) != 0 || array == NULL) {
        goto end;
    }
    library.is_1 = ((const struct reply_0 *)text)->length != 3;
    size_t length = 0;
    const char *bytes = gatehouse_redis_bytes(text, &length);
    if (gatehouse_redis_kind_of(text) != gatehouse_redis_string || length != 3 || memcmp(bytes, "abc", 3) != 0 ||
        gatehouse_redis_kind_of(array) != gatehouse_redis_array || gatehouse_redis_count(array) != 2) {
        goto end;
    }
    const gatehouse_redis_reply *number = gatehouse_redis_element(array, 0);
    bytes = gatehouse_redis_bytes(gatehouse_redis_element(array, 1), &length);
    if (gatehouse_redis_kind_of(number) != gatehouse_redis_integer || gatehouse_redis_number(number) != 7 || length != 2 ||
        memcmp(bytes, "de", 2) != 0) {
        goto end;
    }
    is_known = true;
end:
    if (text != NULL) library.free_reply(text);
    if (array != NULL) library.free_reply(array);
    if (reader != NULL) library.free_reader(reader);
    return is_known;
}

static void load(void) {
    void *handle = NULL;
    for (size_t index = 0; handle == NULL && index < sizeof names / sizeof *names; index++) {
        handle = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    }
    if (handle == NULL) {
        failure = dlerror();
        return;
    }
    const struct {
        void **place;
        const char *name;
    } functions[] = {
        {(void **)&library.free_reply, "freeReplyObject"},
        {(void **)&library.make_reader, "redisReaderCreate"},
        {(void **)&library.feed, "redisReaderFeed"},
        {(void **)&library.read, "redisReaderGetReply"},
        {(void **)&library.free_reader, "redisReaderFree"},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        *functions[index].place = dlsym(handle, functions[index].name);
        if (*functions[index].place == NULL) {
            failure = dlerror();
            return;
        }
    }
    if (!recognize()) failure = "libhiredis is of a version that this program does not know; it knows 0.14 and 1.0 to 1.3";
}

const char *gatehouse_redis_load(void) {
    pthread_once(&is_loaded, load);
    return failure;
}

// MARK: - Reading what a server sends

void *gatehouse_redis_make_reader(void) { return library.make_reader(); }

void gatehouse_redis_free_reader(void *reader) { library.free_reader(reader); }

bool gatehouse_redis_feed(void *reader, const void *bytes, size_t count) { return library.feed(reader, bytes, count) == 0; }

bool gatehouse_redis_read(void *reader, gatehouse_redis_reply **reply) {
    void *found = NULL;
    bool is_readable = library.read(reader, &found) == 0;
    *reply = found;
    return is_readable;
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
