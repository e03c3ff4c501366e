// SPDX-License-Identifier: Apache-2.0

#include "ForeignMigrant.h"

#define FOREIGN_PROBE_TWO
#include "../ForeignProbe/ForeignProbe.c"
