// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Why a connection through shared memory cannot be made, or not be used any more.
package enum RingFailure: Error, Equatable, Sendable {
    /// The system refused a call.
    case system(call: String, SystemFailure)
    /// The file can still be changed or mapped by others than its owner.
    case unsealed
    /// The file does not have the size that both sides have agreed on, or not all of it is allocated.
    case misfit
    /// The other side has published a position that no honest side publishes; nothing it says can be trusted.
    case broken

    /// The call that maps a file, after looking at it.
    static let map = "mmap"

    /// The failure that a function in C has returned, which is negative.
    init(_ call: String, _ code: some BinaryInteger) {
        switch -Int32(code) {
        case EPERM where call == Self.map: self = .unsealed
        case EINVAL where call == Self.map: self = .misfit
        case EPROTO: self = .broken
        case let code: self = .system(call: call, SystemFailure(code: code))
        }
    }
}

extension RingFailure: CustomStringConvertible {
    /// What is wrong, as a clause without a period.
    package var description: String {
        switch self {
        case .system(let call, let failure): "\(call): \(failure)"
        case .unsealed: "memory that only its owner may write is not sealed"
        case .misfit: "shared memory does not have the size that was agreed on"
        case .broken: "a position in shared memory went back, or beyond the memory"
        }
    }
}
