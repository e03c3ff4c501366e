// SPDX-License-Identifier: Apache-2.0

/// The components of a process, in the order in which they may fail.
package struct Lifecycle<Code: Sendable> {
    /// Ends the process before it has run; the reason has been reported.
    package struct Ended: Error {
        /// The code with which the process ends.
        package let code: Code

        /// Creates an end with a code.
        package init(code: Code) { self.code = code }
    }

    /// The prepared components.
    private var components: [any Component<Code>] = []

    /// Creates a lifecycle without components.
    package init() {}

    /// Adds a component that is prepared, and returns it for those after it.
    @discardableResult
    package mutating func add<Added: Component<Code>>(_ component: Added) -> Added {
        components.append(component)
        return component
    }

    /// Starts the prepared components, then lets them report that they are ready, each time in their order.
    ///
    /// Nothing happens after the first failure; `end` stops what was prepared.
    package func begin() throws(Ended) {
        for component in components { try component.start() }
        for component in components { try component.ready() }
    }

    /// Stops the prepared components in reverse; called once, after the run or the failure.
    ///
    /// - Parameter code: the code of the run or of the failure.
    /// - Returns: that code, unless a component that stops replaces it.
    package consuming func end(_ code: Code) -> Code {
        components.reversed().reduce(code) { code, component in component.stop(code) }
    }
}
