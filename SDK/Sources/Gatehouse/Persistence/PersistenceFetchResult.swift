// SPDX-License-Identifier: Apache-2.0

/// One answer of a live request: everything there is, or what changed since the answer before.
public enum PersistenceFetchResult<Element> {
    /// All elements, in order.
    case elements([Element])
    /// The way from the elements before to those after; nil when something changed and the way is not known.
    case difference(CollectionDifference<Element>?)
}

extension PersistenceFetchResult: Sendable where Element: Sendable {}
extension PersistenceFetchResult: Equatable where Element: Equatable {}
extension PersistenceFetchResult: Hashable where Element: Hashable {}
extension PersistenceFetchResult: Codable where Element: Codable {}
