// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest

/// What keeps a plugin out of workers, or what it has to be granted there, as far as its manifest tells.
///
/// The one place that decides this: for the review of a plan and for the description of a library.
package enum WorkerNeed: Equatable, Sendable {
    /// It decides about actions, which cannot wait for another process.
    case interception
    /// It brings actions as an input does, for which the host has to be asked.
    case ingress
    /// It uses the network, for which an entry can name connections and sockets.
    case network
    /// It changes files, for which an entry can name folders.
    case files

    /// The need that decides; nil for a plugin that can do its work in any worker.
    package init?(of manifest: PluginManifest) {
        let found = [
            ("intercept", WorkerNeed.interception), ("ingress", .ingress), ("network", .network),
            ("files", .files),
        ].first { manifest.permissions.contains($0.0) }
        guard let found else { return nil }
        self = found.1
    }

    /// What the plugin does, without a subject.
    package var deed: String {
        switch self {
        case .interception: "decides about actions before anybody else hears them"
        case .ingress: "brings actions as an input does"
        case .network: "uses the network"
        case .files: "changes files outside of its folder for data"
        }
    }

    /// Why no entry can change it, as the rest of a sentence about the deed; nil where one can.
    package var obstacle: String? {
        switch self {
        case .interception: ", and they cannot wait for another process"
        case .ingress: ", which only an instance in the host can"
        case .network, .files: nil
        }
    }

    /// What an entry can grant for it.
    package struct Grant: Equatable, Sendable {
        /// The keys in `grant` under which an entry can lack something.
        package enum Key: String, Sendable {
            case files, network
        }

        /// The key in `grant`.
        package let key: Key
        /// What is granted, as a plural.
        package let things: String
        /// One of them.
        let example: String
        /// What an entry lacks that has none, as a clause.
        package let lack: String
        /// What to do about that, before the example.
        let advice: String

        /// How an entry says it.
        package var text: String { "\"grant\": { \"\(key.rawValue)\": [\"\(example)\"] }" }
        /// What to do about a lack.
        package var remedy: String { "\(advice), as in \(text)" }
    }

    /// What an entry can grant for it; nil where nothing helps.
    package var grant: Grant? {
        switch self {
        case .interception, .ingress: nil
        case .network:
            Grant(
                key: .network, things: "connections and sockets", example: "connect:api.example.com:443",
                lack: "its entry grants it no connection and no socket",
                advice: "name what it connects to, and where it listens")
        case .files:
            Grant(
                key: .files, things: "folders", example: "/srv/exports",
                lack: "its entry grants it none", advice: "name their folders")
        }
    }
}
