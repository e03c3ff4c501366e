// SPDX-License-Identifier: Apache-2.0

// usage: worker-benchmark GATEHOUSE FOLDER
//
// Compares an instance in a worker with the same instance in the host, and both with a process that answers lines over a Unix socket.
// Scripts/bench-worker makes FOLDER: the configurations counter-host, counter-worker, listener-host, logger-host and logger-worker (.json),
// and ten-host and ten-worker with ten counters.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// An action of the counter, with a payload of 64 bytes.
static const char line[] =
    "{\"type\":\"counter/increment\",\"payload\":{\"by\":1,\"note\":\"0123456789012345678901234567890123456789012\"}}\n";
/// An action that nobody handles, as long as the other one.
static const char other[] =
    "{\"type\":\"counter/forgotten\",\"payload\":{\"by\":1,\"note\":\"0123456789012345678901234567890123456789012\"}}\n";
/// An action that an instance hears and does nothing about, as long as the other two.
static const char heard[] =
    "{\"type\":\"listener/ping\",\"payload\":{\"by\":1,\"note\":\"01234567890123456789012345678901234567890123456\"}}\n";
/// Runs of which the middle one counts, lone actions in one of them, lines before those that are stepped through, as many of these as a
/// pipe holds, and lines in flight.
enum { rounds = 5, lone_actions = 1000, warming_lines = 50000, stepped_lines = 30, window = 256 };

#ifdef SYS_poll
static const int poll_call = SYS_poll;
#else
static const int poll_call = SYS_ppoll;
#endif

static const char *program, *folder;

/// Ends the program because of something that must not happen.
static void fail(const char *what) {
    fprintf(stderr, "worker-benchmark: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int compare(const void *one, const void *two) {
    const double difference = *(const double *)one - *(const double *)two;
    return (difference > 0) - (difference < 0);
}

/// The middle one of some numbers, which are sorted by this.
static double middle(double *numbers, size_t count) {
    qsort(numbers, count, sizeof *numbers, compare);
    return numbers[count / 2];
}

/// Starts a host with a configuration; an end of -1 is the null device.
static pid_t start(const char *configuration, int input, int errors) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.json", folder, configuration);
    const pid_t process = fork();
    if (process < 0) { fail("fork"); }
    if (process > 0) { return process; }
    const int null = open("/dev/null", O_RDWR);
    dup2(input < 0 ? null : input, 0);
    dup2(null, 1);
    dup2(errors < 0 ? null : errors, 2);
    execl(program, program, "run", "--config", path, (char *)NULL);
    _exit(127);
}

/// Waits until a host has ended, which it does without an error.
static void finish(pid_t process) {
    int status;
    if (waitpid(process, &status, 0) < 0) { fail("waitpid"); }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        errno = ECHILD;
        fail("a host did not end well");
    }
}

/// Writes a file of so many lines, and opens it.
static int lines_file(int count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/lines", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL) { fail(path); }
    for (int number = 0; number < count; number++) { fputs(line, file); }
    fclose(file);
    return open(path, O_RDONLY);
}

/// The seconds that a host takes for so many lines, from its start to its end.
static double run(const char *configuration, int count) {
    const int input = lines_file(count);
    const double begin = now();
    finish(start(configuration, input, -1));
    const double end = now();
    close(input);
    return end - begin;
}

/// Microseconds for an action among many, without the start and the end of the host.
static double flow(const char *configuration) {
    enum { most = 1000000, least = 100000 };
    double times[rounds];
    for (int round = 0; round < rounds; round++) {
        times[round] = (run(configuration, most) - run(configuration, least)) * 1e6 / (most - least);
    }
    return middle(times, rounds);
}

/// Milliseconds for the start and the end of a host that is given nothing.
static double idle_run(const char *configuration) {
    double times[rounds];
    for (int round = 0; round < rounds; round++) { times[round] = run(configuration, 0) * 1e3; }
    return middle(times, rounds);
}

/// Reads until there is a whole line; returns false at the end.
static bool read_line(int descriptor) {
    char bytes[65536];
    while (true) {
        const ssize_t count = read(descriptor, bytes, sizeof bytes);
        if (count <= 0) { return false; }
        if (memchr(bytes, '\n', (size_t)count) != NULL) { return true; }
    }
}

/// Microseconds from writing a line to a logger's line about it, for actions that come one by one.
static double lone(const char *configuration) {
    int input[2], errors[2];
    if (pipe2(input, O_CLOEXEC) < 0 || pipe2(errors, O_CLOEXEC) < 0) { fail("pipe2"); }
    const pid_t host = start(configuration, input[0], errors[1]);
    close(input[0]);
    close(errors[1]);
    static double times[lone_actions];
    for (int number = -10; number < lone_actions; number++) {
        usleep(2000);
        const double begin = now();
        if (write(input[1], line, strlen(line)) < 0 || !read_line(errors[0])) { fail("a lone action"); }
        // The first ones find out what it is.
        if (number >= 0) { times[number] = (now() - begin) * 1e6; }
    }
    close(input[1]);
    while (read_line(errors[0])) {}
    close(errors[0]);
    finish(host);
    return middle(times, lone_actions);
}

/// Answers each line that comes with a line, as a process would that counts by a protocol of its own.
static void answer_lines(int connection) {
    FILE *input = fdopen(connection, "r");
    char text[4096], answers[65536];
    size_t used = 0;
    unsigned long count = 0;
    while (fgets(text, sizeof text, input) != NULL) {
        const char *by = strstr(text, "\"by\":");
        if (strstr(text, "\"type\":\"counter/increment\"") != NULL && by != NULL) { count += strtoul(by + 5, NULL, 10); }
        used += (size_t)snprintf(answers + used, sizeof answers - used, "{\"counter\":{\"count\":%lu}}\n", count);
        // What is at hand is answered together.
        if (input->_IO_read_ptr < input->_IO_read_end && used < sizeof answers - 128) { continue; }
        if (write(connection, answers, used) < 0) { _exit(1); }
        used = 0;
    }
    _exit(0);
}

/// Microseconds for a line and its answer over a Unix socket: among `window` in flight, and alone.
static void over_socket(double *flowing, double *alone) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) { fail("socketpair"); }
    const pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        answer_lines(ends[1]);
    }
    close(ends[1]);
    static char many[window * sizeof line];
    for (int number = 0; number < window; number++) { memcpy(many + number * strlen(line), line, strlen(line)); }
    double times[rounds];
    for (int round = 0; round < rounds; round++) {
        enum { batches = 2000 };
        const double begin = now();
        for (int batch = 0; batch < batches; batch++) {
            if (write(ends[0], many, window * strlen(line)) < 0) { fail("write"); }
            for (int answers = 0; answers < window;) {
                char bytes[65536];
                const ssize_t count = read(ends[0], bytes, sizeof bytes);
                if (count <= 0) { fail("read"); }
                for (ssize_t place = 0; place < count; place++) { answers += bytes[place] == '\n'; }
            }
        }
        times[round] = (now() - begin) * 1e6 / (batches * window);
    }
    *flowing = middle(times, rounds);
    static double single[lone_actions];
    for (int number = 0; number < lone_actions; number++) {
        usleep(2000);
        const double begin = now();
        if (write(ends[0], line, strlen(line)) < 0 || !read_line(ends[0])) { fail("a line"); }
        single[number] = (now() - begin) * 1e6;
    }
    *alone = middle(single, lone_actions);
    close(ends[0]);
    waitpid(process, NULL, 0);
}

/// The thread of a process that has run longest of those that wait in poll(), as the one does that reads.
static pid_t busiest_thread(pid_t process) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    if (tasks == NULL) { fail(path); }
    pid_t busiest = 0;
    unsigned long long most = 0;
    for (const struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char name[512];
        unsigned long long time = 0;
        int call = -1;
        snprintf(name, sizeof name, "%s/%s/syscall", path, task->d_name);
        FILE *file = fopen(name, "r");
        if (file == NULL) { continue; }
        const bool waits = fscanf(file, "%d", &call) == 1 && (call == SYS_ppoll || call == poll_call);
        fclose(file);
        if (!waits) { continue; }
        snprintf(name, sizeof name, "%s/%s/schedstat", path, task->d_name);
        file = fopen(name, "r");
        if (file == NULL) { continue; }
        if (fscanf(file, "%llu", &time) == 1 && time > most) {
            most = time;
            busiest = (pid_t)atoi(task->d_name);
        }
        fclose(file);
    }
    closedir(tasks);
    return busiest;
}

/// Calls a function with each process that a process has started.
static void each_child(pid_t process, void (*body)(pid_t)) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    if (tasks == NULL) { fail(path); }
    for (const struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s/children", path, task->d_name);
        FILE *file = fopen(name, "r");
        if (file == NULL) { continue; }
        for (int child; fscanf(file, "%d", &child) == 1;) { body(child); }
        fclose(file);
    }
    closedir(tasks);
}

static void stop_child(pid_t child) { kill(child, SIGSTOP); }

/// What a child has used: pages of its own in bytes, and how often its threads have waited or were interrupted.
static double child_memory, child_switches;

/// Adds what a file about a process or a thread says after a word.
static double said(const char *path, const char *word) {
    char entry[256];
    double sum = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) { return 0; }
    while (fgets(entry, sizeof entry, file) != NULL) {
        if (strstr(entry, word) == entry) { sum += strtod(entry + strlen(word), NULL); }
    }
    fclose(file);
    return sum;
}

static void look_at_child(pid_t child) {
    char path[600];
    snprintf(path, sizeof path, "/proc/%d/status", child);
    child_memory = said(path, "RssAnon:") / 1024;
    child_switches = 0;
    snprintf(path, sizeof path, "/proc/%d/task", child);
    DIR *tasks = opendir(path);
    if (tasks == NULL) { return; }
    for (const struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char name[600];
        snprintf(name, sizeof name, "/proc/%d/task/%.256s/status", child, task->d_name);
        child_switches += said(name, "voluntary_ctxt_switches:") + said(name, "nonvoluntary_ctxt_switches:");
    }
    closedir(tasks);
}

/// The memory of a worker that has nothing to do, in MiB, and how often it woke up in five seconds.
static void idle_worker(double *memory, double *wakes) {
    int input[2];
    if (pipe2(input, O_CLOEXEC) < 0) { fail("pipe2"); }
    const pid_t host = start("counter-worker", input[0], -1);
    close(input[0]);
    sleep(2);
    each_child(host, look_at_child);
    const double before = child_switches;
    sleep(5);
    each_child(host, look_at_child);
    *memory = child_memory;
    *wakes = child_switches - before;
    close(input[1]);
    finish(host);
}

static void interrupt(int signal) { (void)signal; }

/// Where a function of the C library begins in another process, which has the same library.
static unsigned long long address_in(pid_t process, void *function) {
    Dl_info own;
    if (dladdr(function, &own) == 0) { fail("dladdr"); }
    char path[32], entry[1024];
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE *maps = fopen(path, "re");
    if (maps == NULL) { fail(path); }
    const char *name = strrchr(own.dli_fname, '/');
    unsigned long long base = 0;
    // The first entry of a library is where it was loaded.
    while (base == 0 && fgets(entry, sizeof entry, maps) != NULL) {
        if (strstr(entry, name) != NULL) { sscanf(entry, "%llx", &base); }
    }
    fclose(maps);
    return base + ((char *)function - (char *)own.dli_fbase);
}

/// Lets a thread that is stopped see the same time always, when it asks for the time of day.
///
/// It takes milliseconds for a line while each of its instructions is waited for, and would think that its lines were slow to come.
static void hold_time(pid_t thread, const struct user_regs_struct *registers, unsigned long long clock) {
    static unsigned long long answer, back;
    static long second;
    if (registers->rip == clock && registers->rdi == CLOCK_REALTIME) {
        answer = registers->rsi;
        back = (unsigned long long)ptrace(PTRACE_PEEKDATA, thread, registers->rsp, 0);
    } else if (back != 0 && registers->rip == back) {
        if (second == 0) { second = ptrace(PTRACE_PEEKDATA, thread, answer, 0); }
        ptrace(PTRACE_POKEDATA, thread, answer, second);
        ptrace(PTRACE_POKEDATA, thread, answer + sizeof(long), 0);
        back = 0;
    }
}

/// The instructions that the thread of a host which reads and dispatches takes for one of `stepped_lines` lines that come together.
///
/// They are counted by executing them one by one, because a counter of the processor is not to be had in every virtual machine; one that
/// repeats itself counts once. Workers are stopped meanwhile: one that answers each order before the next one comes would cost a
/// checkpoint for each, which many actions share otherwise.
static double instructions(const char *configuration, const char *text) {
    int input[2];
    if (pipe2(input, O_CLOEXEC) < 0) { fail("pipe2"); }
    const pid_t host = start(configuration, input[0], -1);
    close(input[0]);
    // What is done once is done before, and the thread is known by its work.
    for (int number = 0; number < warming_lines; number++) {
        if (write(input[1], text, strlen(text)) < 0) { fail("write"); }
    }
    sleep(2);
    each_child(host, stop_child);
    const pid_t thread = busiest_thread(host);
    const unsigned long long clock = address_in(host, (void *)clock_gettime);
    if (ptrace(PTRACE_SEIZE, thread, 0, 0) < 0 || ptrace(PTRACE_INTERRUPT, thread, 0, 0) < 0) { fail("ptrace"); }
    int status;
    if (waitpid(thread, &status, __WALL) < 0) { fail("waitpid"); }
    for (int number = 0; number < stepped_lines; number++) {
        if (write(input[1], text, strlen(text)) < 0) { fail("write"); }
    }
    // A thread that sleeps in a system call for so long has done everything.
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval every_second = {{1, 0}, {1, 0}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &every_second, NULL);
    long steps = 0, before = -1;
    unsigned long long last = 0;
    while (true) {
        if (ptrace(PTRACE_SINGLESTEP, thread, 0, 0) < 0) { fail("ptrace"); }
        while (waitpid(thread, &status, __WALL) < 0) {
            if (errno != EINTR) { fail("waitpid"); }
            if (steps == before) { goto asleep; }
            before = steps;
        }
        if (WIFEXITED(status) || WIFSIGNALED(status)) { fail("a host has ended"); }
        struct user_regs_struct registers;
        if (ptrace(PTRACE_GETREGS, thread, 0, &registers) < 0) { fail("ptrace"); }
        hold_time(thread, &registers, clock);
        if (registers.rip != last) { steps++; }
        last = registers.rip;
    }
asleep:
    setitimer(ITIMER_REAL, &never, NULL);
    kill(host, SIGKILL);
    close(input[1]);
    // The process has ended when the thread is waited for, too.
    while (waitpid(-1, &status, __WALL) > 0 || errno == EINTR) {}
    return (double)steps / stepped_lines;
}

/// Prints a row, and whether it is within its bar; returns 1 where it is not.
static int row(const char *name, double value, const char *unit, double most) {
    printf("%-58s %9.2f %s", name, value, unit);
    if (most > 0) { printf(value <= most ? "   within %g" : "   ABOVE %g", most); }
    printf("\n");
    fflush(stdout);
    return most > 0 && value > most;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: worker-benchmark GATEHOUSE FOLDER\n");
        return 64;
    }
    program = arguments[1];
    folder = arguments[2];
    signal(SIGPIPE, SIG_IGN);
    int missed = 0;
    double flowing, alone;
    over_socket(&flowing, &alone);
    row("an action of a counter in the host", flow("counter-host"), "us", 0);
    missed += row("an action of a counter in a worker", flow("counter-worker"), "us", 1);
    row("a line and its answer over a Unix socket, 256 in flight", flowing, "us", 0);
    row("a lone action, logged in the host", lone("logger-host"), "us", 0);
    missed += row("a lone action, logged in a worker", lone("logger-worker"), "us", 100);
    row("a lone line and its answer over a Unix socket", alone, "us", 0);
    const double plain = instructions("counter-worker", other);
    row("instructions for a line that nobody handles", plain, "  ", 0);
    const double dispatch = instructions("listener-host", heard) - plain;
    row("instructions more for an instance in the host, to get there", dispatch, "  ", 0);
    row("instructions more for a counter in the host", instructions("counter-host", line) - plain, "  ", 0);
    const double worker = instructions("counter-worker", line) - plain;
    row("instructions more for a counter in a worker", worker, "  ", 0);
    missed += row("instructions of these beyond the dispatch itself", worker - dispatch, "  ", 500);
    const double ten = idle_run("ten-host");
    row("start and end of a host with ten instances", ten, "ms", 0);
    missed += row("the same more with ten workers", idle_run("ten-worker") - ten, "ms", 100);
    double memory, wakes;
    idle_worker(&memory, &wakes);
    missed += row("memory of its own of a worker that has nothing to do", memory, "MiB", 12);
    missed += row("times that it wakes up in 5 s", wakes, "  ", 0.5);
    return missed > 0;
}
