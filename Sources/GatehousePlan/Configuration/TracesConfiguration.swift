// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
package import GatehouseValue

/// The key `traces`: where the host sends spans of its actions, and of how many traces.
package struct TracesConfiguration: Equatable, Sendable {
    /// The URL of a collector that takes OTLP over HTTP as JSON.
    package var endpoint: String
    /// The share of the traces that begin here which are sent, from 0 to 1; one that a client has begun is sent if the client
    /// samples it.
    package var sample = 0.01

    /// Traces for a collector.
    package init(endpoint: String, sample: Double = 0.01) {
        (self.endpoint, self.sample) = (endpoint, sample)
    }

    /// The keys.
    enum Key: String, CaseIterable {
        case endpoint, sample
    }

    /// Reads the value of `traces`; nil, with a report, if it is no object with an endpoint.
    package static func read(_ node: LocatedNode) -> TracesConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let sample = reader.value(.sample, default: 0.01, readShare)
        return reader.required(.endpoint, readURL).map { TracesConfiguration(endpoint: $0, sample: sample) }
    }

    /// Reads a share.
    private static func readShare(_ node: LocatedNode) -> Double? {
        guard let share = node.value.value.doubleValue, (0...1).contains(share) else {
            return node.fail(expected: "a number from 0 to 1", advice: "write 1 to send every trace")
        }
        return share
    }

    /// Reads a URL of HTTP.
    private static func readURL(_ node: LocatedNode) -> String? {
        guard case .string(let text) = node.value.content,
            text.wholeMatch(of: /https?:\/\/[A-Za-z0-9\[][!-~]*/) != nil
        else {
            return node.fail(
                expected: "a URL that begins with http:// or https://",
                advice: "write for instance \(Quotation.of("http://localhost:4318/v1/traces"))")
        }
        return text
    }
}
