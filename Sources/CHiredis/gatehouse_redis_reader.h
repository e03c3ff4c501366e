// SPDX-License-Identifier: Apache-2.0
//
// The part of the library that a connection uses: it parses a server's answers. The library must have been loaded.

#ifndef GATEHOUSE_REDIS_READER_H
#define GATEHOUSE_REDIS_READER_H

#include "gatehouse_hiredis.h"

// Makes a reader; NULL when there is no memory.
void *gatehouse_redis_make_reader(void);
// Frees a reader, and the parts of an answer that it has read.
void gatehouse_redis_free_reader(void *reader);
// Passes bytes to a reader; false when earlier ones violate the protocol, or there is no memory.
bool gatehouse_redis_feed(void *reader, const void *bytes, size_t count);
// Takes the next answer, NULL when it is incomplete; false when it violates the protocol.
bool gatehouse_redis_read(void *reader, gatehouse_redis_reply **reply);

#endif
