// SPDX-License-Identifier: Apache-2.0

/// Where an instance runs.
package enum Placement: String, CaseIterable, Sendable {
    /// In the host, as strong as that.
    case host
    /// In a confined process of its own, which can end without the host.
    case worker
}
