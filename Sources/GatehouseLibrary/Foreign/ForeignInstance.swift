// SPDX-License-Identifier: Apache-2.0

internal import CGatehouse
internal import GatehouseSDK

/// The object that a plugin in another language made for one instance; releases it at its end.
///
/// Separate from `ForeignInstance`, which each action touches: references to an object that is also held weakly are counted
/// more slowly.
///
/// `@unchecked Sendable`: used in the drain, or before it is shared and after everybody has released it.
@safe
private final class ForeignObject: @unchecked Sendable {
    /// The plugin's table of functions.
    let plugin: ForeignPlugin
    /// The plugin's access to the host.
    let port: ForeignPort
    /// The result of `create`; NULL for a plugin without it.
    let own: UnsafeMutableRawPointer?
    /// Receives decoding failures.
    let report: (Misfit) -> Void

    /// Takes ownership of the object.
    init(
        _ own: UnsafeMutableRawPointer?, of plugin: ForeignPlugin, port: ForeignPort,
        report: @escaping (Misfit) -> Void
    ) {
        unsafe self.own = unsafe own
        self.plugin = plugin
        self.port = port
        self.report = report
    }

    deinit {
        ForeignPorts.remove(port)
        unsafe plugin.table.destroy?(own, port.number)
    }

    /// Tells the plugin that work was cancelled.
    func cancelled(_ work: UInt64) { unsafe plugin.table.cancelled?(own, port.number, work) }

    /// Has the plugin perform work.
    func perform(_ work: UInt64, key: [UInt8], memo: [UInt8]) {
        unsafe withForeignText(key) { key in
            unsafe withForeignText(memo) { memo in
                unsafe plugin.table.perform?(own, port.number, work, key, memo)
            }
        }
    }

    /// Lets a port reach the object, which is made after it.
    final class Link: @unchecked Sendable {
        // @unchecked Sendable: set before anybody else has it, and read in the drain.

        /// The object; nil when it is gone.
        weak var object: ForeignObject?
    }
}

/// An instance of a plugin in another language, and the calls into it.
///
/// Used in the drain only, or before it is shared. Hence the plugin's functions are called one after the other.
@safe
final class ForeignInstance {
    /// The plugin's table of functions.
    let plugin: ForeignPlugin
    /// The plugin's access to the host.
    let port: ForeignPort
    /// Encodes actions for the plugin; shared by its instances.
    let text: ForeignActionText
    /// The plugin's object; released with the instance.
    private let object: ForeignObject
    /// The plugin's own pointer to the instance; the host only hands it back.
    private let own: UnsafeMutableRawPointer?
    /// Receives decoding failures.
    private let report: (Misfit) -> Void

    /// Has the plugin make an instance.
    ///
    /// - Parameters:
    ///   - id: the plugin's id, which is the source of the actions it emits.
    ///   - settings: the operator's object.
    ///   - report: called, in the drain, with each decoding failure.
    /// - Throws: the problem with the settings.
    init(
        of plugin: ForeignPlugin, id: String, settings: Value, text: ForeignActionText,
        report: @escaping (Misfit) -> Void
    ) throws(CodingFailure) {
        let link = ForeignObject.Link()
        let performs = plugin.performs
        let port = ForeignPorts.add { number in
            ForeignPort(
                number: number, plugin: id, performs: performs,
                report: { link.object?.report(.unwritable($0)) }, onCancel: { link.object?.cancelled($0) },
                onKept: { link.object?.perform($0, key: $1, memo: $2) })
        }
        let settings = Array(settings.json().utf8)
        var made: UnsafeMutableRawPointer?
        if let create = unsafe plugin.table.create {
            unsafe made = port.during(.create) {
                unsafe withForeignText(settings) { unsafe create(port.number, $0) }
            }
            guard unsafe made != nil else {
                let objection = port.takeObjection()
                ForeignPorts.remove(port)
                throw CodingFailure(
                    pointer: objection?.place ?? .whole, expected: "what the plugin can use",
                    found: "what it refuses: \(objection?.reason ?? "it gives no reason")")
            }
        }
        self.plugin = plugin
        self.port = port
        self.text = text
        self.report = report
        unsafe own = unsafe made
        object = unsafe ForeignObject(made, of: plugin, port: port, report: report)
        link.object = object
        guard plugin.keepsState else { return }
        port.state = try firstState()
    }

    // MARK: - Actions

    /// Passes an action to the plugin before the reducers; returns whether to pass it again after them.
    ///
    /// Reports a payload that cannot be written.
    func handle(_ action: AnyAction) -> Bool {
        unsafe show(action, isReporting: true) { shown in
            guard let handle = unsafe plugin.table.handle else { return unsafe plugin.table.run_after != nil }
            return unsafe handle(own, port.number, shown) != 0 && plugin.table.run_after != nil
        } ?? false
    }

    /// Passes an action to the plugin after the reducers.
    func runAfter(_ action: AnyAction) {
        _ = unsafe show(action) { unsafe plugin.table.run_after?(own, port.number, $0) }
    }

    /// Has the plugin change its state; returns the new one, or nil if it is unchanged.
    func reduce(_ action: AnyAction) -> [UInt8]? {
        guard let reduce = unsafe plugin.table.reduce, let state = port.state else { return nil }
        let reduced = unsafe show(action) { shown in
            port.during(.reduce) {
                unsafe withForeignText(state) { state in
                    unsafe ReceivedText.of { unsafe reduce(own, port.number, shown, state, $0) }
                }
            }
        }
        guard let reduced = reduced ?? nil, reduced != state else { return nil }
        do {
            try port.check(reduced)
        } catch {
            report(
                .unusableState(
                    action,
                    CodingFailure(
                        pointer: .whole, expected: "a state that is JSON", found: "text that is not, \(error)"
                    )))
            return nil
        }
        return reduced
    }

    /// The plugin's decision about an intercepted action.
    enum Decision {
        /// The action continues, unchanged for nil or replaced.
        case pass(AnyAction?)
        /// The action stops here, and no later instance hears it.
        case stop
    }

    /// Asks the plugin about an action; one that cannot be written passes.
    func intercept(_ action: AnyAction) -> Decision {
        guard let intercept = unsafe plugin.table.intercept else { return .pass(nil) }
        let answer = unsafe show(action) { shown in
            port.during(.intercept) { unsafe intercept(own, port.number, shown) }
        }
        let replacement = port.takeReplacement()
        return answer == GATEHOUSE_STOP.rawValue ? .stop : .pass(replacement)
    }

    // MARK: - The life of the instance

    /// Starts the plugin.
    func start(_ output: AnyActionHandler<AnyAction>) {
        port.open(output)
        unsafe plugin.table.start?(own, port.number)
    }

    /// Tells the plugin that the run ends; the next instance may listen then.
    func stop() {
        unsafe plugin.table.stop?(own, port.number)
        port.giveBackListeners()
    }

    /// Tells the plugin about its gate.
    func gateChanged(to gate: GateState) {
        unsafe plugin.table.gate_changed?(own, port.number, gate == .active ? 1 : 0)
    }

    // MARK: - Implementation details

    /// Asks the plugin for its first state.
    private func firstState() throws(CodingFailure) -> [UInt8] {
        let given = unsafe ReceivedText.of { unsafe plugin.table.initial_state?(own, port.number, $0) }
        guard let given else {
            throw CodingFailure(
                pointer: .whole, expected: "settings that lead to a state", found: "none from initial_state")
        }
        do {
            try port.check(given)
        } catch {
            throw CodingFailure(
                pointer: .whole, expected: "JSON from initial_state", found: "text that is not, \(error)")
        }
        return given
    }

    /// Passes an action to a function; nil when it cannot be written.
    private func show<Result>(
        _ action: AnyAction, isReporting: Bool = false, _ body: (UnsafePointer<gatehouse_action>) -> Result
    ) -> Result? {
        do throws(CodingFailure) {
            return unsafe try text.with(action, body)
        } catch {
            if isReporting { report(.unreadable(action, error)) }
            return nil
        }
    }
}
