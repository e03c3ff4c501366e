// SPDX-License-Identifier: Apache-2.0

// Writes the filters of system calls of a child as Swift source, when the project is built: libseccomp knows the numbers of the
// machine and makes short programs of them, and no child has to load it.

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/// Stands for the number of the process, which the child fills in.
static const uint32_t own_process = 0x47485349;

/// Calls that reach nothing but the process itself, its descriptors, and what Landlock guards.
static const char *const allowed[] = {
    // Descriptors and files.
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2",
    "creat", "close", "close_range", "dup", "dup2", "dup3", "flock", "fsync", "fdatasync", "sync_file_range", "ftruncate", "fallocate", "fadvise64", "lseek", "stat", "fstat", "lstat", "newfstatat", "statx",
    "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents", "getdents64", "mkdir", "mkdirat", "rmdir",
    "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "getcwd", "chdir",
    "fchdir", "umask", "statfs", "fstatfs", "copy_file_range", "sendfile", "splice", "tee", "memfd_create", "eventfd",
    "eventfd2", "timerfd_create", "timerfd_settime", "timerfd_gettime", "signalfd", "signalfd4", "epoll_create",
    "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "pselect6", "pipe",
    "pipe2", "inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch",
    // What a connection does that is there; nothing here makes one to somebody else.
    "recvfrom", "recvmsg", "recvmmsg", "shutdown", "getsockopt", "getsockname", "getpeername",
    // The next client of a socket that listens: the host has made it, because listen is refused.
    "accept", "accept4",
    // Memory.
    "mmap", "munmap", "mprotect", "mremap", "madvise", "brk", "mincore", "msync", "mlock", "mlock2", "munlock", "membarrier",
    // Threads and children, which inherit all of this.
    "futex", "futex_waitv", "set_robust_list", "get_robust_list", "rseq", "set_tid_address", "fork", "vfork", "execve",
    "wait4", "waitid", "exit", "exit_group", "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler",
    "sched_get_priority_max", "sched_get_priority_min", "getcpu", "gettid", "getpid", "getppid", "getpgid", "getpgrp",
    "getsid", "getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid", "getpriority", "getrlimit",
    "getrusage", "capget", "uname", "sysinfo", "arch_prctl", "restart_syscall", "getrandom",
    // Time and signals of its own.
    "nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time", "times", "timer_create",
    "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete", "getitimer", "setitimer", "alarm", "pause",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait", "sigaltstack",
    // For the backtrace of a child by a child of its own; Landlock lets nobody read the memory of others.
    "process_vm_readv",
};

/// Calls that plugins may well make, and that are refused rather than missing: what they report is understood.
static const char *const refused[] = {
    "socket", "bind", "listen", "tkill", "rt_sigqueueinfo",
    "pidfd_open", "pidfd_send_signal", "pidfd_getfd", "ptrace", "process_vm_writev", "truncate", "chmod", "fchmod",
    "fchmodat", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat", "utimensat", "setxattr",
    "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "mknod", "mknodat", "chroot", "setpgid",
    "setsid", "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setpriority",
    "sched_setaffinity", "sched_setscheduler", "sched_setparam", "ioprio_set", "mlockall", "sync", "syncfs",
};

static scmp_filter_ctx filter;

/// Ends the build with a sentence.
static void check(int result, const char *what) {
    if (result == 0) { return; }
    fprintf(stderr, "child-filter: %s: %s\n", what, strerror(-result));
    exit(1);
}

/// Adds a rule for a call by name; one that the machine does not have needs none.
static void rule(uint32_t action, const char *name, unsigned count, ...) {
    struct scmp_arg_cmp conditions[3];
    va_list all;
    va_start(all, count);
    for (unsigned place = 0; place < count; place++) { conditions[place] = va_arg(all, struct scmp_arg_cmp); }
    va_end(all);
    const int number = seccomp_syscall_resolve_name(name);
    if (number < 0) { return; }
    check(seccomp_rule_add_array(filter, action, number, count, conditions), name);
}

/// Starts a filter that does the same with all calls for which there is no rule.
static void begin(uint32_t others) {
    filter = seccomp_init(others);
    if (filter == NULL) { check(-ENOMEM, "start"); }
    check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2), "optimize");
    // The calls of other architectures would end a thread alone, and nobody would wait for the others.
    check(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), "other architectures");
}

/// Writes the program of the filter under a name, one instruction of eight bytes after the other, and ends the filter.
static void write_program(FILE *output, const char *name, const char *meaning) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) { check(-errno, "pipe"); }
    // It fits: a filter has at most 4,096 instructions, and a pipe takes twice as many bytes.
    check(fcntl(ends[1], F_SETPIPE_SZ, 1 << 16) < 0 ? -errno : 0, "pipe size");
    check(seccomp_export_bpf(filter, ends[1]), "export");
    close(ends[1]);
    fprintf(output, "    /// %s\n    static let %s: [UInt64] = [\n", meaning, name);
    uint64_t instruction;
    while (read(ends[0], &instruction, sizeof instruction) == sizeof instruction) {
        fprintf(output, "        0x%016llx,\n", (unsigned long long)instruction);
    }
    fputs("    ]\n", output);
    close(ends[0]);
    seccomp_release(filter);
}

/// What holds from the first moment on.
static void restrict_child(void) {
    // A call that is not listed looks unimplemented, so that libraries fall back to what they know.
    begin(SCMP_ACT_ERRNO(ENOSYS));
    for (size_t place = 0; place < sizeof allowed / sizeof *allowed; place++) { rule(SCMP_ACT_ALLOW, allowed[place], 0); }
    const uint32_t refusal = SCMP_ACT_ERRNO(EPERM);
    for (size_t place = 0; place < sizeof refused / sizeof *refused; place++) { rule(refusal, refused[place], 0); }
    // clone3 has its flags in memory, where a filter cannot look; the C library uses clone without it.
    // CLONE_PARENT would give children to the host, which does not wait for them.
    const uint64_t spaces = CLONE_PARENT | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID
        | CLONE_NEWNET;
    rule(SCMP_ACT_ALLOW, "clone", 1, SCMP_A0(SCMP_CMP_MASKED_EQ, spaces, 0));
    // Never truncate a file that is opened for reading, which Landlock sees from version 3 on, and never open one for neither reading nor
    // writing; openat2 has its flags in memory.
    const struct scmp_arg_cmp ways[] = {
        SCMP_A1(SCMP_CMP_MASKED_EQ, O_TRUNC | O_ACCMODE, O_RDONLY), SCMP_A1(SCMP_CMP_MASKED_EQ, O_ACCMODE, O_WRONLY),
        SCMP_A1(SCMP_CMP_MASKED_EQ, O_ACCMODE, O_RDWR)};
    for (size_t place = 0; place < sizeof ways / sizeof *ways; place++) {
        struct scmp_arg_cmp way = ways[place];
        rule(SCMP_ACT_ALLOW, "open", 1, way);
        way.arg = 2;
        rule(SCMP_ACT_ALLOW, "openat", 1, way);
    }
    // Never of datagrams, each of which may name whom it is for.
    const int kinds[] = {SOCK_STREAM, SOCK_SEQPACKET};
    for (size_t place = 0; place < sizeof kinds / sizeof *kinds; place++) {
        rule(
            SCMP_ACT_ALLOW, "socketpair", 2, SCMP_A0(SCMP_CMP_EQ, AF_UNIX),
            SCMP_A1(SCMP_CMP_MASKED_EQ, (uint64_t)~(SOCK_CLOEXEC | SOCK_NONBLOCK), (uint64_t)kinds[place]));
    }
    // Never to anybody: with the length of a family alone no protocol finds an address to connect to. Old versions of libcurl ask in this
    // way whether a connection stands that the host has handed over.
    rule(SCMP_ACT_ALLOW, "connect", 1, SCMP_A2(SCMP_CMP_EQ, sizeof(sa_family_t)));
    rule(refusal, "connect", 1, SCMP_A2(SCMP_CMP_NE, sizeof(sa_family_t)));
    // Never a filter for packets, which would be code in the kernel and outlive this process with a socket that listens, nor another
    // device; the options that programs set have lower numbers.
    const uint64_t levels[] = {IPPROTO_IP, IPPROTO_IPV6, IPPROTO_TCP};
    for (size_t place = 0; place < sizeof levels / sizeof *levels; place++) {
        rule(SCMP_ACT_ALLOW, "setsockopt", 1, SCMP_A1(SCMP_CMP_EQ, levels[place]));
    }
    rule(
        SCMP_ACT_ALLOW, "setsockopt", 2, SCMP_A1(SCMP_CMP_EQ, SOL_SOCKET),
        SCMP_A2(SCMP_CMP_LT, SO_BINDTODEVICE));
    rule(
        refusal, "setsockopt", 2, SCMP_A1(SCMP_CMP_EQ, SOL_SOCKET),
        SCMP_A2(SCMP_CMP_GE, SO_BINDTODEVICE));
    // Never the flag by which a socket that has lost its connection makes another one, to whomever the message names.
    const struct {
        const char *name;
        struct scmp_arg_cmp condition;
    } sending[] = {
        {"sendto", SCMP_A3(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0)},
        {"sendmsg", SCMP_A2(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0)},
        {"sendmmsg", SCMP_A3(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0)}};
    for (size_t place = 0; place < sizeof sending / sizeof *sending; place++) {
        rule(SCMP_ACT_ALLOW, sending[place].name, 1, sending[place].condition);
    }
    // Never those by which a descriptor sends signals to its owner.
    rule(
        SCMP_ACT_ALLOW, "fcntl", 2, SCMP_A1(SCMP_CMP_EQ, F_SETFL), SCMP_A2(SCMP_CMP_MASKED_EQ, O_ASYNC, 0));
    const int uses[] = {F_DUPFD,       F_GETFD,       F_SETFD,       F_GETFL,      F_GETLK,
                        F_SETLK,       F_SETLKW,      F_OFD_GETLK,   F_OFD_SETLK,  F_OFD_SETLKW, F_DUPFD_CLOEXEC,
                        F_GETPIPE_SZ,  F_SETPIPE_SZ,  F_ADD_SEALS,   F_GET_SEALS};
    for (size_t place = 0; place < sizeof uses / sizeof *uses; place++) {
        rule(SCMP_ACT_ALLOW, "fcntl", 1, SCMP_A1(SCMP_CMP_EQ, (uint64_t)uses[place]));
    }
    // Signals for itself and its own threads alone; the last passes on what the host sends to the thread that hangs.
    rule(SCMP_ACT_ALLOW, "kill", 1, SCMP_A0(SCMP_CMP_EQ, own_process));
    rule(refusal, "kill", 1, SCMP_A0(SCMP_CMP_NE, own_process));
    rule(SCMP_ACT_ALLOW, "tgkill", 1, SCMP_A0(SCMP_CMP_EQ, own_process));
    rule(SCMP_ACT_ALLOW, "rt_tgsigqueueinfo", 1, SCMP_A0(SCMP_CMP_EQ, own_process));
    // Limits of its own alone.
    rule(SCMP_ACT_ALLOW, "prlimit64", 1, SCMP_A0(SCMP_CMP_EQ, 0));
    // Never those that put words into a terminal.
    const unsigned long controls[] = {FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TCGETS, TIOCGWINSZ};
    for (size_t place = 0; place < sizeof controls / sizeof *controls; place++) {
        rule(SCMP_ACT_ALLOW, "ioctl", 1, SCMP_A1(SCMP_CMP_EQ, controls[place]));
    }
    // The signal by which a child ends with its host may be asked for, but not taken back.
    rule(SCMP_ACT_ALLOW, "prctl", 2, SCMP_A0(SCMP_CMP_EQ, PR_SET_PDEATHSIG), SCMP_A1(SCMP_CMP_EQ, SIGKILL));
    const int settings[] = {PR_SET_NAME,     PR_GET_NAME,    PR_GET_DUMPABLE, PR_SET_DUMPABLE,
                            PR_CAPBSET_READ, PR_SET_CHILD_SUBREAPER, PR_GET_SECCOMP, PR_SET_PTRACER,  PR_GET_NO_NEW_PRIVS,
                            0x53564d41 /* PR_SET_VMA */};
    for (size_t place = 0; place < sizeof settings / sizeof *settings; place++) {
        rule(SCMP_ACT_ALLOW, "prctl", 1, SCMP_A0(SCMP_CMP_EQ, (uint32_t)settings[place]));
    }
    // The other filter, for all threads; whoever adds one of its own takes rights from itself alone.
    rule(
        SCMP_ACT_ALLOW, "seccomp", 2, SCMP_A0(SCMP_CMP_EQ, SECCOMP_SET_MODE_FILTER),
        SCMP_A1(SCMP_CMP_EQ, SECCOMP_FILTER_FLAG_TSYNC));
}

/// What holds besides once all code is loaded that is to run: no more of it comes, and no other program is started, nor a process, which
/// would have limits of its own.
static void restrict_loaded(void) {
    begin(SCMP_ACT_ALLOW);
    const uint32_t refusal = SCMP_ACT_ERRNO(EACCES);
    rule(refusal, "mmap", 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
    rule(refusal, "mprotect", 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
    rule(refusal, "execve", 0);
    rule(refusal, "fork", 0);
    rule(refusal, "vfork", 0);
    rule(refusal, "clone", 1, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    rule(refusal, "seccomp", 0);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fputs("usage: child-filter FILE\n", stderr);
        return 64;
    }
    FILE *output = fopen(arguments[1], "w");
    if (output == NULL) { check(-errno, arguments[1]); }
    fputs(
        "// Made by BuildTools/child-filter; do not edit.\n\n"
        "/// What system calls a child may make, as programs for the kernel: each instruction as the eight bytes of a `sock_filter`.\n"
        "enum ChildFilter {\n"
        "    /// Stands in the programs for the number of the process.\n",
        output);
    fprintf(output, "    static let ownProcess: UInt32 = 0x%08x\n", own_process);
    restrict_child();
    write_program(output, "program", "What holds from the first moment on.");
    restrict_loaded();
    write_program(output, "loadedProgram", "What holds besides once all code is loaded that is to run.");
    fputs("}\n", output);
    if (fclose(output) != 0) { check(-errno, arguments[1]); }
    return 0;
}
