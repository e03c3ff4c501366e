// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Asks the host what the test wants to be asked, by the control that it is granted.
struct Remote: Plugin {
    enum Action: PluginAction {
        /// Asks for these, one after the other, from one task.
        case ask([Question])
        /// Asks for these from a task that no closed gate and no end cancels.
        case insist([Question])
        /// Closes the gate of the instance `eu`.
        case shut
        /// Watches actions below `orders/` from the moment on at which it logs that it does.
        case follow
        /// What came of a request.
        case told(Value)
        /// The type of an action that was watched.
        case heard(type: String)
    }

    /// A request to a host, with its parameters.
    struct Question: Codable, Sendable {
        let method: String
        var parameters: Value?
    }

    static func middleware() -> Reader {
        .onAction { action, _, context in
            switch action {
            case .ask(let questions):
                .run { [control = context.control, log = context.log] output in
                    for question in questions {
                        let answer = await answer(to: question, by: control)
                        // Lines come out when the gate is closed, too.
                        log(answer.json())
                        output.send(.told(answer))
                    }
                }
            case .insist(let questions):
                .fireAndForget { [control = context.control, log = context.log] _ in
                    Task.detached {
                        for question in questions { log(await answer(to: question, by: control).json()) }
                    }
                }
            case .shut:
                .run { [control = context.control, log = context.log] output in
                    guard let control else { return }
                    do {
                        let answer = try await control.request("gate", ["id": "eu", "position": "close"])
                        output.send(.told(answer))
                    } catch {
                        log(.error, "\(error)")
                    }
                }
            case .follow:
                .run { [control = context.control, log = context.log] output in
                    guard let control else { return }
                    do {
                        let passing = try await control.watch(["types": ["orders/*"]])
                        log("watching")
                        for try await news in passing {
                            output.send(.heard(type: news["action"]?["type"]?.stringValue ?? "none"))
                        }
                    } catch {
                        log(.error, "\(error)")
                    }
                }
            case .told, .heard: .doNothing
            }
        }
    }

    /// What comes of a request.
    private static func answer(to question: Question, by control: HostControl?) async -> Value {
        guard let control else { return "not granted" }
        do {
            return try await control.request(question.method, question.parameters ?? [:])
        } catch {
            return ["code": Value(error.code), "message": .string(error.message)]
        }
    }
}
