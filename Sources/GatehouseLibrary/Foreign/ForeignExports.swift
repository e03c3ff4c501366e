// SPDX-License-Identifier: Apache-2.0

internal import CGatehouse
internal import GatehouseSDK

extension PluginExports {
    /// The exports of a plugin in another language: the same parts as any other's, so no later stage knows the difference.
    ///
    /// - Parameter id: the plugin's id, which is the source of the actions it emits.
    convenience init(_ plugin: ForeignPlugin, id: String) {
        let migrate: ((Value, Int) throws -> Value)? =
            unsafe plugin.table.migrate == nil ? nil : { try plugin.migrate($0, from: $1) }
        self.init(
            keepsState: plugin.keepsState, intercepts: plugin.intercepts,
            stateVersion: plugin.keepsState ? unsafe Int(plugin.table.state_version) : 1, migrate: migrate
        ) { (settings, decoded, report) throws(CodingFailure) in
            let instance = try ForeignInstance(
                of: plugin, id: id, settings: settings,
                text: decoded as? ForeignActionText ?? ForeignActionText(), report: report)
            return PluginParts(instance)
        }
    }
}

extension PluginParts {
    /// The parts of an instance of a plugin in another language.
    fileprivate init(_ instance: ForeignInstance) {
        let box = instance.plugin.keepsState ? ForeignSliceBox(instance) : nil
        self.init(
            readers: [Reader { AnyMiddleware(ForeignMiddleware(instance, $0)) }],
            slice: box.map(Slice.init) ?? Slice(), decoded: instance.text,
            reducer: box.map { box in Reducer { action, _ in box.reduce(action) } },
            interceptor: instance.plugin.intercepts
                ? { _ in
                    AnyInterceptor { action, _, _, _, next in
                        switch instance.intercept(action) {
                        case .pass(let changed?): next(changed)
                        case .pass(nil): next()
                        case .stop: break
                        }
                    }
                } : nil)
    }
}
