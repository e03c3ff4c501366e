// SPDX-License-Identifier: Apache-2.0

/// What every script of a member compares: how many partitions a cluster has, and in which form everything of it is written, such as
/// `64/1`. It is `64/1>128/1 TOKEN` while a resize is under way.
///
/// A member of another version of the form is so refused by each call, and not only when it joins.
struct RedisShape: Equatable, Sendable {
    /// The form that this version writes: it grows with each change of keys, fields, slices and texts that a version before would misread.
    ///
    /// The form 0, which was not written down, had an entry for each action.
    static let currentForm = 1

    /// How many partitions a cluster may have; more than any host is configured with.
    private static let sizes = 1...1 << 16

    /// How many partitions there are.
    let partitions: Int
    /// The form.
    let form: Int

    /// A shape in the form of this version.
    init(partitions: Int) { (self.partitions, form) = (partitions, Self.currentForm) }

    /// Reads a shape; nil for what is none.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard let partitions = parts[0], Self.sizes.contains(partitions), parts.count <= 2 else { return nil }
        guard let form = parts.count == 2 ? parts[1] : 0, form >= 0 else { return nil }
        (self.partitions, self.form) = (partitions, form)
    }

    /// How it stands there.
    var text: String { form == 0 ? "\(partitions)" : "\(partitions)/\(form)" }

    /// What stands against a member of this version because of the form, as the rest of a sentence; nil for nothing.
    var objection: String? {
        if form == Self.currentForm { return nil }
        return form > Self.currentForm
            ? "is written in form \(form) by a newer version of Gatehouse, and this one knows forms up to \(Self.currentForm); run the newer version here too"
            : "is written in form \(form) by an older version of Gatehouse, and this one writes form \(Self.currentForm); stop all members, and write it anew with gatehouse cluster resize \(partitions)"
    }
}

/// A resize, as it stands in the place of the shape while it is under way.
struct RedisResize {
    /// The shape before.
    let old: RedisShape
    /// The shape to be.
    let new: RedisShape
    /// Tells it from all others.
    let token: String
    /// The highest epoch of the titles.
    var epoch = 0

    /// How it stands there.
    var text: String { "\(old.text)>\(new.text) \(token)" }

    /// A resize that nobody has begun yet.
    init(from old: RedisShape, to new: RedisShape) {
        (self.old, self.new) = (old, new)
        token = String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Reads a resize; nil for a shape.
    init?(_ text: some StringProtocol) {
        let parts = text.split(whereSeparator: { $0 == ">" || $0 == " " })
        guard parts.count == 3, let old = RedisShape(parts[0]), let new = RedisShape(parts[1]) else {
            return nil
        }
        (self.old, self.new, token) = (old, new, String(parts[2]))
    }
}
