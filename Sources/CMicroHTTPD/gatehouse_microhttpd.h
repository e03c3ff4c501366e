// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_MICROHTTPD_H
#define GATEHOUSE_MICROHTTPD_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <unistd.h>
#include <microhttpd.h>

/// The callbacks of a daemon; must not move before the daemon has stopped. All functions receive `context`.
struct gatehouse_http_callbacks {
    void *context;
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback complete;
    MHD_NotifyConnectionCallback notify;
    /// Called with a message of the library on one line, which ends with a line break.
    void (*note)(void *context, const char *text);
};

/// The limits of a daemon.
struct gatehouse_http_bounds {
    /// Connections at once for each thread; must never be reached, because a thread of the library stops working at the limit.
    unsigned int connections;
    /// Bytes for the header of one request and the pieces of its body.
    size_t memory;
    /// Seconds after which an inactive connection is closed.
    unsigned int timeout;
    unsigned int threads;
};

/// Formats a message of the library. Exists because Swift cannot read variable arguments.
static void gatehouse_http_note(void *callbacks, const char *format, va_list arguments) {
    const struct gatehouse_http_callbacks *given = callbacks;
    char text[256];
    if (vsnprintf(text, sizeof text, format, arguments) > 0) { given->note(given->context, text); }
}

/// Resolves the escapes of a path or a query; an escaped NUL, which would end the text in C, becomes a control character.
static size_t gatehouse_http_unescape(void *context, struct MHD_Connection *connection, char *text) {
    (void)context, (void)connection;
    const size_t count = MHD_http_unescape(text);
    for (size_t place = 0; place < count; place++) {
        if (text[place] == 0) { text[place] = 1; }
    }
    return count;
}

/// The maximum number of arguments in a query.
#define GATEHOUSE_HTTP_MOST_ARGUMENTS 64

/// Checks a path and its query before the library parses them.
///
/// When the arguments of a query fill the memory of a connection, the library only retries for ever, and never answers. So a query with
/// too many is cut off, and a control character at the end of the path marks that. The text lies in the connection's memory; the
/// library only knows where the question mark is.
static void *gatehouse_http_look(void *context, const char *text, struct MHD_Connection *connection) {
    (void)context, (void)connection;
    char *query = strchr((char *)text, '?');
    unsigned int count = 1;
    for (const char *place = query; place && *place; place++) { count += *place == '&'; }
    if (query && count > GATEHOUSE_HTTP_MOST_ARGUMENTS) {
        query[1] = 0;
        if (query > text) { query[-1] = 1; }
    }
    return (void *)0;
}

/// Starts a daemon for admitted connections; NULL when there are no threads or descriptors.
///
/// Exists because Swift cannot call functions with variable arguments.
static inline struct MHD_Daemon *gatehouse_http_start(
    struct gatehouse_http_bounds bounds, struct gatehouse_http_callbacks *callbacks) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG
            | MHD_USE_NO_LISTEN_SOCKET,
        0,
        (MHD_AcceptPolicyCallback)0, (void *)0, callbacks->handle, callbacks->context,
        MHD_OPTION_EXTERNAL_LOGGER, &gatehouse_http_note, (void *)callbacks,
        MHD_OPTION_CONNECTION_LIMIT, bounds.connections * bounds.threads,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, bounds.memory,
        MHD_OPTION_CONNECTION_TIMEOUT, bounds.timeout,
        MHD_OPTION_THREAD_POOL_SIZE, bounds.threads,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks->complete, callbacks->context,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks->notify, callbacks->context,
        MHD_OPTION_URI_LOG_CALLBACK, &gatehouse_http_look, (void *)0,
        MHD_OPTION_UNESCAPE_CALLBACK, &gatehouse_http_unescape, (void *)0,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_END);
}

/// Accepts a connection that waits at a nonblocking socket.
///
/// Returns its descriptor, or the negated error number; -EAGAIN when no connection waits.
static inline int gatehouse_http_accept(int listener) {
    const int connection = accept(listener, (struct sockaddr *)0, (socklen_t *)0);
    if (connection < 0) { return -errno; }
    fcntl(connection, F_SETFD, FD_CLOEXEC);
    fcntl(connection, F_SETFL, O_NONBLOCK);
    return connection;
}

/// Passes a connection to a daemon; false when the daemon refuses it, and has closed it.
static inline bool gatehouse_http_admit(struct MHD_Daemon *daemon, int connection) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getpeername(connection, (struct sockaddr *)&address, &length) != 0) { length = 0; }
    return MHD_add_connection(daemon, connection, (struct sockaddr *)&address, length) == MHD_YES;
}

/// Sends a text to a connection without reading from it, and closes it.
static inline void gatehouse_http_turn_away(int connection, const char *text, size_t count) {
    char request[4096];
    send(connection, text, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(connection, SHUT_WR);
    // Unread bytes would make the kernel reset the connection, and the client lose the answer.
    while (recv(connection, request, sizeof request, MSG_DONTWAIT) == (ssize_t)sizeof request) {}
    close(connection);
}

/// The socket of a connection; negative when there is none.
static inline int gatehouse_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// Where the next field of a header must begin, and whether all fields so far began where they had to.
struct gatehouse_http_lines {
    const char *next;
    bool are_whole;
};

/// Checks one field of a header: a colon and blanks stand between its name and its value, CR and LF between it and the next.
static enum MHD_Result gatehouse_http_look_at_line(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
    size_t value_size) {
    (void)kind;
    struct gatehouse_http_lines *lines = context;
    lines->are_whole = lines->are_whole && name == lines->next && value;
    if (!lines->are_whole) { return MHD_NO; }
    const char *begin = name + name_size + 1;
    while (*begin == ' ' || *begin == '\t') { begin++; }
    lines->are_whole = begin == value;
    lines->next = value + value_size + 2;
    return MHD_YES;
}

/// Whether each line of a header ended with CR and LF, none continued in the next, and none contained a zero byte.
///
/// libmicrohttpd 0.9.75 tolerates all three. It writes zero bytes over colons and ends of lines and leaves the rest in place, so the
/// distances between fields reveal them. Always true for other versions, which may store their headers in another way. Call it before
/// the body is read, with the method and version from the library.
static inline bool gatehouse_http_has_whole_lines(
    struct MHD_Connection *connection, const char *method, const char *version) {
    if (strcmp(MHD_get_version(), "0.9.75") != 0) { return true; }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (!info) { return false; }
    struct gatehouse_http_lines lines = { version + strlen(version) + 2, true };
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, &gatehouse_http_look_at_line, &lines);
    // The line that ends the header is empty.
    return lines.are_whole && lines.next + 2 == method + info->header_size;
}

/// The object that `notify` has attached to a connection; NULL for none.
static inline void *gatehouse_http_attached(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : (void *)0;
}

/// The address of the client; NULL when it is unknown.
static inline const struct sockaddr *gatehouse_http_client(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : (const struct sockaddr *)0;
}

#endif
