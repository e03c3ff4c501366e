// SPDX-License-Identifier: Apache-2.0

#include "planted.h"

#include <string.h>

// A test writes another name into a copy of the library, and another number where it wants one that is merely built once more. Without
// volatile the compiler would know both.
static const volatile char mark[64] = "planted regression: none                build 0000";

/// The place of the name in the mark.
enum { name_start = 20, name_length = 20 };

bool planted_has(const char *regression) {
    const size_t length = strlen(regression);
    if (length >= name_length) { return false; }
    for (size_t place = 0; place < length; place++) {
        if (mark[name_start + place] != regression[place]) { return false; }
    }
    return mark[name_start + length] == ' ';
}
