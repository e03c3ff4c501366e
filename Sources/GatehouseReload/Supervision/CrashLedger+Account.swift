// SPDX-License-Identifier: Apache-2.0

package import GatehouseRuntime
internal import GatehouseSDK

extension CrashLedger {
    /// What the ledger keeps of a flight record.
    package struct Account: Codable, Equatable, Sendable {
        /// The sentence about the crash, without an end mark.
        package let sentence: String
        /// How the culprit is known.
        let blame: FlightRecord.Blame
        /// Where a partition of a cluster was concerned, its number, or null where it is unknown; nil for the host's own store.
        let partition: Value?
        /// What a plugin's code was called for; nil where unknown.
        let step: String?
        /// The id of the instance; nil where unknown.
        let instance: String?
        /// The id of the plugin; nil where unknown.
        let plugin: String?
        /// The digest of the plugin's bytes, in hexadecimal; nil for a plugin that is linked in.
        let digest: String?
        /// The global type of the action in progress.
        let type: String?
        /// The number of the action in progress, or of the one that had started the effect; nil for none.
        let number: UInt64?
        /// The input that the action goes back to; nil where unknown.
        var input: Input?
    }

    /// An input in a form that stands in the ledger.
    package struct Input: Codable, Equatable, Sendable {
        /// The number in the journal; nil without one.
        let number: UInt64?
        /// The name of the input in messages; nil where it is unknown.
        let file: String?
        /// The line in it, from 1.
        let line: UInt64?
        /// Whether the next run reads the same line there once more.
        let isReadAgain: Bool?

        /// A name that identifies the input when it comes again; nil where nothing does.
        package var identity: String? {
            if let number { return "\(number)" }
            guard let file, let line, isReadAgain == true else { return nil }
            return "\(file):\(line)"
        }
    }
}

extension CrashLedger.Account {
    /// Takes what is kept of a flight record.
    package init(_ record: FlightRecord) {
        self.init(
            sentence: record.sentence, blame: record.blame, partition: record.store.partition,
            step: record.step?.word, instance: record.instance, plugin: record.plugin, digest: record.digest,
            type: record.type, number: record.sequence, input: record.input.map(CrashLedger.Input.init))
    }
}

extension CrashLedger.Input {
    /// Takes the place of an input, its number, or both.
    package init(_ origin: InputOrigin) {
        self.init(
            number: origin.number, file: origin.place?.file, line: origin.place?.line,
            isReadAgain: origin.place?.isReadAgain)
    }
}

extension FlightRecord.Store {
    /// The number of the partition, or null where it is unknown; nil for the host's own store.
    fileprivate var partition: Value? {
        guard case .partition(let number) = self else { return Value?.none }
        return number.map { Value($0) } ?? .null
    }
}

extension KeyedDecodingContainer {
    /// Reads a member that may be null; nil only where there is none.
    fileprivate func decodeIfPresent(_ type: Value.Type, forKey key: Key) throws -> Value? {
        // A nil beside a value would be JSON's null.
        guard contains(key) else { return Value?.none }
        return try decode(type, forKey: key)
    }
}
