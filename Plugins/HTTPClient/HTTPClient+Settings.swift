// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension HTTPClient {
    /// The settings of an operator: one service, and its treatment.
    struct Settings: PluginSettings {
        /// The URL of the service; nil for none.
        var url = RequestURL.Setting()
        /// The method.
        var method = Method.post
        /// The headers by name.
        var headers: [String: HeaderTemplate] = [:]
        /// The files of the secrets, by name.
        var secrets: [String: String] = [:]
        /// The part of the payload to send.
        var body = JSONPointer.whole
        /// The part of the payload to repeat in answers.
        var id = JSONPointer(tokens: ["id"])
        /// The time limit of one attempt, in seconds.
        var timeout = 30.0
        /// The part of it for connecting, in seconds.
        var connectTimeout = 10.0
        /// The number of attempts.
        var attempts = 5
        /// The longest pause after the first attempt, in seconds.
        var pause = 1.0
        /// The longest pause of all, in seconds.
        var maximumPause = 60.0
        /// The number of redirects to follow.
        var redirects = 0
        /// The most requests under way.
        var concurrency = 8
        /// The most waiting requests beyond those.
        var queue = 1_000
        /// The most bytes of an answer to keep.
        var maximumResponse = 65_536

        /// Creates the default settings.
        init() {}

        /// Reads the settings; throws an error with its place for a value out of range.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func number<Number: Codable & Comparable>(
                _ key: CodingKeys, _ range: ClosedRange<Number>
            ) throws -> Number {
                try container.decode(Number.self, forKey: key, in: range)
            }
            url = try container.decode(RequestURL.Setting.self, forKey: .url)
            method = try container.decode(Method.self, forKey: .method)
            secrets = try container.decode([String: String].self, forKey: .secrets)
            headers = try container.decode([String: HeaderTemplate].self, forKey: .headers)
            body = try container.decode(JSONPointer.self, forKey: .body)
            id = try container.decode(JSONPointer.self, forKey: .id)
            timeout = try number(.timeout, 0.001...3_600)
            connectTimeout = try number(.connectTimeout, 0.001...3_600)
            attempts = try number(.attempts, 1...100)
            pause = try number(.pause, 0.001...3_600)
            maximumPause = try number(.maximumPause, 0.001...3_600)
            redirects = try number(.redirects, 0...20)
            concurrency = try number(.concurrency, 1...1_000)
            queue = try number(.queue, 0...9_000)
            maximumResponse = try number(.maximumResponse, 0...1 << 24)
            for name in headers.keys.sorted() where !HeaderTemplate.isName(name) {
                throw CodingFailure(
                    at: container.codingPath + [CodingKeys.headers], expected: "the name of a header",
                    found: Value.string(name).json())
            }
            for (name, template) in headers.sorted(by: { $0.key < $1.key }) {
                for secret in template.secrets where secrets[secret] == nil {
                    throw CodingFailure(
                        at: container.codingPath + [CodingKeys.headers],
                        expected: "secrets that \"secrets\" names the files of",
                        found: "{\(secret)} in \(name)")
                }
            }
            for (name, path) in secrets where !HeaderTemplate.isSecretName(name) || path.isEmpty {
                throw CodingFailure(
                    at: container.codingPath + [CodingKeys.secrets],
                    expected: "names of letters, digits, _ and -, and the paths of files",
                    found: Value.string(name).json())
            }
        }
    }

    /// The supported methods of HTTP.
    enum Method: String, Codable, Sendable {
        /// Submits something to the service.
        case post = "POST"
        /// Stores something under the URL.
        case put = "PUT"
        /// Changes the resource at the URL.
        case patch = "PATCH"
        /// Deletes the resource at the URL.
        case delete = "DELETE"
        /// Reads the resource at the URL.
        case get = "GET"
        /// Asks whether there is a resource at the URL.
        case head = "HEAD"

        /// Whether a request has a body.
        var hasBody: Bool { [.post, .put, .patch].contains(self) }
    }
}
