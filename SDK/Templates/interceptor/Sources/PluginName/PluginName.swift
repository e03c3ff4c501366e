import GatehouseSDK

struct PluginName: InterceptingPlugin {
    enum Action: PluginAction {
        case placed(id: Int, total: Double)
        case approvalNeeded(id: Int)
    }
    struct Settings: PluginSettings { var maximum = 100.0 }

    static func middleware() -> Reader { .doNothing() }

    static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> {
        AnyInterceptor { action, _, _, output, next in
            guard case .placed(let id, let total) = action, total > context.settings.maximum else {
                return next()
            }
            output.dispatch(.approvalNeeded(id: id))
        }
    }
}
