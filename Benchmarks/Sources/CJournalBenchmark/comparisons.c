// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CJournalBenchmark.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what, const char *reason) {
    fprintf(stderr, "journal-benchmark: %s: %s\n", what, reason);
    exit(70);
}

// MARK: - A file

int raw_open(const char *path) {
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0) { fail(path, strerror(errno)); }
    return descriptor;
}

void raw_append(int descriptor, const void *bytes, size_t count) {
    if (write(descriptor, bytes, count) != (ssize_t)count) { fail("write", strerror(errno)); }
    if (fdatasync(descriptor) != 0) { fail("fdatasync", strerror(errno)); }
}

void raw_close(int descriptor) { close(descriptor); }

// MARK: - SQLite

struct blobs {
    sqlite3 *connection;
    sqlite3_stmt *begin, *insert, *commit;
};

static void check(struct blobs *blobs, int code) {
    if (code != SQLITE_OK && code != SQLITE_DONE) { fail("SQLite", sqlite3_errmsg(blobs->connection)); }
}

struct blobs *blobs_open(const char *path, int is_full) {
    struct blobs *blobs = calloc(1, sizeof *blobs);
    if (!blobs) { fail("calloc", strerror(errno)); }
    check(blobs, sqlite3_open(path, &blobs->connection));
    check(blobs, sqlite3_exec(blobs->connection,
        is_full ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL" : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
        NULL, NULL, NULL));
    check(blobs, sqlite3_exec(blobs->connection,
        "CREATE TABLE IF NOT EXISTS batch (id INTEGER PRIMARY KEY, content BLOB NOT NULL)", NULL, NULL, NULL));
    check(blobs, sqlite3_prepare_v3(blobs->connection, "BEGIN IMMEDIATE", -1, SQLITE_PREPARE_PERSISTENT, &blobs->begin, NULL));
    check(blobs, sqlite3_prepare_v3(blobs->connection, "INSERT INTO batch (content) VALUES (?)", -1,
        SQLITE_PREPARE_PERSISTENT, &blobs->insert, NULL));
    check(blobs, sqlite3_prepare_v3(blobs->connection, "COMMIT", -1, SQLITE_PREPARE_PERSISTENT, &blobs->commit, NULL));
    return blobs;
}

static void step(struct blobs *blobs, sqlite3_stmt *statement) {
    check(blobs, sqlite3_step(statement));
    check(blobs, sqlite3_reset(statement));
}

void blobs_insert(struct blobs *blobs, const void *bytes, size_t count) {
    step(blobs, blobs->begin);
    check(blobs, sqlite3_bind_blob64(blobs->insert, 1, bytes, count, SQLITE_STATIC));
    step(blobs, blobs->insert);
    step(blobs, blobs->commit);
}

void blobs_close(struct blobs *blobs) {
    sqlite3_finalize(blobs->begin);
    sqlite3_finalize(blobs->insert);
    sqlite3_finalize(blobs->commit);
    sqlite3_close(blobs->connection);
    free(blobs);
}

// MARK: - Redis

int redis_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) { fail(path, "the path is too long for a socket"); }
    strcpy(address.sun_path, path);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        fail(path, strerror(errno));
    }
    return descriptor;
}

void redis_append(int descriptor, size_t count, size_t size) {
    char head[64];
    const size_t head_length = (size_t)snprintf(head, sizeof head, "*3\r\n$5\r\nRPUSH\r\n$7\r\njournal\r\n$%zu\r\n", size);
    const size_t one = head_length + size + 2;
    char *commands = malloc(one * count);
    if (!commands) { fail("malloc", strerror(errno)); }
    for (size_t number = 0; number < count; number++) {
        char *command = commands + number * one;
        memcpy(command, head, head_length);
        memset(command + head_length, 'x', size);
        memcpy(command + head_length + size, "\r\n", 2);
    }
    size_t sent = 0, answered = 0;
    char answers[1 << 16];
    while (answered < count) {
        if (sent < one * count) {
            const ssize_t part = send(descriptor, commands + sent, one * count - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (part > 0) { sent += (size_t)part; }
            else if (errno != EAGAIN) { fail("send", strerror(errno)); }
        }
        const ssize_t part = recv(descriptor, answers, sizeof answers, sent < one * count ? MSG_DONTWAIT : 0);
        if (part == 0 || (part < 0 && errno != EAGAIN)) { fail("recv", part == 0 ? "the server has gone" : strerror(errno)); }
        for (ssize_t place = 0; place < part; place++) {
            if (answers[place] == '-') { fail("Redis", "it has refused a command"); }
            if (answers[place] == '\n') { answered++; }
        }
    }
    free(commands);
}

// MARK: - The whole host

void write_file(const char *path, const void *bytes, size_t count, size_t times) {
    FILE *file = fopen(path, "we");
    if (!file) { fail(path, strerror(errno)); }
    for (size_t time = 0; time < times; time++) {
        if (fwrite(bytes, 1, count, file) != count) { fail(path, strerror(errno)); }
    }
    if (fclose(file) != 0) { fail(path, strerror(errno)); }
}

void run_host(const char *program, const char *configuration, const char *input) {
    char *const words[] = {(char *)program, "run", "--config", (char *)configuration, "--print", "none",
        "--input", (char *)input, NULL};
    // Its summary does not belong into the table.
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    const int refused = posix_spawn(&child, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (refused != 0) { fail(program, strerror(refused)); }
    int status = 0;
    if (waitpid(child, &status, 0) != child) { fail(program, strerror(errno)); }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) { fail(program, "has not read the actions"); }
}
