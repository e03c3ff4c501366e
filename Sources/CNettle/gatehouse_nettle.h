// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_NETTLE_H
#define GATEHOUSE_NETTLE_H

#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>

#endif
