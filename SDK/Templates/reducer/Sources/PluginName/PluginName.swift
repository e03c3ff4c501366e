import GatehouseSDK

struct PluginName: Plugin {
    enum Action: PluginAction { case arrived(name: String), left(name: String) }
    struct State: Codable, Sendable { var present: [String] = [] }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reducing { action, state in
            switch action {
            case .arrived(let name) where !state.present.contains(name): state.present.append(name)
            case .left(let name) where state.present.contains(name): state.present.removeAll { $0 == name }
            default: return .unchanged
            }
            return .changed
        }
    }

    static func middleware() -> Reader { .doNothing() }
}
