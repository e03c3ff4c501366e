// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
package import GatehouseJournal
internal import GatehouseSupport

/// Why no further input could be read; a line with bad content is never one of these.
package enum IngressError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Reading `input` failed with the system error `code` after `line` complete lines.
    case reading(input: String, line: Int, code: Int32)

    /// Waiting for `input` failed with the system error `code`.
    case waiting(input: String, code: Int32)

    /// The descriptor that should wake the reader of `input` is not open.
    case wakeDescriptorClosed(input: String)

    /// Input cannot be recorded, and is not processed.
    case journal(JournalFailure)

    /// Input cannot be appended to the cluster, and is not processed.
    case cluster(ClusterFailure)

    /// The buffer for `input` could not grow to `bytes`.
    case outOfMemory(input: String, bytes: Int)

    /// One sentence with the input, the system's message, and the remedy.
    package var description: String {
        switch self {
        case .reading(let input, let line, let code):
            "\(input): expected more input after line \(line), but reading failed with "
                + "\"\(SystemReason.text(of: code))\" (errno \(code)); give a readable file, pipe or socket."
        case .waiting(let input, let code):
            "\(input): waiting for input failed with \"\(SystemReason.text(of: code))\" (errno \(code)); "
                + "start the input again."
        case .wakeDescriptorClosed(let input):
            "\(input): expected an open descriptor to be woken by, found a closed one; "
                + "keep it open as long as the input is read."
        case .journal(let failure):
            "\(failure); unacknowledged input is not processed, and no more input is read"
        case .cluster(let failure):
            "\(failure); unacknowledged input is not processed, and no more input is read"
        case .outOfMemory(let input, let bytes):
            "\(input): a line needs a buffer of \(bytes) bytes, which the system refused; "
                + "lower the line limit or free memory."
        }
    }
}
