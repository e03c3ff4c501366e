// SPDX-License-Identifier: Apache-2.0

/// Why a host looks at its configuration again.
package enum ReloadTrigger: String, CaseIterable, Sendable {
    /// The file or the plugin folder has changed.
    case change
    /// The signal SIGHUP arrived.
    case signal
    /// A client of the control socket asked.
    case control
    /// The action `host/reload` was processed.
    case action
    /// The worker of an instance has died too often.
    case worker
    /// All members of the cluster were asked to reload.
    case cluster
}
