// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
private import Glibc

/// Reads small files whole.
enum FileBytes {
    /// The bytes of a file, nil when it cannot be read; `lastError` tells why.
    static func read(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(file, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    /// The system's word for what went wrong last on this thread.
    static var lastError: String { SystemReason.last }
}
