import GatehouseSDK

struct PluginName: Plugin {
    enum Action: PluginAction { case hello(name: String), greeted(text: String) }
    struct Settings: PluginSettings { var greeting = "Hello" }

    static func middleware() -> Reader {
        .onAction { action, _, context in
            guard case .hello(let name) = action else { return .doNothing }
            return .just(.greeted(text: "\(context.settings.greeting), \(name)!"))
        }
    }
}
