// SPDX-License-Identifier: Apache-2.0
//
// Connections to a Redis, and its answers.
//
// Debian's libssl encrypts where that is configured. It is not linked but found when a host first needs it, so that a host without
// encryption runs on a machine without it.

#ifndef GATEHOUSE_REDIS_H
#define GATEHOUSE_REDIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A connection; used by one thread at a time.
typedef struct gatehouse_redis gatehouse_redis;
// An answer, or an element of one.
typedef struct gatehouse_redis_reply gatehouse_redis_reply;

// Creates a connection without a peer; NULL when there is no memory.
gatehouse_redis *_Nullable gatehouse_redis_make(void);
// Limits all following calls together to the given number of milliseconds, however often the other side sends something. Resolving a host
// name is not included.
void gatehouse_redis_begin(gatehouse_redis *_Nonnull redis, int milliseconds);
// Connect; look at the fault.
void gatehouse_redis_connect_unix(gatehouse_redis *_Nonnull redis, const char *_Nonnull path);
void gatehouse_redis_connect_tcp(gatehouse_redis *_Nonnull redis, const char *_Nonnull host, int port);

// The parameters of TLS; paths of files in PEM, NULL for none.
struct gatehouse_redis_tls {
    // The certificates of trusted authorities; NULL for those that the system trusts.
    const char *_Nullable authorities;
    // This side's certificate and its key; both or none.
    const char *_Nullable certificate, *_Nullable key;
    // The name, or the address, that the server's certificate must have.
    const char *_Nonnull server_name;
};
// Finds libssl. Returns NULL, or why it is unavailable, in the words of the dynamic loader.
const char *_Nullable gatehouse_tls_load(void);
// Encrypts everything that follows on a connection; look at the fault. libssl must have been loaded.
void gatehouse_redis_encrypt(gatehouse_redis *_Nonnull redis, const struct gatehouse_redis_tls *_Nonnull terms);

// The reason why a connection is unusable.
enum gatehouse_redis_fault_kind {
    // The connection is usable.
    gatehouse_redis_sound = 0,
    // The network, or the other side, has ended it.
    gatehouse_redis_broken = 1,
    // The other side does not speak the protocol.
    gatehouse_redis_strange = 2,
    // The certificate of the other side is not accepted; the number is that of X509_verify_cert_error_string.
    gatehouse_redis_distrusted = 3,
    // The two sides cannot agree on TLS parameters.
    gatehouse_redis_disagreed = 4,
    // The other side rejects this side's certificate; the number is that of the alert.
    gatehouse_redis_rejected = 5,
    // A file of this side cannot be used: the authorities, the certificate, the key; or the key is of another certificate.
    gatehouse_redis_authorities = 6,
    gatehouse_redis_certificate = 7,
    gatehouse_redis_key = 8,
    gatehouse_redis_mismatch = 9,
    // An answer exceeds a limit.
    gatehouse_redis_excessive = 10,
};
struct gatehouse_redis_fault {
    enum gatehouse_redis_fault_kind kind;
    int number;
    // The message of the system or of libssl.
    char sentence[160];
};
// The first fault of a connection, which it keeps.
const struct gatehouse_redis_fault *_Nonnull gatehouse_redis_fault_of(const gatehouse_redis *_Nonnull redis);
// The message of a fault.
const char *_Nonnull gatehouse_redis_words(const struct gatehouse_redis_fault *_Nonnull fault);

// Closes a connection.
void gatehouse_redis_close(gatehouse_redis *_Nonnull redis);

// Queues commands in the form of the protocol until the next answer is awaited; false when there is no memory.
bool gatehouse_redis_append(gatehouse_redis *_Nonnull redis, const void *_Nonnull bytes, size_t count);
// Sends the queued commands, and waits for the answer to the oldest unanswered one; NULL with a fault. The answer is valid until the
// next one is awaited, or the connection is closed.
const gatehouse_redis_reply *_Nullable gatehouse_redis_receive(gatehouse_redis *_Nonnull redis);

// The kind of an answer.
enum gatehouse_redis_kind {
    gatehouse_redis_string = 1,
    gatehouse_redis_array = 2,
    gatehouse_redis_integer = 3,
    gatehouse_redis_nil = 4,
    gatehouse_redis_status = 5,
    gatehouse_redis_failure = 6,
};
// A request about an answer of another kind, or a missing element, returns an empty result: nil, 0, no bytes, no elements.
int gatehouse_redis_kind_of(const gatehouse_redis_reply *_Nullable reply);
long long gatehouse_redis_number(const gatehouse_redis_reply *_Nullable reply);
const char *_Nullable gatehouse_redis_bytes(const gatehouse_redis_reply *_Nullable reply, size_t *_Nonnull length);
size_t gatehouse_redis_count(const gatehouse_redis_reply *_Nullable reply);
const gatehouse_redis_reply *_Nullable gatehouse_redis_element(const gatehouse_redis_reply *_Nullable reply, size_t index);

// The number that a text ends with; 0 without any.
uint64_t gatehouse_redis_number_at_end(const gatehouse_redis_reply *_Nullable reply);

// An entry of a stream, as XREAD returns it.
struct gatehouse_redis_entry {
    // Its id.
    uint64_t high, low;
    // Its fields "a", or "p", and "o"; NULL for a missing one.
    const void *_Nullable action;
    size_t action_length;
    const void *_Nullable origin;
    size_t origin_length;
    // Whether the action is from the field "p".
    bool is_packed;
};
// Reads an element of an array of entries; false when it is not an entry.
bool gatehouse_redis_entry_at(const gatehouse_redis_reply *_Nullable entries, size_t index,
                              struct gatehouse_redis_entry *_Nonnull entry);

#endif
