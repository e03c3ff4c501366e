// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK

/// What a child of the host tells while it tries plugins: one line each, images and instances by their number in the job.
enum RehearsalMessage: Equatable, Sendable {
    /// A step is about to be taken, for an instance or for the image as a whole.
    case step(LoadingStep, image: Int, instance: Int?)
    /// Something is wrong, with an instance or with the image as a whole.
    case objection(RehearsalObjection, image: Int, instance: Int?)
    /// There is nothing left to try of an image.
    case done(image: Int)
    /// There is nothing left to try.
    case end

    /// The line, without its ending; there is no line feed in it.
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
