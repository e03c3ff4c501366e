// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_JQ_H
#define GATEHOUSE_JQ_H

// jv.h declares a function with a va_list, but does not include this header.
#include <stdarg.h>

#include <jq.h>
#include <jv.h>

#endif
