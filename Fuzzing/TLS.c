// SPDX-License-Identifier: Apache-2.0
//
// Whatever becomes of a server's bytes on their way: what is read is what the server has sent, from its beginning on, or the connection has a
// fault with words.
//
// The first byte of an input says in which pieces the bytes come, the rest what is done to them: two bytes of a place, one that says what,
// and one of a value. server.pem and server.key must be in the folder.

#include "../Sources/CRedis/gatehouse_tls.c"

#include "promise.h"

static const void *(*server)(void);
static int (*accept_client)(void *);
static void *server_context;

// What the server sends when both have agreed.
static const char words[] = "$11\r\nhello world\r\n";

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    promise(gatehouse_tls_load() == NULL, "libssl is not there");
    void *handle = NULL;
    for (size_t index = 0; handle == NULL && index < sizeof names / sizeof *names; index++) {
        handle = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    }
    server = (const void *(*)(void))dlsym(handle, "TLS_server_method");
    accept_client = (int (*)(void *))dlsym(handle, "SSL_accept");
    promise(server != NULL && accept_client != NULL, "libssl has no server");
    server_context = library.make_context(server());
    promise(library.use_certificate(server_context, "server.pem") == 1, "there is no server.pem");
    promise(library.use_key(server_context, "server.key", pem) == 1, "there is no server.key");
    return 0;
}

// The changes on the way, and how much has gone it.
struct way {
    const uint8_t *changes;
    size_t count;
    uint32_t place;
    bool is_cut;
};

// Gives the client bytes of the server, changed where the input says so.
static void give_changed(struct gatehouse_tls *tls, struct way *way, const uint8_t *bytes, size_t count) {
    uint8_t *changed = malloc(2 * count + 1);
    size_t length = 0;
    for (size_t index = 0; index < count && !way->is_cut; index++, way->place++) {
        uint8_t byte = bytes[index];
        bool is_dropped = false;
        for (size_t change = 0; change + 4 <= way->count; change += 4) {
            const uint8_t *entry = way->changes + change;
            if ((uint32_t)(entry[0] | entry[1] << 8) != way->place) continue;
            switch (entry[2] % 4) {
            case 0: byte ^= entry[3]; break;
            case 1: changed[length++] = entry[3]; break;
            case 2: is_dropped = true; break;
            default: way->is_cut = true;
            }
            // One for each place, so that there is room.
            break;
        }
        if (!is_dropped && !way->is_cut) changed[length++] = byte;
    }
    if (length > 0) gatehouse_tls_give(tls, changed, length);
    free(changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t count) {
    if (count == 0) return 0;
    const size_t piece = 1 + 16 * (size_t)input[0];
    struct way way = {.changes = input + 1, .count = count - 1};
    struct gatehouse_redis_fault fault = {0};
    const struct gatehouse_redis_tls terms = {.authorities = "server.pem", .server_name = "localhost"};
    struct gatehouse_tls *tls = gatehouse_tls_make(&terms, &fault);
    promise(tls != NULL, "a connection cannot be prepared");
    void *peer = library.make(server_context);
    void *in = library.make_end(library.memory()), *out = library.make_end(library.memory());
    library.set_ends(peer, in, out);

    enum gatehouse_tls_step step = gatehouse_tls_hungry;
    bool is_agreed = false, is_written = false;
    char found[sizeof words];
    size_t length = 0;
    // Each round moves something, or is one of a few at the end.
    for (int round = 0; round < 4096 && step != gatehouse_tls_failed; round++) {
        if (!is_agreed) {
            step = gatehouse_tls_shake(tls, &fault);
            is_agreed = step == gatehouse_tls_done;
        }
        if (is_agreed) {
            size_t part = 0;
            char bytes[64];
            step = gatehouse_tls_decrypt(tls, bytes, sizeof bytes, &part, &fault);
            if (step == gatehouse_tls_done) {
                promise(part > 0 && length + part <= sizeof words - 1, "more was read than was sent");
                memcpy(found + length, bytes, part);
                length += part;
            }
        }
        uint8_t bytes[1024];
        size_t moved;
        while ((moved = gatehouse_tls_take(tls, bytes, sizeof bytes)) > 0) library.give(in, bytes, (int)moved);
        library.forget_problems();
        bool is_accepted = accept_client(peer) == 1;
        if (is_accepted && !is_written) {
            is_written = library.write(peer, words, sizeof words - 1) > 0;
        }
        library.forget_problems();
        uint8_t *sent = malloc(piece);
        const int taken = library.take(out, sent, (int)piece);
        if (taken > 0) give_changed(tls, &way, sent, (size_t)taken);
        free(sent);
        if (taken <= 0 && step == gatehouse_tls_hungry && round > 64) break;
    }
    promise(memcmp(found, words, length) == 0, "what was read is not what was sent");
    promise(step != gatehouse_tls_failed || (fault.kind != gatehouse_redis_sound && fault.sentence[0] != 0), "a failure without words");
    promise(way.count >= 4 || length == sizeof words - 1, "nothing was changed, and not all was read");
    library.free(peer);
    gatehouse_tls_free(tls);
    return 0;
}
