// SPDX-License-Identifier: Apache-2.0

/// A part of a process with a beginning that may fail and an end, such as a control socket.
///
/// Its initializer prepares it: it acquires what may be refused, and reports a refusal before it throws. `Lifecycle` then calls the
/// methods, each at most once, on the thread that has made the component. By default they do nothing.
package protocol Component<Code> {
    /// The code with which the process ends.
    associatedtype Code: Sendable

    /// Begins its work; called when all components are prepared, in their order.
    ///
    /// - Throws: when that is refused, after reporting it.
    func start() throws(Lifecycle<Code>.Ended)

    /// Informs whoever waits outside; called when all components have started, in their order.
    ///
    /// - Throws: when that is refused, after reporting it.
    func ready() throws(Lifecycle<Code>.Ended)

    /// Gives back what it holds; called in reverse order, also when a component after it could not be prepared or started.
    ///
    /// - Parameter code: the code so far.
    /// - Returns: the code, or another one if its own end failed, after reporting that.
    func stop(_ code: Code) -> Code
}

extension Component {
    package func start() throws(Lifecycle<Code>.Ended) {}
    package func ready() throws(Lifecycle<Code>.Ended) {}
    package func stop(_ code: Code) -> Code { code }
}
