// SPDX-License-Identifier: Apache-2.0

// dl_iterate_phdr is an extension that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_linux.h"

#include <link.h>
#include <stddef.h>

/// The context of the C library's callback.
struct visitor {
    void (*visit)(const char *path, const char *name, void *context);
    void *context;
};

/// The own name of a mapped library, in the library's memory.
static const char *name_of(const struct dl_phdr_info *info) {
    for (int index = 0; index < info->dlpi_phnum; index++) {
        if (info->dlpi_phdr[index].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[index].p_vaddr);
        ElfW(Addr) strings = 0, name = 0;
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
            if (entry->d_tag == DT_SONAME) name = entry->d_un.d_val;
        }
        if (strings == 0 || name == 0) return "";
        // The loader has relocated the address of the strings where the section is writable.
        return (const char *)((strings < info->dlpi_addr ? info->dlpi_addr : 0) + strings + name);
    }
    return "";
}

static int visit_one(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    const struct visitor *visitor = data;
    visitor->visit(info->dlpi_name != NULL ? info->dlpi_name : "", name_of(info), visitor->context);
    return 0;
}

void gatehouse_visit_libraries(
    void (*visit)(const char *path, const char *name, void *context), void *context) {
    struct visitor visitor = {visit, context};
    dl_iterate_phdr(visit_one, &visitor);
}
