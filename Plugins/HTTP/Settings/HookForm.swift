// SPDX-License-Identifier: Apache-2.0

/// Whose way of sending webhooks is meant.
enum HookForm: String, Codable, Sendable {
    /// GitHub's: the body is signed, headers name the event and the delivery.
    case github
    /// GitLab's: a token in a header, or the signature of the Standard Webhooks where the secret begins with `whsec_`.
    case gitlab
    /// Stripe's: a time and the body are signed, and the body names the event and the delivery.
    case stripe
    /// Slack's: as Stripe's, with bodies that may be forms, and a question that is answered at once.
    case slack
    /// Nobody's: the keys say it.
    case generic

    /// Whether it says by itself what stands in which header.
    var hasOwnHeaders: Bool { self != .github && self != .generic }

    /// Whether its signatures are about a time too, so that they do not hold for ever.
    var signsTime: Bool { hasOwnHeaders }
}
