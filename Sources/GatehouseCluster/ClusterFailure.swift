// SPDX-License-Identifier: Apache-2.0

/// Why an engine did not do what was asked of it.
public enum ClusterFailure: Error, Equatable, Sendable {
    /// A library that speaks to the engine cannot be had, or is of an unknown version; in the words of the system, and what to do.
    case missing(String)
    /// The connection is of no use any more; whether the last call was done is not known.
    case lost(String)
    /// The engine has answered more than an answer may have, so that the connection is of no use any more.
    case excessive(String)
    /// The engine does not let this side in, or what keeps it from the engine lies here; what it is, and what to do.
    case denied(String)
    /// The engine said no, for this reason, and nothing was done.
    case refused(String)
    /// The engine takes nothing more until it has room, for this reason, and nothing was done.
    case full(String)
    /// Another life has joined under the name; this is it, in words.
    case superseded(String)
    /// The engine has lost what it had confirmed; what is missing, and what to do.
    case goneBack(String)

    /// Whether the same may be done later.
    public var mayPass: Bool {
        switch self {
        // Rights, passwords and certificates are mended while a member waits.
        case .lost, .excessive, .full, .denied: true
        case .missing, .refused, .superseded, .goneBack: false
        }
    }

    /// Whether another connection is needed before anything else can be asked.
    var endsConnection: Bool {
        switch self {
        case .lost, .excessive, .missing, .denied, .goneBack: true
        case .refused, .full, .superseded: false
        }
    }
}

extension ClusterFailure: CustomStringConvertible {
    /// The reason, as the rest of a sentence.
    public var description: String {
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
