// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc

/// Forwards texts as lines to a named pipe or a file, and tries again, at growing intervals, while nobody reads or nothing is there.
struct Forwarder: Plugin {
    enum Action: PluginAction {
        case forward(text: String)
        case forwarded(text: String, attempts: Int)
        case failed(text: String, reason: String)

        var isError: Bool { if case .failed = self { true } else { false } }
    }

    struct Settings: PluginSettings {
        var path = ""
        var attempts = 5
        var pause = 1.0
    }

    static func middleware() -> Reader {
        .onAction { action, _, context in
            guard case .forward(let text) = action else { return .doNothing }
            let settings = context.settings
            guard let clock = context.clock else {
                return .just(.failed(text: text, reason: "it is not granted a clock"))
            }
            return .task {
                // A Duration traps on what it cannot hold, so what an operator writes is bounded first.
                var pause = Duration.seconds(min(max(settings.pause, 0.001), 3_600))
                for attempt in 1...max(settings.attempts, 1) {
                    do {
                        try append(text, to: settings.path)
                        return .forwarded(text: text, attempts: attempt)
                    } catch let error where attempt >= settings.attempts {
                        return .failed(text: text, reason: "\(settings.path): \(error)")
                    } catch {
                        context.log(.warning, "\(settings.path): \(error); trying again in \(pause)")
                    }
                    do { try await clock.sleep(for: pause) } catch { break }
                    pause *= 2
                }
                return .failed(text: text, reason: "\(settings.path): given up because the run ended")
            }.finishing
        }
    }

    /// Why a line was not written.
    struct Refusal: Error, CustomStringConvertible { let description: String }

    /// Writes one line; fails at once where it would have to wait.
    private static func append(_ text: String, to path: String) throws(Refusal) {
        let file = unsafe open(path, O_WRONLY | O_APPEND | O_NONBLOCK)
        guard file >= 0 else { throw Refusal(description: unsafe String(cString: strerror(errno))) }
        defer { close(file) }
        let line = Array("\(text)\n".utf8)
        guard unsafe write(file, line, line.count) == line.count else {
            throw Refusal(description: unsafe String(cString: strerror(errno)))
        }
    }
}
