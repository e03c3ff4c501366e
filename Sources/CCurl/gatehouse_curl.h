// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_CURL_H
#define GATEHOUSE_CURL_H

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>

// Swift cannot call functions with variable arguments, so each kind of option has a function here.

/// Called with its data when a transfer has a connection and is about to send its request; 0 lets it continue.
typedef int (*gatehouse_curl_ready)(void *data, char *peer, char *local, int peer_port, int local_port);

/// Called with the bytes of a body; returns how many it takes, and fewer to end the transfer.
typedef size_t (*gatehouse_curl_write)(char *bytes, size_t size, size_t count, void *data);

/// Sets an option that is a number. The C function is `curl_easy_setopt`.
static inline CURLcode gatehouse_curl_set_number(CURL *transfer, CURLoption option, long number) {
    return curl_easy_setopt(transfer, option, number);
}

/// Sets an option that is a text, which libcurl copies. The C function is `curl_easy_setopt`.
static inline CURLcode gatehouse_curl_set_text(CURL *transfer, CURLoption option, const char *text) {
    return curl_easy_setopt(transfer, option, text);
}

/// Sets a body of `length` bytes, which libcurl copies.
static inline CURLcode gatehouse_curl_set_body(CURL *transfer, const void *bytes, curl_off_t length) {
    const CURLcode code = curl_easy_setopt(transfer, CURLOPT_POSTFIELDSIZE_LARGE, length);
    return code == CURLE_OK ? curl_easy_setopt(transfer, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

/// Sets the headers, which must live as long as the transfer.
static inline CURLcode gatehouse_curl_set_headers(CURL *transfer, struct curl_slist *headers) {
    return curl_easy_setopt(transfer, CURLOPT_HTTPHEADER, headers);
}

/// Sets the function that takes the body of the answer, and its data.
static inline CURLcode gatehouse_curl_set_write(CURL *transfer, gatehouse_curl_write write, void *data) {
    const CURLcode code = curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, write);
    return code == CURLE_OK ? curl_easy_setopt(transfer, CURLOPT_WRITEDATA, data) : code;
}

/// Sets the function that decides about each request just before it is sent, and its data.
static inline CURLcode gatehouse_curl_set_ready(CURL *transfer, gatehouse_curl_ready ready, void *data) {
    const CURLcode code = curl_easy_setopt(transfer, CURLOPT_PREREQFUNCTION, ready);
    return code == CURLE_OK ? curl_easy_setopt(transfer, CURLOPT_PREREQDATA, data) : code;
}

/// Sets the function that opens a socket for a transfer without a connection to take over, and its data.
static inline CURLcode gatehouse_curl_set_open(CURL *transfer, curl_opensocket_callback open, void *data) {
    const CURLcode code = curl_easy_setopt(transfer, CURLOPT_OPENSOCKETFUNCTION, open);
    return code == CURLE_OK ? curl_easy_setopt(transfer, CURLOPT_OPENSOCKETDATA, data) : code;
}

/// Says of the socket that such a function has opened that it is connected.
static inline int gatehouse_curl_connected(void *data, curl_socket_t socket, curlsocktype purpose) {
    (void)data, (void)socket, (void)purpose;
    return CURL_SOCKOPT_ALREADY_CONNECTED;
}

/// Lets libcurl take each socket that is opened for it for a connected one.
static inline CURLcode gatehouse_curl_expect_connected(CURL *transfer) {
    return curl_easy_setopt(transfer, CURLOPT_SOCKOPTFUNCTION, gatehouse_curl_connected);
}

/// Sets addresses of hosts, which libcurl then does not look up; the list must live as long as the transfer.
static inline CURLcode gatehouse_curl_set_addresses(CURL *transfer, struct curl_slist *addresses) {
    return curl_easy_setopt(transfer, CURLOPT_RESOLVE, addresses);
}

/// Makes a share of connections, for one thread at a time; NULL where that fails.
static inline CURLSH *gatehouse_curl_make_share(void) {
    CURLSH *share = curl_share_init();
    if (share && curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT) != CURLSHE_OK) {
        curl_share_cleanup(share);
        return 0;
    }
    return share;
}

/// Lets a transfer use the connections of a share, and no others; the share must outlive it.
static inline CURLcode gatehouse_curl_set_share(CURL *transfer, CURLSH *share) {
    return curl_easy_setopt(transfer, CURLOPT_SHARE, share);
}

/// Sets where libcurl writes error messages: `CURL_ERROR_SIZE` bytes that must live as long as the transfer.
static inline CURLcode gatehouse_curl_set_errors(CURL *transfer, char *buffer) {
    return curl_easy_setopt(transfer, CURLOPT_ERRORBUFFER, buffer);
}

/// Reads a number about a transfer that has ended; 0 where there is none.
static inline long gatehouse_curl_number(CURL *transfer, CURLINFO info) {
    long number = 0;
    return curl_easy_getinfo(transfer, info, &number) == CURLE_OK ? number : 0;
}

/// Reads a text about an ended transfer, which lives as long as that; NULL where there is none.
static inline const char *gatehouse_curl_text(CURL *transfer, CURLINFO info) {
    char *text = 0;
    return curl_easy_getinfo(transfer, info, &text) == CURLE_OK ? text : 0;
}

/// Reads a header of the answer, which lives as long as the transfer; NULL where there is none.
static inline const char *gatehouse_curl_header(CURL *transfer, const char *name) {
    struct curl_header *header = 0;
    return curl_easy_header(transfer, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value : 0;
}

/// Declared by the C library only where all its extensions are.
extern int pthread_setname_np(pthread_t thread, const char *name);

/// Names the thread that calls it, for debuggers and top; where that fails it goes without.
static inline void gatehouse_curl_name_thread(void) {
    pthread_setname_np(pthread_self(), "http-client");
}

/// Runs a function on a thread of its own, which takes no signals and is never joined; returns 0, or an error number.
static inline int gatehouse_curl_start(void *(*run)(void *), void *data) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error) return error;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    error = pthread_create(&thread, &attributes, run, data);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    pthread_attr_destroy(&attributes);
    return error;
}

/// Sets how many connections are kept at most for later transfers; as a rule that depends on how many transfers there are.
static inline CURLMcode gatehouse_curl_keep(CURLM *transfers, long connections) {
    return curl_multi_setopt(transfers, CURLMOPT_MAXCONNECTS, connections);
}

/// Removes the next transfer that has ended, and returns it with its result; NULL where there is none.
static inline CURL *gatehouse_curl_next_done(CURLM *transfers, CURLcode *result) {
    int left = 0;
    for (CURLMsg *message = curl_multi_info_read(transfers, &left); message;
         message = curl_multi_info_read(transfers, &left)) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return 0;
}

#endif
