// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_LINUX_H
#define GATEHOUSE_LINUX_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Linux calls that Swift's Glibc module does not offer. Every function here returns a negative `errno` value
// when the system refuses, and never sets `errno` for the caller to read.
//
// Thread tags: [any-thread] callable at any time; [main-thread] call it on the main thread, [first] before any other
// thread exists; [one thread at a time] the caller sees to it.

/// Creates an empty anonymous file that can be sealed, and returns its descriptor (close-on-exec, the
/// caller's to close).
///
/// `name` is a NUL-terminated label of at most 249 bytes, seen only in /proc. The file is asked to be
/// executable where the kernel knows that question (6.3 and later); older kernels make every such file
/// executable. The corresponding C function is `memfd_create`. [any-thread]
int gatehouse_memfd_create(const char *name);

/// Makes the content and size of a file from `gatehouse_memfd_create` final: no write, growth, shrinking or
/// further seal.
///
/// Returns 0. Fails with `-EBUSY` while a writable shared mapping exists. The corresponding C call is
/// `fcntl(F_ADD_SEALS)` with all four seals. [any-thread]
int gatehouse_memfd_seal(int descriptor);

/// Locks one byte of a file together with others who want it so, and waits for who wants it alone; returns 0.
///
/// The lock goes with the last descriptor of this opening of the file, so at the latest with the process, and no program that
/// is started has it when the descriptor is close-on-exec. The byte need not exist. The corresponding C call is
/// `fcntl(F_OFD_SETLKW)`. [any-thread]
int gatehouse_lock_share(int descriptor, long long byte);

/// Locks one byte of a file for this opening of it alone, like `gatehouse_lock_share`; fails with `-EAGAIN` instead of waiting
/// when another opening has it, be it one of this process. [any-thread]
int gatehouse_lock_alone(int descriptor, long long byte);

/// Gives up a lock on one byte of a file, whoever else has this opening of it too: a child between its making and its program.
int gatehouse_lock_release(int descriptor, long long byte);

/// Takes SIGINT, SIGTERM, SIGHUP and SIGQUIT, and returns the end of a pipe that gives their numbers, one byte each.
///
/// A signal that was ignored when the program was started stays ignored. On the calling thread and in processes that are
/// forked none of them is blocked; programs that are started later have their defaults back. The descriptor blocks and is close-on-exec; it stays open as long as the process. The
/// corresponding C function is `sigaction`. [main-thread, first]
int gatehouse_signals_open(void);

/// Waits for the next signal of a descriptor from `gatehouse_signals_open` and returns its number.
///
/// [any-thread]
int gatehouse_signals_next(int descriptor);

/// Lets a call fail where a signal would end the process: writing to a closed pipe with `EPIPE` for SIGPIPE, writing beyond
/// the size limit with `EFBIG` for SIGXFSZ; returns 0.
///
/// Holds for the whole process, and not for programs that it starts. [any-thread]
int gatehouse_outlive(int signal);

/// Ends the process as a signal does that nobody takes. [any-thread]
void gatehouse_end_by_signal(int signal);

// MARK: - The service manager

/// Sends one datagram to the socket of a service manager: a path, or `@` and a name without a file; returns 0.
///
/// Both texts are NUL-terminated. Waits so many milliseconds at most where the manager does not take it at once; 0 never
/// waits. A descriptor that is not negative goes with it as a copy. The corresponding function of libsystemd is
/// `sd_pid_notify_with_fds`. [any-thread]
int gatehouse_notify(const char *address, const char *message, int descriptor, int milliseconds);

// MARK: - Output

/// The size of the memory in which whole lines wait to be written.
#define GATEHOUSE_OUTPUT_BYTES 65536

/// Says where the process writes its results; before that there is nothing to rescue. [any-thread]
void gatehouse_output_open(int descriptor);

/// Puts a whole line, with its ending, behind those that wait; false when there is no room. [one thread at a time]
bool gatehouse_output_append(const void *line, size_t count);

/// Writes what waits, however long that takes, also to a descriptor that does not block; afterwards nothing waits.
///
/// Returns 0, or the `errno` value that kept the rest from being written. [one thread at a time]
int gatehouse_output_flush(void);

/// Writes bytes that are too many to wait, like `gatehouse_output_flush`. [one thread at a time]
int gatehouse_output_write(const void *bytes, size_t count);

/// Writes what waits for at most so many milliseconds; whether all is written.
///
/// Never blocks, takes no lock, and may be called from a signal handler and while another thread writes. [any-thread]
bool gatehouse_output_rescue(int milliseconds);

/// Writes as many bytes as a descriptor takes at once, whoever else writes there; returns how many, or the negated error.
/// [any-thread]
long gatehouse_write_now(int descriptor, const void *bytes, size_t count);

/// Writes bytes to any descriptor for at most so many milliseconds; returns how many.
///
/// Never blocks, and may be called from a signal handler. [any-thread]
size_t gatehouse_write_within(int descriptor, const void *bytes, size_t count, int milliseconds);

/// Makes a crash tell in one line who did it, as far as a black box knows, and write what waits, within a second, before it
/// goes on as it would have.
///
/// Call it once, when others who look at crashes have put their handlers in place. [main-thread]
void gatehouse_tell_crashes(void);

/// Lets the C library hand on what is printed to standard output line by line, whatever it leads to. [main-thread]
void gatehouse_print_by_lines(void);

// MARK: - Threads and ends

/// Starts a thread that nobody waits for, with as much stack as a first thread usually has; returns 0. [any-thread]
int gatehouse_start_thread(void (*function)(void *context), void *context);

/// Calls a function on a thread of its own, and serves libdispatch's main queue, and so Swift's main actor, on the calling one.
///
/// Returns only when the system refuses the thread. Whatever the main queue does, even for ever, the function ends the process; when it
/// returns, its thread waits. A SIGABRT that another process sends reaches that thread. [main-thread]
int gatehouse_serve_main_queue(void (*function)(void *context), void *context);

/// What a guard of ends is told in place of the status of `exit`.
enum { GATEHOUSE_MAIN_THREAD_ENDS = -0x7fff0001, GATEHOUSE_OTHER_THREAD_ENDS = -0x7fff0002 };

/// Calls a function when something ends the process through `exit`, `_exit` or `quick_exit`, with the status, when the calling thread ends, or when
/// another one does that was watched.
///
/// The function is called on the thread that does it, and may end the process otherwise. Processes forked from this one
/// do not call it. Returns 0. The corresponding C functions are `on_exit` and `pthread_key_create`. [main-thread]
int gatehouse_guard_end(void (*function)(int status));

/// Makes the function of `gatehouse_guard_end` silent: the end is wanted now. [any-thread]
void gatehouse_expect_end(void);

/// Whether the calling thread is watched already.
extern __thread bool gatehouse_is_watched;

/// Takes note of the end of the calling thread from here on, once there is a guard.
void gatehouse_begin_to_watch(void);

/// Lets the guard of ends know when the calling thread ends; the second time three instructions. [any-thread]
static inline void gatehouse_watch_thread(void) {
    if (__builtin_expect(!gatehouse_is_watched, 0)) { gatehouse_begin_to_watch(); }
}

// MARK: - Descriptors of the host

/// Says that a descriptor is the host's until it is closed: a child that somebody forks lets go of it, as of all sockets that listen,
/// and a plugin that closes it ends the host. [any-thread]
void gatehouse_own(int descriptor);

// MARK: - Waiting for many descriptors

/// What a descriptor is waited for, and what it is ready for; the corresponding C constants are `EPOLLIN`, `EPOLLOUT`,
/// `EPOLLHUP` with `EPOLLERR`, which are always waited for, and `EPOLLONESHOT`.
enum {
    GATEHOUSE_READABLE = 1,
    GATEHOUSE_WRITABLE = 2,
    GATEHOUSE_HUNG_UP = 4,
    GATEHOUSE_ONCE = 8,
};

/// A descriptor that is ready.
struct gatehouse_ready {
    /// What the caller calls the descriptor.
    unsigned long long token;
    /// What it is ready for.
    int readiness;
};

/// A set of descriptors to wait for; close-on-exec, the caller's to close. The corresponding C function is `epoll_create1`. [any-thread]
int gatehouse_poll_open(void);

/// Adds a descriptor to a set, or changes what it is waited for; returns 0.
///
/// Fails with `-EPERM` for a regular file, which is always ready. One that is waited for once is not waited for again before the
/// next call. The corresponding C function is `epoll_ctl`. [any-thread]
int gatehouse_poll_set(int set, int descriptor, int readiness, unsigned long long token);

/// Takes a descriptor that is still open out of a set; returns 0. [any-thread]
int gatehouse_poll_remove(int set, int descriptor);

/// Waits until some are ready, at most so many milliseconds, -1 for as long as it takes; returns how many.
///
/// A signal that arrives counts as none being ready. The corresponding C function is `epoll_wait`. [any-thread]
int gatehouse_poll_wait(int set, struct gatehouse_ready *ready, int capacity, int milliseconds);

/// A counter that is readable while it is not zero; does not block, close-on-exec, the caller's to close. Eight bytes that are
/// written are added, eight that are read set it to zero. The corresponding C function is `eventfd`. [any-thread]
int gatehouse_counter_open(void);

// MARK: - Changes of files

/// Something that tells of changes in folders; does not block, close-on-exec, the caller's to close. The corresponding C
/// function is `inotify_init1`. [any-thread]
int gatehouse_changes_open(void);

/// Tells from here on of everything in a folder that is written, made, moved or removed; returns a number above zero.
///
/// The same folder again gives the same number. The corresponding C function is `inotify_add_watch`. [any-thread]
int gatehouse_changes_add(int changes, const char *folder);

/// Tells of a folder no longer; returns 0. [any-thread]
int gatehouse_changes_remove(int changes, int number);

/// Takes what there is to tell, and forgets it; returns whether there was anything. Changes that were too many to be told one by
/// one count too. [any-thread]
int gatehouse_changes_take(int changes);

// MARK: - Local sockets

/// The longest path of a local socket, in bytes.
#define GATEHOUSE_LOCAL_PATH_BYTES 107

/// A stream socket that listens at a path, with the permissions `mode` from its first moment; does not block, close-on-exec,
/// the caller's to close and its file to remove.
///
/// Fails with `-EADDRINUSE` when there is anything at the path, with `-ENAMETOOLONG` for more than
/// `GATEHOUSE_LOCAL_PATH_BYTES`. The corresponding C functions are `bind` and `listen`. [any-thread]
int gatehouse_local_listen(const char *path, int mode);

/// A connection to who listens at a path; blocks, close-on-exec, the caller's to close. [any-thread]
int gatehouse_local_connect(const char *path);

/// The next connection to a socket that listens, `-EAGAIN` where none waits; does not block, close-on-exec, the caller's to close. The corresponding C
/// function is `accept4`. [any-thread]
int gatehouse_local_accept(int listener);

/// The number of the user on the other side of a connection, as it was when the connection was made. The corresponding C call
/// is `getsockopt(SO_PEERCRED)`. [any-thread]
long long gatehouse_local_user(int socket);

/// The process on the other side of a connection: the one that listens; fails where this one cannot see it. [any-thread]
int gatehouse_local_process(int socket);

/// Writes to a connection what it takes at once, and returns how many bytes that are; `-EAGAIN` for none, `-EPIPE` without a
/// signal when the other side has gone. The corresponding C function is `send`. [any-thread]
long gatehouse_local_send(int socket, const void *bytes, size_t count);

/// Gives the size of a terminal in characters; returns 0. The corresponding C call is `ioctl(TIOCGWINSZ)`. [any-thread]
int gatehouse_terminal_size(int descriptor, int *rows, int *columns);

// MARK: - Children

/// A descriptor that becomes readable when a child of this process has ended; close-on-exec, the caller's to close.
///
/// The corresponding C function is `pidfd_open`. [any-thread]
int gatehouse_open_process(int process);

/// Ends this process, without a core file whatever happens to it, when the thread that started it has ended; returns 0.
///
/// `parent` is the process that did; fails when it has ended already. The corresponding C function is `prctl(PR_SET_PDEATHSIG)`. [main-thread, first]
int gatehouse_end_with_parent(int parent);

/// What a signal does: 0 for its default, 1 when it is ignored, otherwise the address of its handler. The corresponding C
/// function is `sigaction`. [any-thread]
unsigned long gatehouse_signal_action(int signal);

/// Lets processes whose parents end become children of this one, if they descend from it; returns 0.
///
/// Holds until the process ends; programs that it starts do not inherit it. The corresponding C function is
/// `prctl(PR_SET_CHILD_SUBREAPER)`. [any-thread]
int gatehouse_adopt_orphans(void);

/// Keeps SIGINT, SIGTERM, SIGHUP and SIGQUIT from this process, and returns a descriptor that gives them; close-on-exec, does not
/// block. The corresponding C function is `signalfd`. [main-thread, first]
int gatehouse_supervisor_signals(void);

/// The next signal of a descriptor from `gatehouse_supervisor_signals`, `-EAGAIN` for none; says whether a terminal has sent it, to
/// all processes in front of it. [any-thread]
int gatehouse_supervisor_signal(int descriptor, bool *is_from_terminal);

/// Starts a program that ends in good order when this process ends; returns the number of its process.
///
/// It finds the descriptors from 3 on, in their order. `identifier` points to ten characters of its environment, in whose place
/// its own number is written. Only for a process with one thread. The corresponding C functions are `fork` and `execve`. [main-thread]
int gatehouse_start_supervised(
    const char *program, char *const *arguments, char *const *environment, char *identifier,
    const int *descriptors, int count);

/// A socket to which a child tells what is meant for the service manager, and its name, as `NOTIFY_SOCKET` has it; close-on-exec,
/// does not block. [any-thread]
int gatehouse_relay_open(char *name, size_t room);

/// What a process has told, ended by a zero; 0 for what another one has sent, `-EAGAIN` for nothing.
///
/// `descriptor` is the one that came with it, close-on-exec and the caller's to close; -1 when none did. Of several all but the first
/// are closed. [any-thread]
long gatehouse_relay_take(int relay, int process, char *message, size_t room, int *descriptor);

/// The name of a signal without "SIG" in front, such as "ILL"; NULL for none. The corresponding C function is
/// `sigabbrev_np`. [any-thread]
const char *gatehouse_signal_name(int signal);

/// Removes a folder with all that is in it, links and not what they lead to; returns 0. The corresponding C function is
/// `nftw`. [any-thread]
int gatehouse_remove_tree(const char *path);

/// Calls `visit` with the path of each library that is mapped into this process, in the order of loading, and with the
/// name that it gives itself.
///
/// The path is as the loader opened it and empty for the program itself; the name is empty where a library has none. Both
/// are valid during the call. `visit` must not load libraries. The corresponding C function is `dl_iterate_phdr`. [any-thread]
void gatehouse_visit_libraries(void (*visit)(const char *path, const char *name, void *context), void *context);

#ifdef __cplusplus
}
#endif

#endif
