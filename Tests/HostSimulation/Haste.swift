// SPDX-License-Identifier: Apache-2.0

/// What happens as soon as a recorder has something new; nothing where somebody else says when that is handed over.
///
/// `@unchecked Sendable`: a simulation has one thread.
final class Haste: @unchecked Sendable {
    /// Called by the recorder, in the midst of what it does.
    var body: (() -> Void)?
}
