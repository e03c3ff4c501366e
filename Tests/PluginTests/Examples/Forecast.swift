// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseSDK

/// Asks a service that a test replaces, as the guide for plugin authors shows it.
struct Forecast: Plugin {
    enum Action: PluginAction, Equatable {
        case ask(city: String), answered(city: String, degrees: Double), failed(reason: String)
    }
    struct Settings: PluginSettings { var folder = "weather" }

    /// All that the plugin needs of the world.
    struct Weather: Sendable { var degrees: @Sendable (_ city: String) async throws -> Double }

    static func middleware() -> Reader {
        answers.contramapDependencies { context in .stations(in: context.settings.folder) }
    }

    /// What the plugin does, whatever the service is.
    static var answers: MiddlewareReader<Weather, AnyMiddleware<Action, Action, State>> {
        .onAction { action, _, weather in
            guard case .ask(let city) = action else { return .doNothing }
            return .task {
                do {
                    return .answered(city: city, degrees: try await weather.degrees(city))
                } catch {
                    return .failed(reason: "\(error)")
                }
            }
        }
    }
}

extension Forecast.Weather {
    /// Stations that write what they measure into a file each.
    static func stations(in folder: String) -> Self {
        Self { city in
            let text = String(
                decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(city)")), as: UTF8.self)
            guard let degrees = Double(text.filter { !$0.isWhitespace }) else {
                throw CodingFailure(pointer: .whole, expected: "a number of degrees", found: "another text")
            }
            return degrees
        }
    }
}
