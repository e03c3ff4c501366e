// SPDX-License-Identifier: Apache-2.0
//
// Secrets in files: the one rule by which the host, its cluster and the bundled plugins accept them.
//
// A secret is a file that nobody else can have written or can read: a plain file of this user or of root, which others may neither
// read nor change, and to which no folder and no link leads that others could replace. In C, because plugins that share Swift code
// with the host would contain it twice.

#ifndef GATEHOUSE_SECRET_H
#define GATEHOUSE_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Distinguishes the contents of a file from later ones, even if the size is kept and the time set back.
struct gatehouse_secret_stamp {
    uint64_t device, inode, size;
    int64_t written, written_part, changed, changed_part;
};

// Room for the end of a sentence that begins with a path and a colon, and says why the file cannot be used; it never contains anything from
// the file.
enum { gatehouse_secret_words = 4400 };
// The results for a file that cannot be used, and for a missing one.
enum { gatehouse_secret_unusable = -1, gatehouse_secret_missing = -2 };

// Each image has its own copy: a library that exported them would answer for the host's.
#pragma GCC visibility push(hidden)

// Opens a file; returns a number below 0 with the words on failure. Unless it `is_secret`, for example a certificate, it only has to be a
// plain file.
int gatehouse_secret_open(const char *_Nonnull path, bool is_secret, struct gatehouse_secret_stamp *_Nonnull stamp, char *_Nonnull words);
// Reads a secret from the beginning of a file, without line ends at its end; returns a number below 0 with the words when it is blank, of
// one character, or does not fit. The room must be one byte larger than the longest secret.
long gatehouse_secret_read(int file, char *_Nonnull bytes, size_t room, char *_Nonnull words);

#pragma GCC visibility pop

#endif
