// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A JSON value under an id in a collection.
struct Document: Codable, Hashable, Sendable {
    /// The name of its collection; ids are distinct within a collection.
    let collection: String
    /// Its name within the collection.
    let id: String
    /// The content; null, and ignored, for a deletion.
    let value: Value
}
