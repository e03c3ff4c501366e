// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_LINUX_H
#define GATEHOUSE_LINUX_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Linux calls that Swift's Glibc module does not offer. Every function here returns a negative `errno` value when the system refuses, and
// never sets `errno` for the caller to read.
//
// Thread tags: [any-thread] callable at any time; [main-thread] call it on the main thread, [first] before any other thread exists;
// [one thread at a time] the caller must ensure it.

/// Creates an empty anonymous file that can be sealed, and returns its descriptor (close-on-exec, the caller's to close).
///
/// `name` is a NUL-terminated label of at most 249 bytes, seen only in /proc. The file is executable: kernels from 6.3 on are asked for
/// that, older ones make every such file executable. The corresponding C function is `memfd_create`. [any-thread]
int gatehouse_memfd_create(const char *name);

/// Makes the content and size of a file from `gatehouse_memfd_create` final: no write, growth, shrinking or
/// further seal.
///
/// Returns 0. Fails with `-EBUSY` while a writable shared mapping exists. The corresponding C call is
/// `fcntl(F_ADD_SEALS)` with all four seals. [any-thread]
int gatehouse_memfd_seal(int descriptor);

/// Fixes the size of a file in memory, whoever else has it; returns 0, or minus an errno. [any-thread]
int gatehouse_memfd_fix_size(int descriptor);

/// Acquires a shared lock on one byte of a file, after waiting for an exclusive one to end; returns 0.
///
/// The lock ends with the last descriptor of this opening of the file, so at the latest with the process; started programs do not have it
/// when the descriptor is close-on-exec. The byte need not exist. The corresponding C call is `fcntl(F_OFD_SETLKW)`. [any-thread]
int gatehouse_lock_share(int descriptor, long long byte);

/// Acquires an exclusive lock on one byte of a file for this opening of it, like `gatehouse_lock_share`; fails with `-EAGAIN` instead of
/// waiting when another opening has a lock, even one of this process. [any-thread]
int gatehouse_lock_alone(int descriptor, long long byte);

/// Releases a lock on one byte, even if others share this opening of the file: a child between fork and exec.
int gatehouse_lock_release(int descriptor, long long byte);

/// Handles SIGINT, SIGTERM, SIGHUP and SIGQUIT, and returns the end of a pipe that yields their numbers, one byte each.
///
/// A signal that was ignored when the program was started stays ignored. None of them is blocked on the calling thread and in forked
/// processes; programs that are started later have the default handlers again. The descriptor blocks and is close-on-exec; it stays open as
/// long as the process. The corresponding C function is `sigaction`. [main-thread, first]
int gatehouse_signals_open(void);

/// Waits for the next signal of a descriptor from `gatehouse_signals_open` and returns its number.
///
/// [any-thread]
int gatehouse_signals_next(int descriptor);

/// Makes a call fail where a signal would end the process: writing to a closed pipe with `EPIPE` for SIGPIPE, writing beyond the size limit
/// with `EFBIG` for SIGXFSZ; returns 0.
///
/// Applies to the whole process, and not to programs that it starts. [any-thread]
int gatehouse_outlive(int signal);

/// Ends the process by the default action of a signal. [any-thread]
void gatehouse_end_by_signal(int signal);

// MARK: - The service manager

/// Sends one datagram at a connected socket, with a copy of a descriptor unless that is negative; returns 0. The corresponding C function is
/// `sendmsg`. [any-thread]
int gatehouse_send_with(int sender, const void *bytes, size_t count, int descriptor);

// MARK: - Descriptors from others

/// Receives the next message of a connected socket that keeps messages apart, and the descriptor that came with it: close-on-exec, the
/// caller's to close; -1 for none. Waits for one; a signal does not end that.
///
/// Returns its size, 0 when the peer has closed, `-EMSGSIZE` for a message that does not fit, which is dropped with its descriptor. Of
/// several descriptors all but the first are closed. The corresponding C function is `recvmsg`. [any-thread]
long gatehouse_receive_with(int receiver, void *bytes, size_t room, int *descriptor);

// MARK: - Output

/// The size of the memory for lines that wait to be written.
#define GATEHOUSE_OUTPUT_BYTES 65536

/// Sets where the process writes its results; before that there is nothing to rescue. [any-thread]
void gatehouse_output_open(int descriptor);

/// Appends a whole line, with its ending, to the waiting ones; false when there is no room. [one thread at a time]
bool gatehouse_output_append(const void *line, size_t count);

/// Writes all waiting lines, however long that takes, even to a nonblocking descriptor; afterwards none is waiting.
///
/// Returns 0, or the `errno` value that prevented writing the rest. [one thread at a time]
int gatehouse_output_flush(void);

/// Writes bytes too large to wait, like `gatehouse_output_flush`. [one thread at a time]
int gatehouse_output_write(const void *bytes, size_t count);

/// Writes the waiting lines within the given number of milliseconds; returns whether all are written.
///
/// Never blocks, takes no lock, and may be called from a signal handler and while another thread writes. [any-thread]
bool gatehouse_output_rescue(int milliseconds);

/// Writes as many bytes as a descriptor takes at once, even if others write there too; returns how many, or the negated error. [any-thread]
long gatehouse_write_now(int descriptor, const void *bytes, size_t count);

/// Writes bytes to any descriptor within the given number of milliseconds; returns how many.
///
/// Never blocks, and may be called from a signal handler. [any-thread]
size_t gatehouse_write_within(int descriptor, const void *bytes, size_t count, int milliseconds);

/// Posts JSON to a URL of HTTP by libcurl, and returns the status of the answer; 0 with the reason in `reason` when there is none.
///
/// Loads libcurl at the first call. Sleeps up to `milliseconds`. [any-thread]
long gatehouse_post_json(
    const char *address, const void *bytes, size_t count, long milliseconds, char *reason, size_t room);

/// Writes the header `traceparent` of the action that the calling thread has in hand, with a NUL; returns its length, 0 for none.
typedef size_t (*gatehouse_trace_source)(char *text, size_t room);

/// Sets the source of `gatehouse_traceparent`; NULL for none. [any-thread]
void gatehouse_set_trace_source(gatehouse_trace_source function);

/// Whether the host of this process makes spans. For plugins, which find it in the program by its name. [any-thread]
bool gatehouse_is_traced(void);

/// Writes the header `traceparent` of the action that the calling thread has in hand, as the source does; 0 without a source. For
/// plugins, which find it in the program by its name. [any-thread]
size_t gatehouse_traceparent(char *text, size_t room);

/// Makes a crash report its culprit in one line, as far as a flight recorder knows, and write waiting lines, within a second, before it continues
/// as usual.
///
/// Call it once, after other crash handlers are installed. [main-thread]
void gatehouse_tell_crashes(void);

/// Makes the line of a crash one JSON object with the members time, level and message, or text again. [any-thread]
void gatehouse_tell_crashes_as_json(bool is_json);

/// Makes a crash report its calls as well, each as a line `gatehouse call: LIBRARY+0xOFFSET`, the innermost first, and look for no source
/// line itself: for a process whose parent finds the lines while it goes on. LIBRARY is the last part of a path, and empty for the
/// program. [any-thread]
void gatehouse_tell_calls(void);

/// Makes the C library flush standard output after each line, whatever its destination. [main-thread]
void gatehouse_print_by_lines(void);

// MARK: - Threads and ends

/// Starts a thread that is never joined, with the usual stack size of a first thread; returns 0. The result of its function is
/// dropped. [any-thread]
int gatehouse_start_thread(void *(*function)(void *context), void *context);

/// Calls a function on another thread, and serves libdispatch's main queue, and so Swift's main actor, on the calling one.
///
/// Returns only when the system refuses the thread. The function begins with `gatehouse_begin_work`, ends the process, even if the main
/// queue is blocked for ever, and never returns: no plugin code runs at the end of a thread, and children that die with the thread that
/// started them live on. [main-thread]
int gatehouse_serve_main_queue(void *(*function)(void *context), void *context);

/// Makes the calling thread the one that does the program's work: a SIGABRT that another process sends reaches it. [any-thread]
void gatehouse_begin_work(void);

/// Arguments of the function of `gatehouse_guard_end`, in place of the status of `exit`.
enum { GATEHOUSE_MAIN_THREAD_ENDS = -0x7fff0001, GATEHOUSE_OTHER_THREAD_ENDS = -0x7fff0002 };

/// Calls a function when code ends the process through `exit`, `_exit` or `quick_exit`, with the status, when the calling thread ends, or
/// when another watched thread ends.
///
/// The function is called on the thread that does so, and may end the process in another way. Forked processes do not call it. Returns 0.
/// The corresponding C functions are `on_exit` and `pthread_key_create`. [main-thread]
int gatehouse_guard_end(void (*function)(int status));

/// Disables the function of `gatehouse_guard_end`: the end is intended now. [any-thread]
void gatehouse_expect_end(void);

/// Whether the calling thread is already watched.
extern __thread bool gatehouse_is_watched;

/// Watches for the end of the calling thread from here on, once there is a guard.
void gatehouse_begin_to_watch(void);

/// Makes the guard of ends watch the calling thread; the second call costs three instructions. [any-thread]
static inline void gatehouse_watch_thread(void) {
    if (__builtin_expect(!gatehouse_is_watched, 0)) { gatehouse_begin_to_watch(); }
}

// MARK: - Descriptors of the host

/// Declares that a descriptor is the host's until it is closed: a forked child closes it, together with all listening sockets, and a plugin
/// that closes it ends the host. [any-thread]
void gatehouse_own(int descriptor);

// MARK: - Waiting for many descriptors

/// The readiness of a descriptor, wanted or found; the corresponding C constants are `EPOLLIN`, `EPOLLOUT`, `EPOLLHUP` with `EPOLLERR`,
/// which are always reported, and `EPOLLONESHOT`.
enum {
    GATEHOUSE_READABLE = 1,
    GATEHOUSE_WRITABLE = 2,
    GATEHOUSE_HUNG_UP = 4,
    GATEHOUSE_ONCE = 8,
};

/// A ready descriptor.
struct gatehouse_ready {
    /// The caller's name for the descriptor.
    unsigned long long token;
    /// Its readiness.
    int readiness;
};

/// Creates a set of descriptors to wait for; close-on-exec, the caller's to close. The corresponding C function is `epoll_create1`.
/// [any-thread]
int gatehouse_poll_open(void);

/// Adds a descriptor to a set, or changes its wanted readiness; returns 0.
///
/// Fails with `-EPERM` for a regular file, which is always ready. After a one-shot descriptor was ready, it is ignored until the next call.
/// The corresponding C function is `epoll_ctl`. [any-thread]
int gatehouse_poll_set(int set, int descriptor, int readiness, unsigned long long token);

/// Removes a descriptor that is still open from a set; returns 0. [any-thread]
int gatehouse_poll_remove(int set, int descriptor);

/// Waits until some are ready, at most the given number of milliseconds, -1 for no limit; returns how many.
///
/// An arriving signal counts as none being ready. The corresponding C function is `epoll_wait`. [any-thread]
int gatehouse_poll_wait(int set, struct gatehouse_ready *ready, int capacity, int milliseconds);

/// Creates a counter that is readable while it is not zero; nonblocking, close-on-exec, the caller's to close. Writing eight bytes adds
/// them, reading eight sets it to zero. The corresponding C function is `eventfd`. [any-thread]
int gatehouse_counter_open(void);

// MARK: - Changes of files

/// Creates a watcher of changes in folders; nonblocking, close-on-exec, the caller's to close. The corresponding C function is
/// `inotify_init1`. [any-thread]
int gatehouse_changes_open(void);

/// Watches a folder for everything that is written, made, moved or removed in it; returns a number above zero.
///
/// The same folder returns the same number again. The corresponding C function is `inotify_add_watch`. [any-thread]
int gatehouse_changes_add(int changes, const char *folder);

/// Stops watching a folder; returns 0. [any-thread]
int gatehouse_changes_remove(int changes, int number);

/// Discards the recorded changes; returns whether there were any. Changes that were lost because there were too many count too.
/// [any-thread]
int gatehouse_changes_take(int changes);

// MARK: - Local sockets

/// Accepts the next connection to a listening socket, `-EAGAIN` for none; nonblocking, close-on-exec, the caller's to close. The
/// corresponding C function is `accept4`. [any-thread]
int gatehouse_local_accept(int listener);

/// The id of the peer's user when the connection was made. The corresponding C call is `getsockopt(SO_PEERCRED)`. [any-thread]
long long gatehouse_local_user(int socket);

/// Opens the process of the peer, the one that listens; fails where this process cannot see it. [any-thread]
int gatehouse_local_process(int socket);

// MARK: - Children

/// Limits how many bytes of memory of its own another process may have; 0, or a negative error number. [any-thread]
int gatehouse_limit_memory(int process, unsigned long bytes);

/// Opens a descriptor that becomes readable when a child of this process has ended; close-on-exec, the caller's to close.
///
/// The corresponding C function is `pidfd_open`. [any-thread]
int gatehouse_open_process(int process);

/// Ends this process, without ever writing a core file, when the thread that started it has ended; returns 0.
///
/// `parent` is the process of that thread; fails when it has already ended. The corresponding C function is `prctl(PR_SET_PDEATHSIG)`.
/// [main-thread, first]
int gatehouse_end_with_parent(int parent);

/// The action of a signal: 0 for its default, 1 when it is ignored, otherwise the address of its handler. The corresponding C function is
/// `sigaction`. [any-thread]
unsigned long gatehouse_signal_action(int signal);

/// Makes descendants of this process its children when their parents end; returns 0.
///
/// Applies until the process ends; programs that it starts do not inherit it. The corresponding C function is
/// `prctl(PR_SET_CHILD_SUBREAPER)`. [any-thread]
int gatehouse_adopt_orphans(void);

/// Blocks SIGINT, SIGTERM, SIGHUP and SIGQUIT in this process, and returns a descriptor that yields them; close-on-exec, nonblocking. The
/// corresponding C function is `signalfd`. [main-thread, first]
int gatehouse_supervisor_signals(void);

/// The next signal of a descriptor from `gatehouse_supervisor_signals`, `-EAGAIN` for none; also reports whether a terminal sent it, to all
/// its foreground processes. [any-thread]
int gatehouse_supervisor_signal(int descriptor, bool *is_from_terminal);

/// Starts a program that ends in good order when this process ends; returns its process id.
///
/// It finds the descriptors from 3 on, in their order. `identifier` points to ten characters of its environment, which are replaced by its
/// own process id. Only for a process with one thread. The corresponding C functions are `fork` and `execve`. [main-thread]
int gatehouse_start_supervised(
    const char *program, char *const *arguments, char *const *environment, char *identifier,
    const int *descriptors, int count);

/// Starts a program that goes on when this process ends; returns its process id.
///
/// Like `gatehouse_start_supervised`, but callable from any thread, and `output` becomes the program's standard output unless it is below
/// 0. [any-thread]
int gatehouse_start_successor(
    const char *program, char *const *arguments, char *const *environment, char *identifier, const int *descriptors,
    int count, int output);

/// A child of this process that has ended and was not waited for; 0 for none. [any-thread]
int gatehouse_ended_child(void);

/// Lets the system ask this process to end when its parent does. Of a parent with several threads, the one counts that has started this
/// process. [any-thread]
void gatehouse_stop_with_parent(void);

/// Receives a message of a process, terminated by a zero; returns 0 for a message of another process, `-EAGAIN` for none.
///
/// `descriptor` is the one that came with it, close-on-exec and the caller's to close; -1 for none. Of several all but the first are
/// closed. [any-thread]
long gatehouse_relay_take(int relay, int process, char *message, size_t room, int *descriptor);

/// The name of a signal without "SIG" in front, such as "ILL"; NULL for none. The corresponding C function is
/// `sigabbrev_np`. [any-thread]
const char *gatehouse_signal_name(int signal);

/// Removes a folder with all its contents, without following links, however deep they are and whatever rights their owner has taken
/// from himself; returns 0, or minus an errno when something stays. It takes the same memory and descriptors for any tree. [any-thread]
int gatehouse_remove_tree(const char *path);

/// Calls `visit` with the path of each library that is mapped into this process, in the order of loading, and with its own name.
///
/// The path is as the loader opened it and empty for the program itself; the name is empty for a library without one. Both are valid during
/// the call. `visit` must not load libraries. The corresponding C function is `dl_iterate_phdr`. [any-thread]
void gatehouse_visit_libraries(void (*visit)(const char *path, const char *name, void *context), void *context);

/// Claims SIGTRAP for the counting of instructions until `gatehouse_release_steps`; returns 0, or minus an errno: -ENOTSUP for a processor
/// that cannot do that to itself.
///
/// No thread counts more than `limit`. A thread that blocks SIGTRAP while it counts ends the process. [one thread at a time]
int gatehouse_claim_steps(unsigned long long limit);

/// Gives SIGTRAP back; no thread counts any more. [one thread at a time]
void gatehouse_release_steps(void);

/// Sets the most that each thread counts from here on, also those that are counting. [any-thread, while claimed]
void gatehouse_limit_steps(unsigned long long limit);

/// Begins to count the instructions that this thread executes outside of the kernel, or goes on with that.
///
/// The processor traps after each instruction, so they take some thousand times as long; beyond the limit they run as ever, and are not
/// counted. [any-thread, while claimed]
void gatehouse_begin_steps(void);

/// Counts no more instructions of this thread until it begins again. [any-thread, while claimed]
void gatehouse_pause_steps(void);

/// Returns how many instructions of this thread were counted, and begins again with 0. [any-thread]
unsigned long long gatehouse_take_steps(void);

/// The bytes of the C library's heap that are allocated, and what was mapped for large blocks; a thread's few recently freed blocks count as
/// allocated. It takes longer the more free blocks there are. The corresponding C function is `mallinfo2`. [any-thread]
long long gatehouse_live_bytes(void);

/// Gives the free pages of the C library's heap back to the system: what a start needed once stays with the process otherwise. Others wait
/// meanwhile that allocate, some milliseconds where much is free. The corresponding C function is `malloc_trim`. [any-thread]
void gatehouse_trim_heap(void);

#ifdef __cplusplus
}
#endif

#endif
