// SPDX-License-Identifier: Apache-2.0
#ifndef GATEHOUSE_H
#define GATEHOUSE_H

#include <stddef.h>
#include <stdint.h>

/// The number of the contract between host and plugin. The host refuses another number before loading the plugin.
#define GATEHOUSE_ABI 1

/// The SDK version of this header, for people: the fingerprint of the sources decides compatibility.
#define GATEHOUSE_SDK_VERSION "0.6.0"

/// Raised when bodies that stay in the SDK's library change together with code that is compiled into plugins, such as what the build
/// tool writes, and no declaration changes. The fingerprint covers it, so plugins that were built before are then refused.
#define GATEHOUSE_SDK_BINDING 1

/// The argument of a plugin's entry.
///
/// Owned by the host, valid for the duration of the call. Fields are only ever added at the end; `size` tells how many
/// there are.
struct gatehouse_host_v1 {
    /// The size of this table in bytes, as the host was compiled.
    uint32_t size;
    /// GATEHOUSE_ABI of the host.
    uint32_t abi;
    /// The address of one object of the SDK in the host's view. A plugin whose own view differs carries a second copy of
    /// the SDK and must refuse.
    const void *sdk_identity;
    /// Passed back to `refuse`.
    void *refuse_context;
    /// Tells the host why the entry is about to return NULL. `reason` is UTF-8, owned by the caller, valid during the
    /// call. Called at most once. [the thread that called the entry]
    void (*refuse)(void *refuse_context, const char *reason);
};

/// The entry of a plugin written in Swift, named in its note: `gatehouse_plugin_v1_<Module>`.
///
/// Returns a retained PluginExports object of the SDK, which the host releases, or NULL after calling `refuse`. For each instance
/// the object makes `[MiddlewareReader<HostServices, AnyMiddleware<AnyAction, AnyAction, Slice>>]`, a reducer and a state.
/// Called once for each loaded image. [the thread that loads]
typedef void *(*gatehouse_plugin_entry_v1)(const struct gatehouse_host_v1 *host);

/// Returns the identity of the compiler of this header, as the toolchain prints it.
///
/// Constant, owned by nobody. [any thread]
static inline const char *gatehouse_compiler_identity(void) { return __clang_version__; }

/// Accepts a client under flags of `socket`; -1 and errno for none. The C library's accept4, which its headers show to C alone where a
/// program asks for GNU extensions. [any-thread]
extern int gatehouse_accept(int listener, void *address, void *size, int flags) __asm__("accept4");

#endif
