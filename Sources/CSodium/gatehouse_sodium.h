// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_SODIUM_H
#define GATEHOUSE_SODIUM_H

#include <sodium/core.h>
#include <sodium/crypto_generichash.h>
#include <sodium/crypto_sign_ed25519.h>
#include <sodium/utils.h>

#endif
