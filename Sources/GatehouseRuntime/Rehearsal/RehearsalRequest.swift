// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// A request to a child to try plugins.
struct RehearsalRequest: Sendable, ChildMessage {
    /// One image, with every instance to make of it.
    struct Image: Codable, Sendable {
        /// The path at which the loader finds it.
        let path: String
        /// The library's name in messages.
        let name: String
        /// The library's note, as JSON.
        let note: Value
        /// The instances that use the image.
        let instances: [Instance]
    }

    /// One instance of an image.
    struct Instance: Codable, Sendable {
        /// Its id in the configuration.
        let id: String
        /// The settings of the instance.
        let settings: Value
        /// The dependencies it is granted; nil for all.
        let dependencies: [String]?
        /// The state to take over; nil for none.
        let state: VersionedState?
    }

    /// The images, in the order of trying.
    let images: [Image]
    /// A folder that instances may take for their data folder.
    let dataDirectory: String
}
