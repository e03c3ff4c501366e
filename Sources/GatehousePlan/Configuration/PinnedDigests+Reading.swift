// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseValue

extension PinnedDigests {
    /// Reads a digest, or an object of digests by file name; nil, with a report, for anything else.
    static func read(_ node: LocatedNode) -> PinnedDigests? {
        guard case .object = node.value.content else { return node.digest().map { .library($0) } }
        guard let members = node.membersOnce()?.members else { return nil }
        guard !members.isEmpty else {
            return node.fail(
                expected: "at least one digest by file name",
                advice: "name the library and what it brings along")
        }
        var files: [String: String] = [:]
        for member in members { files[member.key] = member.digest() }
        return .files(files)
    }
}
