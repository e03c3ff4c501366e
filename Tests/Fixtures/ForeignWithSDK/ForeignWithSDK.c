// SPDX-License-Identifier: Apache-2.0

#include "ForeignWithSDK.h"

#include "gatehouse_foreign.h"

GATEHOUSE_MANIFEST({
    "id": "broken", "version": "1.0.0", "summary": "Links the SDK", "consumes": ["hello"]
});

// Never to be called.
const struct gatehouse_foreign_plugin_v1 *GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *host) {
    (void)host;
    return NULL;
}
