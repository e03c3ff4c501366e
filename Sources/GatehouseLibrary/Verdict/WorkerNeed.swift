// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest

/// What keeps a plugin out of workers, or what it has to be granted there, as far as its manifest tells.
///
/// The one place that decides this: for the review of a plan and for the description of a library.
package enum WorkerNeed: Equatable, Sendable {
    /// It decides about actions, which cannot wait for another process.
    case interception
    /// It uses the network, which no worker can.
    case network
    /// It changes files, for which an entry can name folders.
    case files

    /// The need that decides; nil for a plugin that can do its work in any worker.
    package init?(of manifest: PluginManifest) {
        let found = [("intercept", WorkerNeed.interception), ("network", .network), ("files", .files)]
            .first { manifest.permissions.contains($0.0) }
        guard let found else { return nil }
        self = found.1
    }

    /// What the plugin does, without a subject.
    package var deed: String {
        switch self {
        case .interception: "decides about actions before anybody else hears them"
        case .network: "uses the network"
        case .files: "changes files outside of its folder for data"
        }
    }

    /// Why no entry can change it, as the rest of a sentence about the deed; nil where one can.
    package var obstacle: String? {
        switch self {
        case .interception: ", and they cannot wait for another process"
        case .network: ", which it cannot do in a worker"
        case .files: nil
        }
    }

    /// What an entry has to say for a worker; nil where nothing helps.
    package var remedy: String? {
        switch self {
        case .interception, .network: nil
        case .files: "\"grant\": { \"files\": [\"/srv/exports\"] }"
        }
    }
}
