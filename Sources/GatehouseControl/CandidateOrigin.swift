// SPDX-License-Identifier: Apache-2.0

/// Where the bytes of a candidate come from.
package enum CandidateOrigin: Equatable, Sendable {
    /// A file on this machine, by its path.
    case file(String)
    /// A client that sends them under a name without a folder.
    case upload(name: String, bytes: [UInt8])
}
