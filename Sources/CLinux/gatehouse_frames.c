// SPDX-License-Identifier: Apache-2.0

// _dl_find_object and process_vm_readv are extensions that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_frames.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

/// Reads two words of this process at any address; false when nothing is mapped there.
static bool read_pair(uint64_t address, uint64_t pair[2]) {
    struct iovec here = {pair, 2 * sizeof *pair};
    struct iovec there = {(void *)(uintptr_t)address, 2 * sizeof *pair};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)sizeof(uint64_t[2]);
}

struct registers registers_of(const ucontext_t *context) {
#if defined(__x86_64__)
    return (struct registers){
        (uint64_t)context->uc_mcontext.gregs[REG_RIP], (uint64_t)context->uc_mcontext.gregs[REG_RBP],
        (uint64_t)context->uc_mcontext.gregs[REG_RSP]};
#elif defined(__aarch64__)
    return (struct registers){
        context->uc_mcontext.pc, context->uc_mcontext.regs[29], context->uc_mcontext.sp};
#else
    (void)context;
    return (struct registers){0, 0, 0};
#endif
}

__attribute__((noinline)) struct registers registers_here(void) {
    const uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    return (struct registers){0, frame, frame};
}

/// The maximum size of a stack and length of a chain, and how much of a stack is searched for the first frame.
enum { most_stack = 64 << 20, most_frames = 4096, searched_bytes = 2048 };

/// Whether a word can be the address of the frame before the one at `frame`.
static bool leads_up(uint64_t frame, uint64_t next) {
    return next > frame && next - frame < most_stack && next % sizeof(uint64_t) == 0;
}

/// Whether a word can be a return address.
static bool is_in_code(uint64_t address) {
    struct dl_find_object found;
    return _dl_find_object((void *)(uintptr_t)address, &found) == 0;
}

/// Whether an address is in the C library, which keeps no frames.
static bool is_in_c_library(uint64_t address) {
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)address, &found) != 0 || found.dlfo_link_map == NULL) { return false; }
    const char *name = found.dlfo_link_map->l_name;
    return name != NULL && strstr(name, "/libc.so") != NULL;
}

/// Whether two consecutive frames begin at an address.
static bool is_chain(uint64_t frame) {
    uint64_t pair[2], next[2];
    return read_pair(frame, pair) && leads_up(frame, pair[0]) && is_in_code(pair[1]) && read_pair(pair[0], next)
        && is_in_code(next[1]);
}

/// Follows the chain of frames; returns whether the visitor stopped it.
static bool follow(uint64_t frame, frame_visitor visit, void *context) {
    uint64_t pair[2];
    for (int depth = 0; depth < most_frames && read_pair(frame, pair) && pair[1] != 0; depth++) {
        if (visit(context, pair[1] - 1)) { return true; }
        if (!leads_up(frame, pair[0])) { break; }
        frame = pair[0];
    }
    return false;
}

/// Whether the frame register can hold the address of a frame.
static bool has_frame(struct registers registers) {
    return registers.frame >= registers.stack && registers.frame - registers.stack < most_stack;
}

/// The address of the first chain of frames above the end of the stack; 0 for none.
///
/// The C library keeps no frames: those of its callers begin a little above.
static uint64_t find_chain(uint64_t stack) {
    for (uint64_t place = (stack + 7) & ~(uint64_t)7; place < stack + searched_bytes; place += 8) {
        if (is_chain(place)) { return place; }
    }
    return 0;
}

/// The calls around one of the C library, for a visitor.
struct callers {
    uint64_t instruction;
    frame_visitor visit;
    void *context;
    bool has_begun, is_stopped;
    int count;
};

static _Unwind_Reason_Code see_caller(struct _Unwind_Context *frame, void *context) {
    struct callers *callers = context;
    int is_interrupted = 0;
    const uint64_t address = _Unwind_GetIPInfo(frame, &is_interrupted);
    if (!callers->has_begun) {
        callers->has_begun = address == callers->instruction;
        return _URC_NO_REASON;
    }
    if (address == 0 || callers->count++ == most_frames) { return _URC_END_OF_STACK; }
    callers->is_stopped = callers->visit(callers->context, is_interrupted ? address : address - 1);
    return callers->is_stopped ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/// Shows the calls around one of the C library to a visitor; `is_found` says whether there are any.
///
/// The stack contains return addresses of earlier calls, so this uses the unwind tables of the libraries, which takes neither a lock nor
/// memory. Only for a signal that interrupted the calling thread.
static bool visit_callers(struct registers registers, frame_visitor visit, void *context, bool *is_found) {
    *is_found = false;
    if (registers.instruction == 0 || !is_in_c_library(registers.instruction)) { return false; }
    struct callers callers = {registers.instruction, visit, context, false, false, 0};
    _Unwind_Backtrace(see_caller, &callers);
    *is_found = callers.count > 0;
    return callers.is_stopped;
}

bool visit_frames(struct registers registers, frame_visitor visit, void *context) {
    if (registers.instruction != 0 && visit(context, registers.instruction)) { return true; }
    bool is_found = false;
    if (visit_callers(registers, visit, context, &is_found)) { return true; }
    if (!is_found && has_frame(registers) && follow(registers.frame, visit, context)) { return true; }
    const uint64_t chain = find_chain(registers.stack);
    return chain != 0 && follow(chain, visit, context);
}

/// Collected addresses.
struct collection {
    uint64_t *addresses;
    size_t count, room;
};

static bool collect(void *context, uint64_t address) {
    struct collection *collection = context;
    if (collection->count < collection->room) { collection->addresses[collection->count++] = address; }
    return collection->count == collection->room;
}

size_t collect_frames(struct registers registers, uint64_t *addresses, size_t room) {
    struct collection collection = {addresses, 0, room};
    if (registers.instruction != 0) { collect(&collection, registers.instruction); }
    bool is_found = false;
    visit_callers(registers, collect, &collection, &is_found);
    if (is_found) { return collection.count; }
    const size_t first = collection.count;
    if (has_frame(registers)) { follow(registers.frame, collect, &collection); }
    // A single one is a leftover of the C library in the register.
    if (collection.count < first + 2) {
        const uint64_t chain = find_chain(registers.stack);
        if (chain != 0) {
            collection.count = first;
            follow(chain, collect, &collection);
        }
    }
    return collection.count;
}
