// SPDX-License-Identifier: Apache-2.0

/// Names the effect of a live request.
struct LiveRequestToken: Hashable, Sendable {
    /// The token in the action, nil for the request without.
    let token: String?
}
