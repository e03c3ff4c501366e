// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK
internal import GatehouseSupport

/// An event that a child reports to the host during a rehearsal: one line each; images and instances by number in the request.
enum RehearsalEvent: Equatable, Sendable {
    /// A step begins, for an instance or for the image as a whole.
    case step(LoadingStep, image: Int, instance: Int?)
    /// An objection, to an instance or to the image as a whole.
    case objection(RehearsalObjection, image: Int, instance: Int?)
    /// An image is finished.
    case done(image: Int)
    /// The request is finished.
    case end

    /// The line, without its ending; contains no line feed.
    var line: String {
        switch self {
        case .step(let step, let image, let instance):
            "step \(image) \(instance.map(String.init) ?? "-") \(step.rawValue)"
        case .objection(let objection, let image, let instance):
            "objection \(image) \(instance.map(String.init) ?? "-") \(objection.value.json())"
        case .done(let image): "done \(image)"
        case .end: HostChild.lastLine
        }
    }

    /// Reads a line; nil for one that no rehearsal writes.
    init?(line: some StringProtocol) {
        let words = line.split(separator: " ", maxSplits: 3)
        let image = words.count > 1 ? Int(words[1]) : nil
        let instance = words.count > 2 ? Int(words[2]) : nil
        switch (words.first, image, words.count) {
        case ("step", let image?, 4):
            guard let step = LoadingStep(rawValue: String(words[3])) else { return nil }
            self = .step(step, image: image, instance: instance)
        case ("objection", let image?, 4):
            guard let value = try? JSONText.parse(String(words[3])),
                let objection = RehearsalObjection(value)
            else { return nil }
            self = .objection(objection, image: image, instance: instance)
        case ("done", let image?, 2): self = .done(image: image)
        case ("end", nil, 1): self = .end
        default: return nil
        }
    }
}
