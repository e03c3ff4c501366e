// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "gatehouse_tls.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The names of the library, newest first; the parts used are the same in both.
static const char *const names[] = {"libssl.so.3", "libssl.so.1.1"};

// The numbers used from the library's headers.
enum {
    set_least_version = 123,
    tls_1_2 = 0x0303,
    set_name = 55,
    host_name = 0,
    verify_peer = 1,
    pem = 1,
    wants_read = 2,
    has_ended = 6,
    // The reasons of problems that are alerts about certificates: alert numbers are added to the first; one came later.
    alerts = 1000,
    first_about_certificates = 1040,
    last_about_certificates = 1049,
    certificate_required = 1116,
};
// The library must not clean up when the process ends: other threads may still be using it then.
static const uint64_t initially = 0x00080000 | 0x00200000 | 0x00000002;

// The functions used from the library: what each returns, its name here, its parameters, and its name there. Those of libcrypto are found
// through libssl, which needs it.
#define FUNCTIONS(EACH) \
    EACH(int, initialize, (uint64_t, const void *), OPENSSL_init_ssl) \
    EACH(const void *, client, (void), TLS_client_method) \
    EACH(void *, make_context, (const void *), SSL_CTX_new) \
    EACH(void, free_context, (void *), SSL_CTX_free) \
    EACH(long, control_context, (void *, int, long, void *), SSL_CTX_ctrl) \
    EACH(int, trust_system, (void *), SSL_CTX_set_default_verify_paths) \
    EACH(int, trust_file, (void *, const char *, const char *), SSL_CTX_load_verify_locations) \
    EACH(int, use_certificate, (void *, const char *), SSL_CTX_use_certificate_chain_file) \
    EACH(int, use_key, (void *, const char *, int), SSL_CTX_use_PrivateKey_file) \
    EACH(int, check_key, (const void *), SSL_CTX_check_private_key) \
    EACH(void, set_verify, (void *, int, void *), SSL_CTX_set_verify) \
    EACH(void, set_password, (void *, int (*)(char *, int, int, void *)), SSL_CTX_set_default_passwd_cb) \
    EACH(void *, make, (void *), SSL_new) \
    EACH(void, free, (void *), SSL_free) \
    EACH(void, set_ends, (void *, void *, void *), SSL_set_bio) \
    EACH(int, set_host, (void *, const char *), SSL_set1_host) \
    EACH(void *, parameters, (void *), SSL_get0_param) \
    EACH(int, set_address, (void *, const char *), X509_VERIFY_PARAM_set1_ip_asc) \
    EACH(long, control, (void *, int, long, void *), SSL_ctrl) \
    EACH(int, connect, (void *), SSL_connect) \
    EACH(int, read, (void *, void *, int), SSL_read) \
    EACH(int, write, (void *, const void *, int), SSL_write) \
    EACH(int, error, (const void *, int), SSL_get_error) \
    EACH(long, verdict, (const void *), SSL_get_verify_result) \
    EACH(const char *, verdict_words, (long), X509_verify_cert_error_string) \
    EACH(const void *, memory, (void), BIO_s_mem) \
    EACH(void *, make_end, (const void *), BIO_new) \
    EACH(int, free_end, (void *), BIO_free) \
    EACH(int, take, (void *, void *, int), BIO_read) \
    EACH(int, give, (void *, const void *, int), BIO_write) \
    EACH(unsigned long, first_problem, (void), ERR_peek_error) \
    EACH(void, forget_problems, (void), ERR_clear_error) \
    EACH(const char *, problem_words, (unsigned long), ERR_reason_error_string)

#define DECLARED(result, name, parameters, symbol) result (*name)parameters;
#define NAMED(result, name, parameters, symbol) {(void **)&library.name, #symbol},

static struct {
    FUNCTIONS(DECLARED)
} library;
static pthread_once_t is_loaded = PTHREAD_ONCE_INIT;
static const char *failure;

struct gatehouse_tls {
    void *context, *connection;
    // The received bytes, and the bytes to send; they belong to the connection.
    void *in, *out;
};

// MARK: - Loading

static void load(void) {
    void *handle = NULL;
    static char first[512];
    for (size_t index = 0; handle == NULL && index < sizeof names / sizeof *names; index++) {
        handle = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
        // The reported reason is the one for the newest name.
        if (handle == NULL && index == 0) snprintf(first, sizeof first, "%s", dlerror());
    }
    if (handle == NULL) {
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
    if (library.initialize(initially, NULL) != 1) failure = "libssl cannot be initialized";
}

const char *gatehouse_tls_load(void) {
    pthread_once(&is_loaded, load);
    return failure;
}

// MARK: - Faults

// Records a fault with the library's message.
static void fail(struct gatehouse_redis_fault *fault, enum gatehouse_redis_fault_kind kind) {
    const char *words = library.problem_words(library.first_problem());
    fault->kind = kind;
    snprintf(fault->sentence, sizeof fault->sentence, "%s", words == NULL ? "no reason was given" : words);
    library.forget_problems();
}

// Records why a connection cannot continue.
static void fail_on_the_way(const struct gatehouse_tls *tls, struct gatehouse_redis_fault *fault, bool is_shaking) {
    long verdict = library.verdict(tls->connection);
    // The low twelve bits of a problem are its reason.
    int reason = (int)(library.first_problem() & 0xfff);
    bool is_about_certificates =
        (reason >= first_about_certificates && reason <= last_about_certificates) || reason == certificate_required;
    if (is_shaking && verdict != 0) {
        fail(fault, gatehouse_redis_distrusted);
        fault->number = (int)verdict;
        snprintf(fault->sentence, sizeof fault->sentence, "%s", library.verdict_words(verdict));
    } else if (is_about_certificates) {
        fail(fault, gatehouse_redis_rejected);
        fault->number = reason - alerts;
    } else {
        // A failure after the handshake means that data was damaged, or ended, on the way.
        fail(fault, is_shaking ? gatehouse_redis_disagreed : gatehouse_redis_broken);
    }
}

// MARK: - Connections

// Encrypted keys are not supported: nobody can be asked for a password.
static int no_password(char *bytes, int size, int is_writing, void *data) {
    (void)bytes, (void)size, (void)is_writing, (void)data;
    return -1;
}

// Reads the files; false with a fault.
static bool read_files(void *context, const struct gatehouse_redis_tls *terms, struct gatehouse_redis_fault *fault) {
    bool is_trusting = terms->authorities == NULL ? library.trust_system(context) == 1
                                                  : library.trust_file(context, terms->authorities, NULL) == 1;
    if (!is_trusting) {
        fail(fault, gatehouse_redis_authorities);
    } else if (terms->certificate == NULL) {
        return true;
    } else if (library.use_certificate(context, terms->certificate) != 1) {
        fail(fault, gatehouse_redis_certificate);
    } else if (library.use_key(context, terms->key, pem) != 1) {
        // The library immediately compares the key with the certificate.
        bool is_other = strstr(library.problem_words(library.first_problem()) ?: "", "mismatch") != NULL;
        fail(fault, is_other ? gatehouse_redis_mismatch : gatehouse_redis_key);
    } else if (library.check_key(context) != 1) {
        fail(fault, gatehouse_redis_mismatch);
    } else {
        return true;
    }
    return false;
}

// Sets whose certificate is expected; false when there is no memory.
static bool expect(void *connection, const char *name) {
    unsigned char address[16];
    if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1) {
        return library.set_address(library.parameters(connection), name) == 1;
    }
    return library.set_host(connection, name) == 1 && library.control(connection, set_name, host_name, (void *)name) == 1;
}

struct gatehouse_tls *gatehouse_tls_make(const struct gatehouse_redis_tls *terms, struct gatehouse_redis_fault *fault) {
    library.forget_problems();
    struct gatehouse_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL) goto no_memory;
    tls->context = library.make_context(library.client());
    if (tls->context == NULL) goto no_memory;
    library.control_context(tls->context, set_least_version, tls_1_2, NULL);
    library.set_verify(tls->context, verify_peer, NULL);
    library.set_password(tls->context, no_password);
    if (!read_files(tls->context, terms, fault)) {
        gatehouse_tls_free(tls);
        return NULL;
    }
    tls->in = library.make_end(library.memory());
    tls->out = library.make_end(library.memory());
    tls->connection = library.make(tls->context);
    if (tls->in == NULL || tls->out == NULL || tls->connection == NULL) {
        if (tls->in != NULL) library.free_end(tls->in);
        if (tls->out != NULL) library.free_end(tls->out);
        goto no_memory;
    }
    library.set_ends(tls->connection, tls->in, tls->out);
    if (expect(tls->connection, terms->server_name)) return tls;
no_memory:
    if (tls != NULL) gatehouse_tls_free(tls);
    fail(fault, gatehouse_redis_broken);
    snprintf(fault->sentence, sizeof fault->sentence, "there is no memory");
    return NULL;
}

void gatehouse_tls_free(struct gatehouse_tls *tls) {
    if (tls->connection != NULL) library.free(tls->connection);
    if (tls->context != NULL) library.free_context(tls->context);
    free(tls);
}

enum gatehouse_tls_step gatehouse_tls_shake(struct gatehouse_tls *tls, struct gatehouse_redis_fault *fault) {
    library.forget_problems();
    int result = library.connect(tls->connection);
    if (result == 1) return gatehouse_tls_done;
    if (library.error(tls->connection, result) == wants_read) return gatehouse_tls_hungry;
    fail_on_the_way(tls, fault, true);
    return gatehouse_tls_failed;
}

bool gatehouse_tls_encrypt(struct gatehouse_tls *tls, const void *bytes, size_t count, struct gatehouse_redis_fault *fault) {
    library.forget_problems();
    if (library.write(tls->connection, bytes, (int)count) == (int)count) return true;
    fail_on_the_way(tls, fault, false);
    return false;
}

enum gatehouse_tls_step gatehouse_tls_decrypt(struct gatehouse_tls *tls, void *bytes, size_t size, size_t *count,
                                              struct gatehouse_redis_fault *fault) {
    library.forget_problems();
    int result = library.read(tls->connection, bytes, size > INT_MAX ? INT_MAX : (int)size);
    if (result > 0) {
        *count = (size_t)result;
        return gatehouse_tls_done;
    }
    switch (library.error(tls->connection, result)) {
    case wants_read: return gatehouse_tls_hungry;
    case has_ended:
        fault->kind = gatehouse_redis_broken;
        snprintf(fault->sentence, sizeof fault->sentence, "%s", gatehouse_redis_closed);
        return gatehouse_tls_failed;
    default: fail_on_the_way(tls, fault, false); return gatehouse_tls_failed;
    }
}

size_t gatehouse_tls_take(struct gatehouse_tls *tls, void *bytes, size_t size) {
    int count = library.take(tls->out, bytes, size > INT_MAX ? INT_MAX : (int)size);
    return count > 0 ? (size_t)count : 0;
}

bool gatehouse_tls_give(struct gatehouse_tls *tls, const void *bytes, size_t count) {
    return library.give(tls->in, bytes, (int)count) == (int)count;
}
