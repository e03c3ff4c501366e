// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_ZLIB_H
#define GATEHOUSE_ZLIB_H

#include <zlib.h>

#endif
