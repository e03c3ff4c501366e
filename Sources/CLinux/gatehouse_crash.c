// SPDX-License-Identifier: Apache-2.0

// _dl_find_object and the registers of ucontext_t are extensions that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_account.h"
#include "gatehouse_frames.h"
#include "gatehouse_linux.h"
#include "gatehouse_places.h"
#include "gatehouse_texts.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// MARK: - Stacks for handlers

/// As much as Swift's backtrace and the handler here need together.
enum { alternative_bytes = 64 << 10 };

/// Frees the stack of a thread.
static void take_back(void *stack) {
    const stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    munmap(stack, alternative_bytes);
}

static pthread_key_t stack_key;
static bool has_stack_key;

static void make_stack_key(void) { has_stack_key = pthread_key_create(&stack_key, take_back) == 0; }

// Early, for the same reason as the key of gatehouse_threads.c.
__attribute__((section(".preinit_array"), used)) static void (*const make_stack_key_first)(void) = make_stack_key;

void gatehouse_prepare_thread(void) {
    stack_t now;
    if (!has_stack_key || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE)) { return; }
    void *memory =
        mmap(NULL, alternative_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) { return; }
    const stack_t alternative = {.ss_sp = memory, .ss_size = alternative_bytes};
    if (sigaltstack(&alternative, NULL) != 0 || pthread_setspecific(stack_key, memory) != 0) { take_back(memory); }
}

// MARK: - Frames

/// A search for the first plugin among frames.
struct image_search {
    const struct gatehouse_recorder *recorder;
    /// The image found.
    uint64_t image;
};

static bool find_image(void *context, uint64_t address) {
    struct image_search *search = context;
    search->image = gatehouse_recorder_image_at(search->recorder, address);
    return search->image != GATEHOUSE_RECORDER_IMAGES;
}

/// The first plugin among the frames of a thread; `GATEHOUSE_RECORDER_IMAGES` for none.
static uint64_t image_among_frames(const struct gatehouse_recorder *recorder, const struct registers registers) {
    struct image_search search = {recorder, GATEHOUSE_RECORDER_IMAGES};
    return visit_frames(registers, find_image, &search) ? search.image : GATEHOUSE_RECORDER_IMAGES;
}

/// Whether an address is in code of this project outside plugins: in the program itself, or in the SDK.
static bool is_in_host(uint64_t address) {
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)address, &found) != 0) { return false; }
    const char *name = found.dlfo_link_map == NULL ? NULL : found.dlfo_link_map->l_name;
    return name == NULL || name[0] == 0 || strstr(name, "/libGatehouseSDK.so") != NULL;
}

/// Finds the line where it happened: the first one of a plugin among the frames, or else the first of the host.
///
/// Code without a line is named by its library. Lines of the compiler and of Rust's own libraries are skipped.
static void place_crash(
    const struct gatehouse_recorder *recorder, const struct registers registers, struct gatehouse_account *account) {
    static uint64_t addresses[64];
    static struct gatehouse_place place;
    const size_t count = collect_frames(registers, addresses, sizeof addresses / sizeof *addresses);
    bool has_plugin = false;
    for (size_t index = 0; index < count; index++) {
        has_plugin = has_plugin || gatehouse_recorder_image_at(recorder, addresses[index]) != GATEHOUSE_RECORDER_IMAGES;
    }
    for (size_t index = 0; index < count; index++) {
        const uint64_t address = addresses[index];
        const bool is_own =
            has_plugin ? gatehouse_recorder_image_at(recorder, address) != GATEHOUSE_RECORDER_IMAGES : is_in_host(address);
        if (!is_own || !gatehouse_place_of(address, &place)) { continue; }
        if (place.line > 0 && !gatehouse_place_is_written(&place)) { continue; }
        gatehouse_account_set_place(account, &place);
        return;
    }
}

// MARK: - The handler

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS};
enum { fatal_count = sizeof fatal_signals / sizeof *fatal_signals };
/// The previous handlers.
static struct sigaction earlier[fatal_count];
static atomic_bool is_crashing;
static atomic_bool is_over;
/// Whether calls are reported, for others to find their lines.
static atomic_bool tells_calls;
/// Whether the line is an entry of a log of JSON lines.
static atomic_bool tells_json;
/// The process whose end is reported; one that a plugin forks shares its flight recorder, but is another.
static pid_t watched_process;
/// The flight recorder of the host in this process; NULL for none.
static _Atomic(struct gatehouse_recorder *) watched_box;
/// Static because it is too large for a handler's stack; used by the first thread that dies.
static struct gatehouse_account account;

/// The instance that made this thread, as its number plus 1; 0 for none.
static __thread uint64_t owner_here;

void gatehouse_recorder_watch(struct gatehouse_recorder *recorder) { atomic_store(&watched_box, recorder); }

void gatehouse_recorder_set_owner(uint64_t owner) { owner_here = owner; }

/// Whether the code at a return address makes threads for a pool rather than for its caller.
static bool is_pool(const void *return_address) {
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)return_address, &found) != 0) { return false; }
    const char *name = found.dlfo_link_map == NULL ? NULL : found.dlfo_link_map->l_name;
    // The program itself has no name; its code makes the host's own threads.
    return name == NULL || name[0] == 0 || strstr(name, "libdispatch") != NULL || strstr(name, "libswift") != NULL;
}

uint64_t gatehouse_recorder_maker(const void *return_address) {
    const struct gatehouse_recorder *recorder = atomic_load(&watched_box);
    if (recorder == NULL || is_pool(return_address)) { return 0; }
    const struct gatehouse_recorder_drain *drain = gatehouse_recorder_drain_at(recorder, gatehouse_recorder_drain_here(recorder));
    if (drain != NULL) { return (gatehouse_recorder_work(drain) >> 8) + 1; }
    const uint64_t instance = gatehouse_recorder_instance_of_task(recorder, gatehouse_recorder_task());
    if (instance != 0) { return instance; }
    if (owner_here != 0) { return owner_here; }
    return gatehouse_recorder_instance_of_image(recorder, image_among_frames(recorder, registers_here()));
}

/// Records a drain in a death; returns whether there is such a drain, whose work is then to blame.
static bool attribute_drain(const struct gatehouse_recorder *recorder, uint32_t number, struct gatehouse_recorder_death *death) {
    const struct gatehouse_recorder_drain *drain = gatehouse_recorder_drain_at(recorder, number);
    death->drain = number;
    death->work = drain == NULL ? 0 : gatehouse_recorder_work(drain);
    if (drain != NULL) { death->blame = GATEHOUSE_BLAME_RECORD; }
    return drain != NULL;
}

/// Determines whose code the calling thread runs, and records it in a death.
///
/// - Parameter registers: where the thread is.
static void attribute_here(
    const struct gatehouse_recorder *recorder, const struct registers registers, struct gatehouse_recorder_death *death) {
    if (attribute_drain(recorder, gatehouse_recorder_drain_here(recorder), death)) { return; }
    death->owner = owner_here;
    death->image = image_among_frames(recorder, registers);
    if (death->image != GATEHOUSE_RECORDER_IMAGES) { death->blame = GATEHOUSE_BLAME_FRAMES; }
    gatehouse_recorder_find_effect(recorder, gatehouse_recorder_task(), death);
}

/// Determines the culprit, and records it in the flight recorder.
static void attribute(struct gatehouse_recorder *recorder, int signal, const siginfo_t *info, const ucontext_t *context) {
    struct gatehouse_recorder_death *death = &recorder->death;
    death->signal = signal;
    death->code = info->si_code;
    death->address = info->si_code > 0 ? (uint64_t)(uintptr_t)info->si_addr : 0;
    death->blame = GATEHOUSE_BLAME_NOBODY;
    death->image = GATEHOUSE_RECORDER_IMAGES;
    // A signal from another process may reach any thread: it says nothing about the one it reached.
    const bool is_sent = info->si_code <= 0 && info->si_code != SI_TKILL && info->si_pid != getpid();
    death->is_sent = is_sent;
    if (is_sent) {
        attribute_drain(recorder, gatehouse_recorder_only_drain(recorder), death);
    } else {
        attribute_here(recorder, registers_of(context), death);
    }
    __atomic_store_n(&death->is_told, 1, __ATOMIC_RELEASE);
}

/// The calls of the thread that died or, where another process has ended this one, of the one that is in a drain.
static size_t collect_calls(
    const struct gatehouse_recorder *recorder, const struct registers registers, uint64_t *addresses, size_t room) {
    if (!account.is_sent) { return collect_frames(registers, addresses, room); }
    const struct gatehouse_recorder_drain *drain = gatehouse_recorder_drain_at(recorder, gatehouse_recorder_only_drain(recorder));
    return drain == NULL ? 0 : gatehouse_stack_of(gatehouse_recorder_thread_of(drain), addresses, room, 500);
}

/// Reports the calls of a death, a line each.
static void tell_all_calls(const struct gatehouse_recorder *recorder, const struct registers registers) {
    static uint64_t addresses[32];
    static char line[160];
    static const char before[] = "gatehouse call: ", digits[] = "0123456789abcdef";
    const size_t count = collect_calls(recorder, registers, addresses, sizeof addresses / sizeof *addresses);
    for (size_t index = 0; index < count; index++) {
        struct dl_find_object found;
        if (_dl_find_object((void *)(uintptr_t)addresses[index], &found) != 0 || found.dlfo_link_map == NULL) { continue; }
        const char *name = found.dlfo_link_map->l_name == NULL ? "" : found.dlfo_link_map->l_name;
        const char *slash = strrchr(name, '/');
        memcpy(line, before, sizeof before - 1);
        copy_line(line + sizeof before - 1, slash == NULL ? name : slash + 1, 100);
        size_t length = strlen(line);
        memcpy(line + length, "+0x", 3);
        length += 3;
        const uint64_t offset = addresses[index] - found.dlfo_link_map->l_addr;
        int shift = 60;
        while (shift > 0 && offset >> shift == 0) { shift -= 4; }
        for (; shift >= 0; shift -= 4) { line[length++] = digits[offset >> shift & 0xf]; }
        line[length++] = '\n';
        gatehouse_write_within(STDERR_FILENO, line, length, 250);
    }
}

/// Writes a number of at most 9999 with leading zeros, and returns where it ends.
static char *put_digits(char *at, unsigned number, int width) {
    for (int digit = width - 1; digit >= 0; digit--, number /= 10) { at[digit] = (char)('0' + number % 10); }
    return at + width;
}

/// Writes the present moment, such as `2026-01-31T12:00:00.250Z`, and returns where it ends; calls nothing that takes a lock, as
/// `gmtime_r` may.
static char *put_time(char *at) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t seconds = now.tv_sec > 0 ? (uint64_t)now.tv_sec : 0;
    // Years begin in March here, so that the day that some years lack is the last one, and an era has 400 years.
    const uint64_t days = seconds / 86400 + 719468, era = days / 146097;
    const unsigned day = (unsigned)(days % 146097), rest = (unsigned)(seconds % 86400);
    const unsigned year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    const unsigned in_year = day - (365 * year + year / 4 - year / 100), month = (5 * in_year + 2) / 153;
    at = put_digits(at, (unsigned)(era * 400) + year + (month >= 10), 4);
    *at++ = '-';
    at = put_digits(at, month < 10 ? month + 3 : month - 9, 2);
    *at++ = '-';
    at = put_digits(at, in_year - (153 * month + 2) / 5 + 1, 2);
    *at++ = 'T';
    at = put_digits(at, rest / 3600, 2);
    *at++ = ':';
    at = put_digits(at, rest / 60 % 60, 2);
    *at++ = ':';
    at = put_digits(at, rest % 60, 2);
    *at++ = '.';
    at = put_digits(at, (unsigned)(now.tv_nsec / 1000000), 3);
    *at++ = 'Z';
    return at;
}

/// Writes a sentence that ends with a line feed as an entry of a log of JSON lines.
static void tell_as_json(const char *sentence, size_t count) {
    static const char time[] = "{\"time\":\"", message[] = "\",\"level\":\"error\",\"message\":\"", end[] = "\"}\n";
    static char line[sizeof time + 24 + sizeof message + 6 * 1024 + sizeof end];
    static const char digits[] = "0123456789abcdef";
    memcpy(line, time, sizeof time - 1);
    char *at = put_time(line + sizeof time - 1);
    memcpy(at, message, sizeof message - 1);
    at += sizeof message - 1;
    for (size_t index = 0; index + 1 < count && index < 1024; index++) {
        const unsigned char byte = (unsigned char)sentence[index];
        if (byte < 0x20 || byte == 0x7f) {
            memcpy(at, "\\u00", 4);
            at[4] = digits[byte >> 4];
            at[5] = digits[byte & 0xf];
            at += 6;
            continue;
        }
        if (byte == '"' || byte == '\\') { *at++ = '\\'; }
        *at++ = (char)byte;
    }
    memcpy(at, end, sizeof end - 1);
    gatehouse_write_within(STDERR_FILENO, line, (size_t)(at - line) + sizeof end - 1, 250);
}

/// Reports in one line the culprit and the source line, or the calls in lines of their own.
///
/// - Parameter registers: where the thread stopped; NULL to name no line.
static void tell(const struct gatehouse_recorder *recorder, const struct registers *registers) {
    static char line[1024];
    static const char before[] = "gatehouse: ", after[] = "; the process ends\n";
    if (!gatehouse_recorder_read_death(recorder, &account)) { return; }
    const bool is_place_told = registers != NULL && !account.is_sent && !atomic_load(&tells_calls);
    if (is_place_told) { place_crash(recorder, *registers, &account); }
    memcpy(line, before, sizeof before - 1);
    size_t count = sizeof before - 1;
    count += gatehouse_account_sentence(&account, line + count, sizeof line - count - sizeof after);
    memcpy(line + count, after, sizeof after - 1);
    if (atomic_load(&tells_json)) {
        tell_as_json(line + sizeof before - 1, count + sizeof after - sizeof before);
    } else {
        gatehouse_write_within(STDERR_FILENO, line, count + sizeof after - 1, 250);
    }
    if (registers != NULL && atomic_load(&tells_calls)) { tell_all_calls(recorder, *registers); }
}

/// Waits for another thread that is already reporting.
static void let_finish(void) {
    const struct timespec moment = {.tv_nsec = 10000000};
    for (int turn = 0; turn < 300 && !atomic_load(&is_over); turn++) { nanosleep(&moment, NULL); }
}

/// Calls the previous handler of a signal.
static void hand_on(int signal, siginfo_t *info, void *context) {
    for (size_t index = 0; index < fatal_count; index++) {
        const struct sigaction *before = &earlier[index];
        if (fatal_signals[index] != signal) { continue; }
        // With the mask that the system would have set: Swift's own handler lets signals in while it examines memory.
        pthread_sigmask(SIG_BLOCK, &before->sa_mask, NULL);
        if (before->sa_flags & SA_NODEFER) {
            sigset_t own;
            sigemptyset(&own);
            sigaddset(&own, signal);
            pthread_sigmask(SIG_UNBLOCK, &own, NULL);
        }
        if (before->sa_flags & SA_SIGINFO) {
            before->sa_sigaction(signal, info, context);
        } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
            before->sa_handler(signal);
        }
    }
}

/// Lets a signal end the process from here on.
static void forget(int signal) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

/// Reports the culprit and writes buffered output, then calls the previous handler, and dies of the signal.
static void tell_and_go_on(int signal, siginfo_t *info, void *context) {
    // A crash in here ends the process.
    forget(signal);
    if (getpid() == watched_process) {
        if (!atomic_exchange(&is_crashing, true)) {
            struct gatehouse_recorder *recorder = atomic_load(&watched_box);
            if (recorder != NULL) {
                attribute(recorder, signal, info, context);
                const struct registers registers = registers_of(context);
                tell(recorder, &registers);
            }
            gatehouse_output_rescue(1000);
            atomic_store(&is_over, true);
        } else {
            let_finish();
        }
    }
    hand_on(signal, info, context);
    // Swift's own handler leaves behind the one that it installs to examine memory.
    forget(signal);
    // The instruction runs again and faults again; a signal that was sent must be sent again, and arrives when this returns.
    if (info->si_code <= 0 || signal == SIGTRAP || signal == SIGABRT) { raise(signal); }
}

void gatehouse_announce_end(int code) {
    gatehouse_expect_end();
    struct gatehouse_recorder *recorder = atomic_load(&watched_box);
    if (recorder != NULL) {
        __atomic_store_n(&recorder->announced_end, UINT64_C(1) << 32 | (uint64_t)(code & 0xff), __ATOMIC_RELEASE);
    }
}

void gatehouse_note_end(uint32_t end, int status, bool is_told_here) {
    struct gatehouse_recorder *recorder = atomic_load(&watched_box);
    if (recorder == NULL || atomic_exchange(&is_crashing, true)) { return; }
    struct gatehouse_recorder_death *death = &recorder->death;
    death->end = end;
    death->status = status;
    death->blame = GATEHOUSE_BLAME_NOBODY;
    death->image = GATEHOUSE_RECORDER_IMAGES;
    attribute_here(recorder, registers_here(), death);
    // The code in the drain may have closed descriptors, while the host notices it elsewhere.
    if (end == GATEHOUSE_END_DESCRIPTORS && death->blame == GATEHOUSE_BLAME_NOBODY && death->owner == 0) {
        attribute_drain(recorder, gatehouse_recorder_only_drain(recorder), death);
    }
    __atomic_store_n(&death->is_told, 1, __ATOMIC_RELEASE);
    if (is_told_here) { tell(recorder, NULL); }
    atomic_store(&is_over, true);
}

void gatehouse_tell_crashes_as_json(bool is_json) { atomic_store(&tells_json, is_json); }

void gatehouse_tell_calls(void) { atomic_store(&tells_calls, true); }

void gatehouse_tell_crashes(void) {
    watched_process = getpid();
    gatehouse_prepare_thread();
    for (size_t index = 0; index < fatal_count; index++) {
        struct sigaction action = {.sa_sigaction = tell_and_go_on, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        sigaction(fatal_signals[index], &action, &earlier[index]);
    }
}
