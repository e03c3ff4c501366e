// SPDX-License-Identifier: Apache-2.0

#include "ForeignRefusing.h"

#include <string.h>

#include "gatehouse_foreign.h"

GATEHOUSE_MANIFEST({
    "id": "broken", "version": "1.0.0", "summary": "Its entry refuses", "consumes": ["hello"], "emits": []
});

const struct gatehouse_foreign_plugin_v1 *GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *host) {
    const char *reason = "there is no moon tonight";
    struct gatehouse_text nothing = {NULL, 0}, words = {reason, strlen(reason)};
    host->refuse(0, nothing, words);
    return NULL;
}
