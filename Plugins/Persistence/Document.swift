// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A JSON value under an id in a collection.
struct Document: Codable, Hashable, Sendable {
    /// What it belongs to; ids are distinct within a collection.
    let collection: String
    /// Its name within the collection.
    let id: String
    /// What is kept; null, and not looked at, where a document is to be deleted.
    let value: Value
}
