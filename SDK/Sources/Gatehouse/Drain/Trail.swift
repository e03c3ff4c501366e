// SPDX-License-Identifier: Apache-2.0

/// One link of a long chain of synchronous outputs, kept only near the limit.
@usableFromInline
final class Trail<Element> {
    /// The output of this link.
    private let element: Element
    /// The link it answers; nil for the oldest one kept.
    private let previous: Trail?

    /// Extends a chain by one output.
    init(_ element: Element, after previous: Trail?) {
        self.element = element
        self.previous = previous
    }

    /// The outputs from the oldest link to this one.
    var elements: [Element] {
        var elements: [Element] = []
        var link: Trail? = self
        while let current = link {
            elements.append(current.element)
            link = current.previous
        }
        return elements.reversed()
    }
}
