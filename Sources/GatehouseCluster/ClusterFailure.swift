// SPDX-License-Identifier: Apache-2.0

/// Why a call to an engine failed.
package enum ClusterFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The library that encrypts is missing; the system's message, and the remedy.
    case missing(String)
    /// The connection is unusable; the outcome of the last call is unknown.
    case lost(String)
    /// The engine's answer exceeded the limit, so that the connection is unusable.
    case excessive(String)
    /// The engine denies access, or a local problem prevents it; the problem and the remedy.
    case denied(String)
    /// The engine refused for this reason, and nothing was done.
    case refused(String)
    /// The engine is full, for this reason, and nothing was done.
    case full(String)
    /// Another life has joined under the name; its description.
    case superseded(String)
    /// The engine has lost what it had confirmed; what is missing, and the remedy.
    case goneBack(String)

    /// Whether the same call may succeed later.
    package var mayPass: Bool {
        switch self {
        // Rights, passwords and certificates can be repaired while a member waits.
        case .lost, .excessive, .full, .denied: true
        case .missing, .refused, .superseded, .goneBack: false
        }
    }

    /// Whether a new connection is needed before any other call.
    var endsConnection: Bool {
        switch self {
        case .lost, .excessive, .missing, .denied, .goneBack: true
        case .refused, .full, .superseded: false
        }
    }

    /// The reason, as the rest of a sentence.
    package var description: String {
        switch self {
        case .missing(let reason):
            "the library of the engine cannot be loaded: \(reason)"
        case .lost(let reason), .excessive(let reason): "the engine cannot be reached: \(reason)"
        case .denied(let reason), .refused(let reason): reason
        case .full(let reason): "the engine is full: \(reason)"
        case .superseded(let other):
            "another process has joined under this member's name: \(other); give each member a name of its own"
        case .goneBack(let reason): reason
        }
    }
}

extension ClusterFailure {
    /// A cluster that no member has joined.
    static func missing(_ name: String, at place: some CustomStringConvertible) -> ClusterFailure {
        .refused("there is no cluster '\(name)' at \(place): no member has joined it yet")
    }

    /// A cluster of another number of partitions than expected.
    static func resized(
        _ name: String, at place: some CustomStringConvertible, to there: Int, expected: Int
    ) -> ClusterFailure {
        .refused(
            "the cluster '\(name)' at \(place) has \(there) partitions, not \(expected); write \(there) in plugins.json, or change the cluster with gatehouse cluster resize \(expected)"
        )
    }

    /// A checkpoint before the one that is kept.
    static func behind(_ kept: some CustomStringConvertible) -> ClusterFailure {
        .refused("a checkpoint at \(kept) is kept, which is later than this one")
    }
}
