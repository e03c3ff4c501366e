// SPDX-License-Identifier: Apache-2.0

/// The sender's form of webhooks.
enum HookForm: String, Codable, Sendable {
    /// GitHub's: the body is signed, headers name the event and the delivery.
    case github
    /// GitLab's: a token in a header, or the signature of the Standard Webhooks if the secret begins with `whsec_`.
    case gitlab
    /// Stripe's: a time and the body are signed, and the body names the event and the delivery.
    case stripe
    /// Slack's: like Stripe's, with bodies that may be forms, and a verification that is answered at once.
    case slack
    /// Nobody's: defined by the keys.
    case generic

    /// Whether the form defines the headers itself.
    var hasOwnHeaders: Bool { self != .github && self != .generic }

    /// Whether its signatures cover a time too, so that they expire.
    var signsTime: Bool { hasOwnHeaders }
}
