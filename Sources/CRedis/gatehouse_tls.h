// SPDX-License-Identifier: Apache-2.0
//
// TLS by Debian's libssl, which is not linked but found when a connection first needs it. It never touches a socket: the caller
// takes the bytes to send from it, and gives it received ones.

#ifndef GATEHOUSE_TLS_H
#define GATEHOUSE_TLS_H

#include "gatehouse_redis.h"

// The sentence about a connection that the other side has closed.
static const char gatehouse_redis_closed[] = "the other side has closed the connection";

// One side of an encrypted connection.
struct gatehouse_tls;

// The result of a step.
enum gatehouse_tls_step {
    // It is done.
    gatehouse_tls_done,
    // More must be received before it can continue.
    gatehouse_tls_hungry,
    // It failed; see the fault.
    gatehouse_tls_failed,
};

// Prepares a connection to a server that must show a certificate for a name or an address; NULL with a fault.
struct gatehouse_tls *gatehouse_tls_make(const struct gatehouse_redis_tls *terms, struct gatehouse_redis_fault *fault);
void gatehouse_tls_free(struct gatehouse_tls *tls);

// Continues the handshake.
enum gatehouse_tls_step gatehouse_tls_shake(struct gatehouse_tls *tls, struct gatehouse_redis_fault *fault);
// Encrypts bytes; false with a fault.
bool gatehouse_tls_encrypt(struct gatehouse_tls *tls, const void *bytes, size_t count, struct gatehouse_redis_fault *fault);
// Decrypts as much as is available and fits; at least one byte when it is done.
enum gatehouse_tls_step gatehouse_tls_decrypt(struct gatehouse_tls *tls, void *bytes, size_t size, size_t *count,
                                              struct gatehouse_redis_fault *fault);
// Takes bytes to send, as many as fit; 0 when there are none.
size_t gatehouse_tls_take(struct gatehouse_tls *tls, void *bytes, size_t size);
// Passes it received bytes; false when there is no memory.
bool gatehouse_tls_give(struct gatehouse_tls *tls, const void *bytes, size_t count);

#endif
