public struct ActionSource: Sendable {}
