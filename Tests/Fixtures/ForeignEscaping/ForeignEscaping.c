// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "ForeignEscaping.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "gatehouse_foreign.h"

GATEHOUSE_MANIFEST({
    "id": "escaping", "version": "1.0.0", "summary": "Tries to reach what is not its own", "consumes": ["hear", "keep"], "emits": [],
    "settings": {
        "type": "object", "additionalProperties": false,
        "properties": {
            "deed": { "description": "What it tries.", "type": "string", "default": "" },
            "folder": { "description": "A folder that is not its own.", "type": "string", "default": "" },
            "port": { "description": "The port of this machine at which it may listen.", "type": "string", "default": "" }
        }
    }
});

/// The folder that is not its own; it has the file victim, the folder full, and the socket open.
static char folder[256];

/// A path in that folder. Valid until the fourth call from then.
static const char *in(const char *name) {
    static char paths[4][512];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

/// A file of its own, in the folder for temporary files.
static const char *own(void) {
    static char path[512];
    const char *parent = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/own", parent == NULL ? "/tmp" : parent);
    const int file = open(path, O_CREAT | O_WRONLY, 0600);
    if (file >= 0) { close(file); }
    return path;
}

/// The error of a call that gives a descriptor, or -1 and errno; 0 when it got through.
static int opened(long descriptor) {
    if (descriptor < 0) { return errno; }
    close((int)descriptor);
    return 0;
}

/// The error of a call that gives 0, or -1 and errno.
static int done(long result) { return result < 0 ? errno : 0; }

/// The error of reading the first byte of a descriptor, or of opening it.
static int first_read(int descriptor) {
    char byte;
    if (descriptor < 0) { return errno; }
    const ssize_t count = read(descriptor, &byte, 1);
    const int error = count < 0 ? errno : count == 0 ? EPERM : 0;
    close(descriptor);
    return error;
}

/// A file of the parent's process.
static int parents(const char *name, int flags) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", getppid(), name);
    return open(path, flags);
}

// MARK: - Files

static int write_file(void) { return opened(open(in("victim"), O_WRONLY)); }
static int append_file(void) { return opened(open(in("victim"), O_WRONLY | O_APPEND)); }
static int read_and_write(void) { return opened(open(in("victim"), O_RDWR)); }
static int open_truncating(void) { return opened(open(in("victim"), O_RDONLY | O_TRUNC)); }
static int create_file(void) { return opened(open(in("new"), O_WRONLY | O_CREAT, 0600)); }
static int create_nameless(void) { return opened(open(folder, O_WRONLY | O_TMPFILE, 0600)); }
static int truncate_file(void) { return done(truncate(in("victim"), 1)); }
static int remove_file(void) { return done(unlink(in("victim"))); }
static int rename_file(void) { return done(rename(in("victim"), in("other"))); }
static int rename_outward(void) { return done(rename(own(), in("victim"))); }
static int rename_inward(void) { return done(rename(in("victim"), own())); }
static int exchange(void) { return done(renameat2(AT_FDCWD, own(), AT_FDCWD, in("victim"), RENAME_EXCHANGE)); }
static int link_inward(void) {
    char path[600];
    snprintf(path, sizeof path, "%s-link", own());
    return done(link(in("victim"), path));
}
static int link_outward(void) { return done(link(own(), in("link"))); }
static int symbolic_link(void) { return done(symlink("/etc", in("link"))); }
static int make_folder(void) { return done(mkdir(in("folder"), 0700)); }
static int remove_folder(void) { return done(rmdir(in("empty"))); }
static int make_fifo(void) { return done(mkfifo(in("fifo"), 0600)); }
static int make_device(void) { return done(mknod(in("device"), S_IFCHR | 0600, 0x103)); }
static int change_mode(void) { return done(chmod(in("victim"), 0777)); }
static int change_mode_of_descriptor(void) {
    const int file = open(in("victim"), O_RDONLY);
    const int error = done(fchmod(file, 0777));
    close(file);
    return error;
}
static int change_owner(void) { return done(chown(in("victim"), 1, 1)); }
static int set_attribute(void) { return done(setxattr(in("victim"), "user.a", "b", 1, 0)); }
static int set_times(void) { return done(utimensat(AT_FDCWD, in("victim"), NULL, 0)); }
static int follow_own_link(void) {
    char path[600];
    snprintf(path, sizeof path, "%s-symbolic", own());
    symlink(in("victim"), path);
    return opened(open(path, O_WRONLY));
}
static int map_shared(void) {
    const int file = open(in("victim"), O_RDONLY);
    if (file < 0) { return errno; }
    void *memory = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const int error = errno;
    close(file);
    if (memory == MAP_FAILED) { return error; }
    munmap(memory, 1);
    return 0;
}
static int open_again(void) {
    char path[64];
    const int file = open(in("victim"), O_RDONLY);
    if (file < 0) { return errno; }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const int error = opened(open(path, O_WRONLY));
    close(file);
    return error;
}
static int shared_memory(void) { return opened(open("/dev/shm/gatehouse-escape", O_CREAT | O_WRONLY, 0600)); }
static int kernel_setting(void) { return opened(open("/proc/sys/vm/overcommit_memory", O_WRONLY)); }
static int open_by_handle(void) {
    struct {
        struct file_handle handle;
        char bytes[MAX_HANDLE_SZ];
    } name = {.handle = {.handle_bytes = MAX_HANDLE_SZ}};
    int mount = 0;
    if (name_to_handle_at(AT_FDCWD, in("victim"), &name.handle, &mount, 0) != 0) { return errno; }
    const int where = open(folder, O_RDONLY);
    const int error = opened(open_by_handle_at(where, &name.handle, O_WRONLY));
    close(where);
    return error;
}
static int mount_folder(void) { return done(mount(folder, "/mnt", NULL, MS_BIND, NULL)); }
static int change_root(void) { return done(chroot(folder)); }

// MARK: - Connections

static int tcp(void) { return opened(socket(AF_INET, SOCK_STREAM, 0)); }
static int udp(void) { return opened(socket(AF_INET, SOCK_DGRAM, 0)); }
static int tcp6(void) { return opened(socket(AF_INET6, SOCK_STREAM, 0)); }
static int raw(void) { return opened(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)); }
static int netlink(void) { return opened(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE)); }
static int packet(void) { return opened(socket(AF_PACKET, SOCK_RAW, 0)); }
static int local_socket(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", in("open"));
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (file < 0) { return errno; }
    const int error = done(connect(file, (struct sockaddr *)&address, sizeof address));
    close(file);
    return error;
}
static int pair_to_network(void) {
    int ends[2];
    return done(socketpair(AF_INET, SOCK_STREAM, 0, ends));
}
/// A socket of a pair that leaves it for somebody else.
static int reconnect_pair(void) {
    int ends[2];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", in("datagrams"));
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) { return errno; }
    const int error = done(connect(ends[0], (struct sockaddr *)&address, sizeof address));
    close(ends[0]);
    close(ends[1]);
    return error;
}
/// The same without connecting: a datagram may name whom it is for.
static int send_from_pair(void) {
    int ends[2];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", in("datagrams"));
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) { return errno; }
    const int error = done(sendto(ends[0], "a", 1, MSG_DONTWAIT, (struct sockaddr *)&address, sizeof address));
    close(ends[0]);
    close(ends[1]);
    return error;
}
/// Another connection of a socket that has lost its own, which is the one call that connects beside connect.
static int send_to_connect(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) { return errno; }
    struct iovec part = {"a", 1};
    struct mmsghdr several = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    // The filter sees the flag, whatever the socket.
    const int error = done(sendto(ends[0], "a", 1, MSG_FASTOPEN, NULL, 0));
    const bool gets_through = sendmsg(ends[0], &several.msg_hdr, MSG_FASTOPEN) >= 0 || sendmmsg(ends[0], &several, 1, MSG_FASTOPEN) >= 0;
    close(ends[0]);
    close(ends[1]);
    return gets_through ? 0 : error;
}
static int listen_at_pair(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) { return errno; }
    const int error = done(listen(ends[0], 8));
    close(ends[0]);
    close(ends[1]);
    return error;
}
static int bind_pair(void) {
    int ends[2];
    const struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) { return errno; }
    // With no name at all, the system chooses one.
    const int error = done(bind(ends[0], (const struct sockaddr *)&address, sizeof address.sun_family));
    close(ends[0]);
    close(ends[1]);
    return error;
}
static int rings(void) {
    char parameters[256] = {0};
    return opened(syscall(SYS_io_uring_setup, 1, parameters));
}

// MARK: - Other processes

static int signal_parent(void) { return done(kill(getppid(), 0)); }
static int signal_group(void) { return done(kill(0, 0)); }
static int signal_all(void) { return done(kill(-1, 0)); }
static int signal_thread(void) { return done(syscall(SYS_tkill, getppid(), 0)); }
static int signal_thread_of_group(void) { return done(syscall(SYS_tgkill, getppid(), getppid(), 0)); }
static int queue_signal_for_thread(void) {
    siginfo_t question = {.si_code = SI_QUEUE};
    return done(syscall(SYS_rt_tgsigqueueinfo, getppid(), getppid(), 0, &question));
}
static int queue_signal(void) { return done(sigqueue(getppid(), 0, (union sigval){0})); }
static int signal_by_descriptor(void) {
    const int process = (int)syscall(SYS_pidfd_open, getppid(), 0);
    if (process < 0) { return errno; }
    const int error = done(syscall(SYS_pidfd_send_signal, process, 0, NULL, 0));
    close(process);
    return error;
}
static int signal_by_file(void) {
    const int owner = open(in("victim"), O_RDONLY);
    // What the descriptor is ready for is told by a signal from then on.
    const int error = done(fcntl(owner, F_SETOWN, getppid()));
    close(owner);
    return error;
}
static int trace(void) {
    if (ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) != 0) { return errno; }
    ptrace(PTRACE_DETACH, getppid(), NULL, NULL);
    return 0;
}
static int read_memory(void) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)&byte, 1};
    return done(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}
static int write_memory(void) {
    char byte = 0;
    struct iovec here = {&byte, 0}, there = {&byte, 0};
    return done(process_vm_writev(getppid(), &here, 1, &there, 1, 0));
}
static int open_memory(void) { return opened(parents("mem", O_RDONLY)); }
static int read_environment(void) { return first_read(parents("environ", O_RDONLY)); }
static int open_descriptor(void) { return opened(parents("fd/0", O_RDONLY)); }
static int open_folder_of(void) { return opened(parents("root", O_RDONLY | O_DIRECTORY)); }
static int choose_victim(void) { return opened(parents("oom_score_adj", O_WRONLY)); }
static int limit_parent(void) {
    const struct rlimit limit = {0, 0};
    return done(prlimit(getppid(), RLIMIT_NOFILE, &limit, NULL));
}
static int slow_parent(void) { return done(setpriority(PRIO_PROCESS, (id_t)getppid(), 5)); }
static int bind_parent(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    return done(sched_setaffinity(getppid(), sizeof set, &set));
}
static int leave_group(void) { return done(setpgid(0, 0)); }
static int leave_session(void) { return setsid() < 0 ? errno : 0; }
static int outlive_parent(void) { return done(prctl(PR_SET_PDEATHSIG, 0)); }
static int own_user_space(void) { return done(unshare(CLONE_NEWUSER)); }
static int join_space(void) {
    const int space = parents("ns/net", O_RDONLY);
    if (space < 0) { return errno; }
    const int error = done(setns(space, 0));
    close(space);
    return error;
}
static int new_clone(void) {
    uint64_t arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    const long process = syscall(SYS_clone3, arguments, sizeof arguments);
    if (process == 0) { _exit(0); }
    if (process < 0) { return errno; }
    waitpid((pid_t)process, NULL, 0);
    return 0;
}
static int old_clone(void) {
    const long process = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
    if (process == 0) { _exit(0); }
    if (process < 0) { return errno; }
    waitpid((pid_t)process, NULL, 0);
    return 0;
}
/// A child that the host would have to wait for.
static int child_of_host(void) {
    const long process = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
    if (process == 0) { _exit(0); }
    return process < 0 ? errno : 0;
}
/// A descriptor that sends signals when something arrives; a terminal sends them to those who use it.
static int signal_by_arrival(void) {
    int ends[2];
    if (pipe(ends) != 0) { return 0; }
    const int error = done(fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK));
    close(ends[0]);
    close(ends[1]);
    return error;
}
/// A file for neither reading nor writing, which Landlock has no right for.
static int open_for_nothing(void) { return opened(open(in("victim"), O_ACCMODE)); }
/// A program started from here has no more rights.
static int child_writes(void) {
    const pid_t process = vfork();
    if (process == 0) {
        execl("/bin/sh", "sh", "-c", "echo escaped >\"$0\"", in("victim"), (char *)NULL);
        _exit(1);
    }
    if (process < 0) { return errno; }
    int status = 0;
    waitpid(process, &status, 0);
    return status == 0 ? 0 : EACCES;
}
/// Neither has a thread that the library began before its entry was called.
static int thread_error = -1;
static void *thread(void *nothing) {
    (void)nothing;
    thread_error = opened(open("/etc/hostname", O_WRONLY | O_APPEND));
    return NULL;
}
__attribute__((constructor)) static void begin_thread(void) {
    pthread_t number;
    if (pthread_create(&number, NULL, thread, NULL) == 0) { pthread_join(number, NULL); }
}
static int early_thread(void) { return thread_error; }

// MARK: - The kernel

static int load_program(void) {
    char attributes[128] = {0};
    return opened(syscall(SYS_bpf, 5, attributes, sizeof attributes));
}
static int count_events(void) {
    char attributes[128] = {0};
    return opened(syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0));
}
static int handle_faults(void) { return opened(syscall(SYS_userfaultfd, 0)); }
static int watch_files(void) { return opened(syscall(SYS_fanotify_init, 0, 0)); }
static int add_key(void) { return done(syscall(SYS_add_key, "user", "a", "b", 1, -3)); }
static int share_segment(void) { return done(syscall(SYS_shmget, 0, 4096, 01600)); }
static int open_queue(void) { return opened(syscall(SYS_mq_open, "a", O_CREAT | O_RDWR, 0600, NULL)); }
static int type_words(void) {
    const char letter = '\n';
    const int terminal = open("/dev/ptmx", O_RDONLY | O_NOCTTY);
    const int error = done(ioctl(terminal < 0 ? 0 : terminal, TIOCSTI, &letter));
    if (terminal >= 0) { close(terminal); }
    return error;
}
static int read_log(void) { return done(syscall(SYS_syslog, 2, NULL, 0)); }
static int change_user(void) { return done(setuid(1)); }
/// Descriptors that nobody has given to this process.
// What a worker may not, although a rehearsal of a plugin for the host may.

static int read_file(void) { return opened(open(in("victim"), O_RDONLY)); }
static int list_folder(void) { return opened(open(folder, O_RDONLY | O_DIRECTORY)); }
static int read_through_link(void) {
    char path[600];
    snprintf(path, sizeof path, "%s-read", own());
    if (symlink(in("victim"), path) != 0) { return 0; }
    const int error = opened(open(path, O_RDONLY));
    unlink(path);
    return error;
}
/// One that is there has limits of its own, so that many of them have none together.
static int new_process(void) {
    const pid_t child = fork();
    if (child == 0) { _exit(0); }
    if (child < 0) { return errno; }
    waitpid(child, NULL, 0);
    return 0;
}
static int become_other(void) { return done(execl("/bin/true", "true", NULL)); }
static int mapped(void *memory) {
    if (memory == MAP_FAILED) { return errno; }
    munmap(memory, 4096);
    return 0;
}
static int map_code(void) { return mapped(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)); }
static int make_code(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int error = memory == MAP_FAILED ? 0 : done(mprotect(memory, 4096, PROT_READ | PROT_EXEC));
    munmap(memory, 4096);
    return error;
}
static int map_code_of_file(void) {
    const int file = open("/proc/self/exe", O_RDONLY);
    const int library = file >= 0 ? file : open("/etc/ld.so.cache", O_RDONLY);
    const int error = mapped(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, library, 0));
    close(library);
    return error;
}
static int map_code_of_memory(void) {
    const int file = memfd_create("code", 0);
    const int error = file < 0 || ftruncate(file, 4096) != 0 ? 0 : mapped(mmap(NULL, 4096, PROT_EXEC, MAP_SHARED, file, 0));
    close(file);
    return error;
}
static int load_library(void) { return dlopen("libanl.so.1", RTLD_NOW) == NULL ? EACCES : 0; }
static void *try_in_thread(void *error) {
    *(int *)error = map_code();
    return NULL;
}
static int code_in_thread(void) {
    pthread_t other;
    int error = 0;
    if (pthread_create(&other, NULL, try_in_thread, &error) == 0) { pthread_join(other, NULL); }
    return error;
}
static int lift_bounds(void) { return done(syscall(SYS_seccomp, 1, 1, NULL)); }

static int inherited(void) {
    int count = 0;
    DIR *all = opendir("/proc/self/fd");
    if (all == NULL) { return errno; }
    for (struct dirent *entry; (entry = readdir(all)) != NULL;) {
        const int number = atoi(entry->d_name);
        struct stat status;
        // Its standard ones, a pipe for what it tells, and images in memory are all that there is.
        if (number > 2 && number != dirfd(all) && fstat(number, &status) == 0 && S_ISSOCK(status.st_mode)) { count++; }
    }
    closedir(all);
    return count == 0 ? EPERM : 0;
}

// MARK: - A socket that the host has made

/// The port of this machine at which it may listen.
static char port[8];

/// That port.
static struct sockaddr_in place(void) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

/// Asks the host for the socket that listens there, past the code of the worker; -1 for none. Anew for each deed, because one may spoil it.
static int granted(void) {
    static int own = -1;
    for (int file = 3; file < 64 && own < 0; file++) {
        int type = 0;
        socklen_t size = sizeof type;
        if (getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) { continue; }
        own = dup(file);
        // The thread of the worker takes one more answer, and finds a file that has none then.
        const int zero = open("/dev/zero", O_RDONLY);
        dup2(zero, file);
        close(zero);
    }
    struct {
        uint32_t number, milliseconds;
        uint16_t port;
        uint8_t wish;
        __attribute__((nonstring)) char host[9];
    } __attribute__((packed)) request = {.number = 1, .milliseconds = 1, .port = (uint16_t)atoi(port), .wish = 2, .host = "127.0.0.1"};
    static bool is_mine;
    for (int turn = is_mine ? 1 : 0; turn < 2; turn++) {
        request.number = (uint32_t)turn + 1;
        send(own, &request, sizeof request, 0);
    }
    is_mine = true;
    char answer[2048], control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {answer, sizeof answer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    if (recvmsg(own, &message, 0) < 0) { return -1; }
    const struct cmsghdr *found = CMSG_FIRSTHDR(&message);
    int listener = -1;
    if (found != NULL) { memcpy(&listener, CMSG_DATA(found), sizeof listener); }
    return listener;
}

/// Does something with that socket.
static int with_listener(int (*try)(int listener)) {
    const int listener = granted();
    // No deed is turned away in this way.
    if (listener < 0) { return ENODEV; }
    const int error = try(listener);
    close(listener);
    return error;
}

/// Does something with a client.
static int with_client(int (*try)(int client)) {
    const int listener = granted();
    const int client = accept4(listener, NULL, NULL, 0);
    const int error = client < 0 ? ENODEV : try(client);
    close(client);
    close(listener);
    return error;
}

static int reach(int socket) {
    const struct sockaddr_in address = place();
    return done(connect(socket, (const struct sockaddr *)&address, sizeof address));
}
static int part_and_reach(int socket) {
    const struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    // This is allowed: it takes from the socket what it has.
    if (connect(socket, &nobody, sizeof nobody.sa_family) != 0) { return ENODEV; }
    return reach(socket);
}
static int shut_and_reach(int socket) {
    shutdown(socket, SHUT_RDWR);
    return reach(socket);
}
static int send_fast(int socket) {
    const struct sockaddr_in address = place();
    shutdown(socket, SHUT_RDWR);
    return done(sendto(socket, "a", 1, MSG_FASTOPEN | MSG_NOSIGNAL, (const struct sockaddr *)&address, sizeof address));
}
/// An option by which the first bytes connect.
static int send_later(int socket) {
    const int yes = 1;
    const struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    connect(socket, &nobody, sizeof nobody.sa_family);
    setsockopt(socket, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &yes, sizeof yes);
    return reach(socket);
}
static int send_plainly(int socket) {
    const struct sockaddr_in address = place();
    shutdown(socket, SHUT_RDWR);
    return done(sendto(socket, "a", 1, MSG_NOSIGNAL, (const struct sockaddr *)&address, sizeof address));
}
static int listen_now(int socket) { return done(listen(socket, 1 << 16)); }
static int shut_and_listen(int socket) {
    shutdown(socket, SHUT_RDWR);
    return listen_now(socket);
}
static int part_and_listen(int socket) {
    const struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    connect(socket, &nobody, sizeof nobody.sa_family);
    return listen_now(socket);
}
static int bind_anew(int socket) {
    struct sockaddr_in address = place();
    address.sin_port = 0;
    shutdown(socket, SHUT_RDWR);
    return done(bind(socket, (const struct sockaddr *)&address, sizeof address));
}
static int attach_filter(int socket) {
    struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
    const struct sock_fprog program = {1, &nothing};
    return done(setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program));
}
static int choose_device(int socket) { return done(setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3)); }

static int client_reaches(void) { return with_client(part_and_reach); }
static int client_listens(void) { return with_client(part_and_listen); }
static int client_sends_fast(void) { return with_client(send_fast); }
static int listener_reaches(void) { return with_listener(reach); }
static int listener_parts_and_reaches(void) { return with_listener(part_and_reach); }
static int listener_shuts_and_reaches(void) { return with_listener(shut_and_reach); }
static int listener_sends_fast(void) { return with_listener(send_fast); }
static int listener_sends_later(void) { return with_listener(send_later); }
static int listener_sends(void) { return with_listener(send_plainly); }
static int listener_listens_again(void) { return with_listener(shut_and_listen); }
static int listener_parts_and_listens(void) { return with_listener(part_and_listen); }
static int listener_binds(void) { return with_listener(bind_anew); }
static int listener_chooses_device(void) { return with_listener(choose_device); }
static int listener_attaches_filter(void) { return with_listener(attach_filter); }
static int listener_listens_longer(void) { return with_listener(listen_now); }

/// What it tries, by name.
static const struct {
    const char *name;
    int (*try)(void);
} deeds[] = {
#define DEED(name) {#name, name}
    DEED(write_file), DEED(append_file), DEED(read_and_write), DEED(open_truncating), DEED(create_file),
    DEED(create_nameless), DEED(truncate_file), DEED(remove_file), DEED(rename_file), DEED(rename_outward),
    DEED(rename_inward), DEED(exchange), DEED(link_inward), DEED(link_outward), DEED(symbolic_link), DEED(make_folder),
    DEED(remove_folder), DEED(make_fifo), DEED(make_device), DEED(change_mode), DEED(change_mode_of_descriptor),
    DEED(change_owner), DEED(set_attribute), DEED(set_times), DEED(follow_own_link), DEED(map_shared), DEED(open_again),
    DEED(shared_memory), DEED(kernel_setting), DEED(open_by_handle), DEED(mount_folder), DEED(change_root), DEED(tcp),
    DEED(udp), DEED(tcp6), DEED(raw), DEED(netlink), DEED(packet), DEED(local_socket), DEED(pair_to_network),
    DEED(reconnect_pair), DEED(send_from_pair), DEED(send_to_connect), DEED(listen_at_pair), DEED(bind_pair), DEED(rings), DEED(signal_parent), DEED(signal_group), DEED(signal_all),
    DEED(signal_thread), DEED(signal_thread_of_group), DEED(queue_signal), DEED(queue_signal_for_thread), DEED(signal_by_descriptor), DEED(signal_by_file),
    DEED(trace), DEED(read_memory), DEED(write_memory), DEED(open_memory), DEED(read_environment), DEED(open_descriptor),
    DEED(open_folder_of), DEED(choose_victim), DEED(limit_parent), DEED(slow_parent), DEED(bind_parent), DEED(leave_group),
    DEED(leave_session), DEED(outlive_parent), DEED(own_user_space), DEED(join_space), DEED(new_clone), DEED(old_clone),
    DEED(child_of_host), DEED(signal_by_arrival), DEED(open_for_nothing), DEED(child_writes), DEED(early_thread), DEED(load_program), DEED(count_events), DEED(handle_faults), DEED(watch_files),
    DEED(add_key), DEED(share_segment), DEED(open_queue), DEED(type_words), DEED(read_log), DEED(change_user),
    DEED(inherited),
#undef DEED
#define SEALED(name) {#name, name}
    SEALED(read_file), SEALED(list_folder), SEALED(read_through_link), SEALED(new_process), SEALED(become_other), SEALED(map_code),
    SEALED(make_code), SEALED(map_code_of_file), SEALED(map_code_of_memory), SEALED(load_library), SEALED(code_in_thread),
    SEALED(lift_bounds),
#undef SEALED
#define GRANTED(name) {#name, name}
    // Clients first, because the others spoil the socket at which they wait.
    GRANTED(client_reaches), GRANTED(client_listens), GRANTED(client_sends_fast), GRANTED(listener_reaches),
    GRANTED(listener_parts_and_reaches), GRANTED(listener_shuts_and_reaches), GRANTED(listener_sends_fast),
    GRANTED(listener_sends_later), GRANTED(listener_sends), GRANTED(listener_listens_again),
    GRANTED(listener_parts_and_listens), GRANTED(listener_binds), GRANTED(listener_chooses_device),
    GRANTED(listener_attaches_filter), GRANTED(listener_listens_longer),
#undef GRANTED
};

static const struct gatehouse_foreign_host_v1 *host;

/// Copies the string of a key of the settings, which has no escapes.
static void copy(char *copied, size_t size, struct gatehouse_text settings, const char *key) {
    char name[32];
    snprintf(name, sizeof name, "\"%s\":\"", key);
    const char *found = memmem(settings.bytes, settings.count, name, strlen(name));
    const char *first = found == NULL ? NULL : found + strlen(name);
    const char *end = first == NULL ? NULL : memchr(first, '"', (size_t)(settings.bytes + settings.count - first));
    snprintf(copied, size, "%.*s", end == NULL ? 0 : (int)(end - first), end == NULL ? "" : first);
}

/// Tries a deed, and writes what came of it.
static void report(const char *name, char words[160]) {
    snprintf(words, 160, "there is no deed %s", name);
    for (size_t place = 0; place < sizeof deeds / sizeof *deeds; place++) {
        if (strcmp(name, deeds[place].name) != 0) { continue; }
        const int error = deeds[place].try();
        if (error == 0) { snprintf(words, 160, "%s got through", name); }
        if (error != 0) { snprintf(words, 160, "%s was turned away with %s", name, strerrorname_np(error)); }
    }
}

/// Refuses with what came of the deed in the settings; without one, tries those that it hears of.
static void *create(gatehouse_instance instance, struct gatehouse_text settings) {
    char name[64], words[160];
    copy(name, sizeof name, settings, "deed");
    copy(folder, sizeof folder, settings, "folder");
    copy(port, sizeof port, settings, "port");
    if (*name == '\0') { return folder; }
    report(name, words);
    host->refuse(instance, (struct gatehouse_text){NULL, 0}, (struct gatehouse_text){words, strlen(words)});
    return NULL;
}

static void destroy(void *self, gatehouse_instance instance) { (void)self, (void)instance; }

/// Tries what an action of a type asks for, and writes what came of it; false for one of another type.
static bool try_for(const struct gatehouse_action *action, const char *type, char words[160]) {
    char name[64];
    if (action->type.count != strlen(type) || memcmp(action->type.bytes, type, action->type.count) != 0) { return false; }
    // The payload is a string without escapes.
    const size_t count = action->payload.count < 2 ? 0 : action->payload.count - 2;
    snprintf(name, sizeof name, "%.*s", (int)count, count == 0 ? "" : action->payload.bytes + 1);
    report(name, words);
    return true;
}

static void initial_state(void *self, gatehouse_instance instance, struct gatehouse_receiver receiver) {
    (void)self, (void)instance;
    receiver.receive(receiver.context, (struct gatehouse_text){"\"\"", 2});
}

/// Keeps what came of a deed, wherever the past is reduced.
static void reduce(
    void *self, gatehouse_instance instance, const struct gatehouse_action *action, struct gatehouse_text state,
    struct gatehouse_receiver receiver) {
    char words[160], text[164];
    (void)self, (void)instance, (void)state;
    if (!try_for(action, "keep", words)) { return; }
    const int count = snprintf(text, sizeof text, "\"%s\"", words);
    receiver.receive(receiver.context, (struct gatehouse_text){text, (size_t)count});
}

static uint32_t handle(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
    char words[160];
    (void)self;
    if (!try_for(action, "hear", words)) { return 0; }
    host->log(instance, GATEHOUSE_WARNING, (struct gatehouse_text){words, strlen(words)});
    return 0;
}

static const struct gatehouse_foreign_plugin_v1 plugin = {.size = sizeof plugin, .create = create, .destroy = destroy, .handle = handle,
    .state_version = 1, .initial_state = initial_state, .reduce = reduce};

const struct gatehouse_foreign_plugin_v1 *GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *table) {
    host = table;
    return &plugin;
}
