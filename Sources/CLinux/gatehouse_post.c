// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_linux.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// Posts JSON by libcurl, which is loaded when something is first posted: a host that posts nothing neither needs nor maps it. Its headers
// are not needed either; the numbers of its options never change.

#define FUNCTIONS(EACH) \
    EACH(int, start, (long), curl_global_init) \
    EACH(void *, make, (void), curl_easy_init) \
    EACH(int, set, (void *, int, ...), curl_easy_setopt) \
    EACH(int, perform, (void *), curl_easy_perform) \
    EACH(int, get, (void *, int, ...), curl_easy_getinfo) \
    EACH(void, end, (void *), curl_easy_cleanup) \
    EACH(void *, append, (void *, const char *), curl_slist_append) \
    EACH(void, drop, (void *), curl_slist_free_all) \
    EACH(const char *, words, (int), curl_easy_strerror)

#define DECLARED(result, name, parameters, symbol) result (*name)parameters;
#define NAMED(result, name, parameters, symbol) {(void **)&library.name, #symbol},

static struct {
    FUNCTIONS(DECLARED)
} library;
static pthread_once_t is_loaded = PTHREAD_ONCE_INIT;
static const char *failure;

enum {
    everything = 3, no_signal = 99, url = 10002, fields = 10015, headers = 10023, errors = 10010, length = 60, limit = 155,
    connect_limit = 156, write_function = 20011, protocols = 10318, agent = 10018, response_code = 0x200002,
};

static void load(void) {
    static char first[512];
    void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        snprintf(first, sizeof first, "%s", dlerror());
        failure = first;
        return;
    }
    const struct {
        void **place;
        const char *name;
    } functions[] = {
        FUNCTIONS(NAMED)
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        *functions[index].place = dlsym(handle, functions[index].name);
        if (*functions[index].place == NULL) {
            failure = dlerror();
            return;
        }
    }
    if (library.start(everything) != 0) { failure = "libcurl cannot be initialized"; }
}

/// Takes the body of an answer and does nothing with it.
static size_t take(char *bytes, size_t size, size_t count, void *data) {
    (void)bytes, (void)data;
    return size * count;
}

long gatehouse_post_json(
    const char *address, const void *bytes, size_t count, long milliseconds, char *reason, size_t room) {
    pthread_once(&is_loaded, load);
    void *transfer = failure == NULL ? library.make() : NULL;
    if (transfer == NULL) {
        snprintf(reason, room, "%s", failure == NULL ? "there is no memory" : failure);
        return 0;
    }
    // CURL_ERROR_SIZE bytes.
    char message[256] = "";
    // Without an empty Expect libcurl waits for permission to send a large body, which few services give.
    void *fields_of_header = library.append(library.append(NULL, "Content-Type: application/json"), "Expect:");
    library.set(transfer, url, address);
    library.set(transfer, protocols, "http,https");
    library.set(transfer, agent, "gatehouse");
    library.set(transfer, no_signal, 1L);
    library.set(transfer, limit, milliseconds);
    library.set(transfer, connect_limit, milliseconds);
    library.set(transfer, headers, fields_of_header);
    library.set(transfer, errors, message);
    library.set(transfer, write_function, take);
    library.set(transfer, length, (long)count);
    library.set(transfer, fields, bytes);
    const int code = library.perform(transfer);
    long status = 0;
    if (code == 0) {
        library.get(transfer, response_code, &status);
    } else {
        snprintf(reason, room, "%s", *message != 0 ? message : library.words(code));
    }
    library.end(transfer);
    library.drop(fields_of_header);
    return status;
}
