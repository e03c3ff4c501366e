// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// The libraries that came with the host: as trustworthy as the program, because whoever can write the list can write that.
///
/// The list lies beside the program, in the form of `sha256sum`, and is written where the plugins are put.
struct HostLibraries: Sendable {
    /// The digests of the libraries, in hexadecimal.
    let digests: Set<String>

    /// The list of this program; empty where there is none, or where others may write it.
    static let current = HostLibraries(path: path)

    /// The path of the list of this program.
    static let path =
        SystemFile.parts(of: (try? SystemFile.target(of: "/proc/self/exe")) ?? "/").folder + "/plugins.sha256"

    /// Reads a list.
    init(path: String) {
        guard (try? FileTrust(isStrict: false).judge(path)) != nil,
            let bytes = try? SystemFile.bytes(of: path, limit: 1 << 20)
        else {
            digests = []
            return
        }
        digests = Set(
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0.prefix(64)) })
    }
}
