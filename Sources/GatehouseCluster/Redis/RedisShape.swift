// SPDX-License-Identifier: Apache-2.0

/// The value that every script of a member compares: the number of partitions of a cluster, and the form of all its data, such as
/// `64/2`, or `64/2>128/2 TOKEN` during a resize.
///
/// A member of another form is thus refused by each call, and not only when it joins.
package struct RedisShape: Equatable, Sendable {
    /// The form that this version writes: increases with changes of keys, fields, slices and texts that others misread.
    ///
    /// Form 0, which was not recorded, had an entry for each action, and form 1 wrote each slice whole.
    static let currentForm = 2

    /// The valid numbers of partitions; more than any host is configured with.
    private static let sizes = 1...1 << 16

    /// The number of partitions.
    let partitions: Int
    /// The form.
    let form: Int

    /// Creates a shape in the form of this version.
    init(partitions: Int) { (self.partitions, form) = (partitions, Self.currentForm) }

    /// Reads a shape; nil for anything else.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard let partitions = parts[0], Self.sizes.contains(partitions), parts.count <= 2 else { return nil }
        guard let form = parts.count == 2 ? parts[1] : 0, form >= 0 else { return nil }
        (self.partitions, self.form) = (partitions, form)
    }

    /// The stored form.
    var text: String { form == 0 ? "\(partitions)" : "\(partitions)/\(form)" }

    /// Why the form excludes members of this version, as the rest of a sentence; nil if it does not.
    var objection: String? {
        if form == Self.currentForm { return nil }
        return form > Self.currentForm
            ? "is written in form \(form) by a newer version of Gatehouse, and this one knows forms up to \(Self.currentForm); run the newer version here too"
            : "is written in form \(form) by an older version of Gatehouse, and this one writes form \(Self.currentForm); stop all members, and rewrite it with gatehouse cluster resize \(partitions)"
    }
}

/// A resize, as stored in place of the shape while it is in progress.
struct RedisResize {
    /// The old shape.
    let old: RedisShape
    /// The new shape.
    let new: RedisShape
    /// Distinguishes the resize from all others.
    let token: String
    /// The highest epoch of the titles.
    var epoch = 0

    /// The stored form.
    var text: String { "\(old.text)>\(new.text) \(token)" }

    /// Creates a resize that has not begun.
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
