import GatehouseSDK

struct PluginName: Plugin {
    typealias Action = AnyAction

    static func middleware() -> Reader {
        .onAction { action, _, context in
            context.count("actions")
            if action.isError { context.log(.warning, "\(action.type.name) tells of an error") }
            return .doNothing
        }
    }
}
