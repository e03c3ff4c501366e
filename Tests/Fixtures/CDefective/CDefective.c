// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE

#include "defective.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool defective_has(const char *defect) {
    const char *wanted = getenv("DEFECT");
    return wanted != NULL && strcmp(wanted, defect) == 0;
}

bool defective_is_in_worker(void) {
    // gatehouse child work ...
    char words[256] = {0};
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file < 0) { return false; }
    const ssize_t count = read(file, words, sizeof words - 1);
    close(file);
    return count > 0 && memmem(words, (size_t)count, "\0work", 6) != NULL;
}

static void *sleep_for_ever(void *nothing) {
    for (;;) { pause(); }
    return nothing;
}

static void *compute_for_ever(void *nothing) {
    for (volatile int turn = 0;; turn++) {}
    return nothing;
}

static void begin(void *(*body)(void *)) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 16);
    pthread_create(&thread, &attributes, body, NULL);
    pthread_attr_destroy(&attributes);
}

static void take(size_t count) {
    void *volatile memory = malloc(count);
    if (memory != NULL) { memset(memory, 1, count); }
}

static void reserve(size_t count) {
    void *volatile memory = malloc(count);
    if (memory == NULL) { __builtin_trap(); }
    free(memory);
}

static void ignore(int number) { (void)number; }

static void start_daemon(void) {
    const pid_t child = fork();
    if (child != 0) {
        waitpid(child, NULL, 0);
        return;
    }
    setsid();
    if (fork() != 0) { _exit(0); }
    for (;;) { pause(); }
}

static void do_it(const char *deed) {
    if (strcmp(deed, "trap") == 0) { __builtin_trap(); }
    if (strcmp(deed, "loop") == 0) { compute_for_ever(NULL); }
    if (strcmp(deed, "exit") == 0) { exit(3); }
    if (strcmp(deed, "sleep") == 0) { usleep(1200000); }
    if (strcmp(deed, "nap") == 0) { usleep(50000); }
    if (strcmp(deed, "doze") == 0) { usleep(300000); }
    if (strcmp(deed, "allocate") == 0) { for (;;) { take(1 << 20); } }
    if (strcmp(deed, "print") == 0) { printf("from a plugin\n"); }
    if (strcmp(deed, "warn") == 0) { fprintf(stderr, "from a plugin\n"); }
    if (strcmp(deed, "fork") == 0 && fork() == 0) { sleep_for_ever(NULL); }
    if (strcmp(deed, "daemon") == 0) { start_daemon(); }
    if (strcmp(deed, "signal") == 0) { signal(SIGUSR1, ignore); }
    if (strcmp(deed, "mask") == 0) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR2);
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    }
    if (strcmp(deed, "environment") == 0) { setenv("DEFECTIVE", "yes", 1); }
    if (strcmp(deed, "umask") == 0) { umask(0); }
    if (strcmp(deed, "folder") == 0) { (void)!chdir("/"); }
    if (strcmp(deed, "locale") == 0) { setlocale(LC_ALL, "C.UTF-8"); }
    if (strcmp(deed, "limits") == 0) {
        const struct rlimit none = {16, 16};
        setrlimit(RLIMIT_CORE, &none);
        struct rlimit files;
        getrlimit(RLIMIT_NOFILE, &files);
        files.rlim_cur = 100;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (strcmp(deed, "close") == 0) { close(STDIN_FILENO); }
    if (strcmp(deed, "round") == 0) { fesetround(FE_UPWARD); }
    if (strcmp(deed, "file") == 0) { close(open("left.txt", O_CREAT | O_CLOEXEC, 0600)); }
    if (strcmp(deed, "descriptor") == 0) { (void)!open("/dev/null", O_RDONLY | O_CLOEXEC); }
    if (strcmp(deed, "thread") == 0) { begin(sleep_for_ever); }
    if (strcmp(deed, "leak") == 0) { take(2048); }
    if (strcmp(deed, "hog") == 0) { take(64 << 20); }
    if (strcmp(deed, "reserve") == 0) { reserve(256 << 20); }
    if (strcmp(deed, "spin") == 0) { begin(compute_for_ever); }
}

void defective_wait(void) {
    for (;;) { usleep(10000); }
}

void defective_wait_for_news(void) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t news = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&lock);
    for (;;) { pthread_cond_wait(&news, &lock); }
}

void defective_do(const char *place) {
    const char *wanted = getenv("DEFECT");
    const size_t count = strlen(place);
    if (wanted != NULL && strncmp(wanted, place, count) == 0 && wanted[count] == '/') {
        do_it(wanted + count + 1);
    }
}

/// Runs when the library is loaded.
__attribute__((constructor)) static void on_load(void) { defective_do("load"); }
