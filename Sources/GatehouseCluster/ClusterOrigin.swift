// SPDX-License-Identifier: Apache-2.0

/// Who has put an action into a partition, and the how manieth of that writer it is: receivers take each only once.
///
/// A writer is a partition (`7`) under an epoch, or the ingress of a process (`host-a.k3f9`) with epoch 0. Its numbers rise.
public struct ClusterOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The writer.
    public var source: String
    /// Under which epoch; 0 for a writer that has none.
    public var epoch: Int
    /// Rises from action to action of the writer and its epoch.
    public var sequence: UInt64

    /// An origin of its parts.
    public init(source: String, epoch: Int = 0, sequence: UInt64) {
        self.source = source
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Reads `SOURCE:EPOCH:SEQUENCE`, whose source may hold colons; nil if it is not that.
    public init?(_ text: some StringProtocol) {
        guard let last = text.lastIndex(of: ":"), let first = text[..<last].lastIndex(of: ":"),
            let epoch = Int(text[text.index(after: first)..<last]),
            let sequence = UInt64(text[text.index(after: last)...]), first > text.startIndex
        else { return nil }
        self.init(source: String(text[..<first]), epoch: epoch, sequence: sequence)
    }

    /// As it is kept, such as `host-a.k3f9:0:17`.
    public var description: String { "\(source):\(epoch):\(sequence)" }
}
