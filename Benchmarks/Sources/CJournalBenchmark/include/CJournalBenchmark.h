// SPDX-License-Identifier: Apache-2.0

#ifndef CJOURNALBENCHMARK_H
#define CJOURNALBENCHMARK_H

#include <stddef.h>

// What a journal is compared with, by plain calls in C. Every function returns 0, or ends the program with a message.

/// Opens a file that is appended to; returns its descriptor.
int raw_open(const char *path);
/// Appends bytes, and waits until they are on the disk.
void raw_append(int descriptor, const void *bytes, size_t count);
/// Closes the file.
void raw_close(int descriptor);

/// A database with one table of blobs.
struct blobs;
/// Opens a database with a log beside it; each commit waits for the disk when `is_full`.
struct blobs *blobs_open(const char *path, int is_full);
/// Inserts one blob in a transaction of its own.
void blobs_insert(struct blobs *blobs, const void *bytes, size_t count);
/// Closes the database.
void blobs_close(struct blobs *blobs);

/// Connects to a Redis server that listens at a path; returns the descriptor.
int redis_connect(const char *path);
/// Appends so many elements of `size` bytes to a list in one pipeline, and waits for all answers.
void redis_append(int socket, size_t count, size_t size);

/// Writes the same bytes so many times into a new file.
void write_file(const char *path, const void *bytes, size_t count, size_t times);
/// Lets the host read a file of actions, and waits until it has ended.
void run_host(const char *program, const char *configuration, const char *input);

#endif
