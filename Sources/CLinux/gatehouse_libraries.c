// SPDX-License-Identifier: Apache-2.0

// dl_iterate_phdr is an extension that the C library shows only on request.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <link.h>
#include <stddef.h>

/// What the C library's callback is given.
struct visitor {
    void (*visit)(const char *path, void *context);
    void *context;
};

static int visit_one(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    const struct visitor *visitor = data;
    visitor->visit(info->dlpi_name != NULL ? info->dlpi_name : "", visitor->context);
    return 0;
}

void gatehouse_visit_libraries(void (*visit)(const char *path, void *context), void *context) {
    struct visitor visitor = {visit, context};
    dl_iterate_phdr(visit_one, &visitor);
}
