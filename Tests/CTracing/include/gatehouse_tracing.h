// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_TRACING_H
#define GATEHOUSE_TRACING_H

/// Traces a process as a debugger does, without stopping it; returns 0, or an `errno` value. The calling thread must also let go of it.
int gatehouse_trace(int process);

/// Lets go of a process that the calling thread traces, which goes on; returns 0, or an `errno` value.
int gatehouse_release(int process);

#endif
