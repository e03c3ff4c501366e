// SPDX-License-Identifier: Apache-2.0

/// The part of the host's environment that its confined children see.
///
/// What services keep there is often secret, and no business of code that nobody has judged yet. A child sees what programs need
/// wherever they run, and what the operator names.
enum ChildEnvironment {
    /// The variable in which an operator names more, separated by commas.
    static let setting = "GATEHOUSE_CHILD_ENVIRONMENT"

    /// What programs need: places, language, time, and what the loader and the runtime look at.
    private static let usual: Set<Substring> = [
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "CREDENTIALS_DIRECTORY",
        "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS",
    ]
    /// How the names of more of them begin.
    private static let families = [
        "LC_", "LD_", "GLIBC_", "MALLOC_", "SWIFT_", "RUST_", "XDG_", "GATEHOUSE_",
    ]

    /// Those of some variables, each `NAME=value`, that a child sees, in their order.
    static func visible(of all: [String]) -> [String] {
        let prefix = setting + "="
        let named = all.last { $0.hasPrefix(prefix) }?.dropFirst(prefix.count) ?? ""
        let more = Set(named.split { $0 == "," || $0 == " " })
        return all.filter { entry in
            let name = entry.prefix { $0 != "=" }
            return usual.contains(name) || more.contains(name) || families.contains { name.hasPrefix($0) }
        }
    }
}
