// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
private import Glibc

/// Reads small files whole.
enum FileBytes {
    /// The greatest size that is read, in bytes; a device may have no end.
    private static let limit = 64 << 20

    /// The bytes of a file, nil when it cannot be read or is too large; `lastError` tells why.
    static func read(_ path: String) -> [UInt8]? {
        // A pipe that nobody writes to is empty, instead of holding this process up for ever.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard fcntl(file, F_SETFL, 0) == 0 else { return nil }
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
            guard bytes.count <= limit else {
                errno = EFBIG
                return nil
            }
        }
    }

    /// The system's word for what went wrong last on this thread.
    static var lastError: String { SystemReason.last }
}
