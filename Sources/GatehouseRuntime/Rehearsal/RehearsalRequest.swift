// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK

/// A request to a child to try plugins.
struct RehearsalRequest: Sendable {
    /// One image, with every instance to make of it.
    struct Image: Sendable {
        /// The path at which the loader finds it.
        let path: String
        /// The library's name in messages.
        let name: String
        /// The library's note.
        let note: PluginNote
        /// The instances that use the image.
        let instances: [Instance]
    }

    /// One instance of an image.
    struct Instance: Sendable {
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

    /// The request as a child reads it.
    var bytes: [UInt8] {
        let value: Value = [
            "data": .string(dataDirectory), "images": .array(images.map(\.value)),
        ]
        return Array(value.json().utf8)
    }

    /// Creates a request for images.
    init(images: [Image], dataDirectory: String) {
        self.images = images
        self.dataDirectory = dataDirectory
    }

    /// Reads a request; nil for anything a host does not write.
    init?(bytes: [UInt8]) {
        guard let value = try? JSONText.parse(bytes), case .string(let data) = value["data"],
            case .array(let elements) = value["images"]
        else { return nil }
        let images = elements.compactMap(Image.init)
        guard images.count == elements.count else { return nil }
        self.init(images: images, dataDirectory: data)
    }
}

extension RehearsalRequest.Image {
    /// The image as a child reads it.
    fileprivate var value: Value {
        [
            "path": .string(path), "name": .string(name), "note": note.value,
            "instances": .array(instances.map(\.value)),
        ]
    }

    /// Reads an image from the request's JSON; nil for anything else.
    fileprivate init?(_ value: Value) {
        guard case .string(let path) = value["path"], case .string(let name) = value["name"],
            let note = value["note"],
            let note = try? PluginNote(parsing: Array(note.json().utf8)),
            case .array(let elements) = value["instances"]
        else { return nil }
        let instances = elements.compactMap(RehearsalRequest.Instance.init)
        guard instances.count == elements.count else { return nil }
        self.init(path: path, name: name, note: note, instances: instances)
    }
}

extension RehearsalRequest.Instance {
    /// The instance as a child reads it.
    fileprivate var value: Value {
        [
            "id": .string(id), "settings": settings,
            "dependencies": dependencies.map { .array($0.map(Value.string)) } ?? .null,
            "state": state.map { ["version": .integer(Int64($0.version)), "value": $0.value] } ?? .null,
        ]
    }

    /// Reads an instance from the request's JSON; nil for anything else.
    fileprivate init?(_ value: Value) {
        guard case .string(let id) = value["id"], let settings = value["settings"] else { return nil }
        let state: VersionedState? =
            if let state = value["state"], case .integer(let version) = state["version"],
                let content = state["value"]
            {
                VersionedState(version: Int(version), value: content)
            } else {
                nil
            }
        self.init(
            id: id, settings: settings, dependencies: value["dependencies"]?.strings, state: state)
    }
}

extension Value {
    /// The texts of an array; nil for anything else.
    fileprivate var strings: [String]? {
        guard case .array(let elements) = self else { return nil }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
