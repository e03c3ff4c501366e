// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension HTTPClient {
    /// What an operator may set: one service, and how to treat it.
    struct Settings: PluginSettings {
        /// Where to send; nil for nowhere.
        var url: RequestURL?
        /// The method.
        var method = Method.post
        /// The headers, in the order of their names.
        var headers: [(name: String, value: HeaderTemplate)] = []
        /// The files of the secrets, by name.
        var secrets: [String: String] = [:]
        /// The part of the payload that is sent.
        var body = JSONPointer.whole
        /// The part of the payload that answers repeat.
        var id = JSONPointer(tokens: ["id"])
        /// How many seconds one attempt may take.
        var timeout = 30.0
        /// How many of these it may take to connect.
        var connectTimeout = 10.0
        /// How often to try.
        var attempts = 5
        /// The longest pause behind the first attempt, in seconds.
        var pause = 1.0
        /// The longest pause of all, in seconds.
        var maximumPause = 60.0
        /// How many redirects to follow.
        var redirects = 0
        /// How many requests may be under way.
        var concurrency = 8
        /// How many further ones may wait.
        var queue = 1_000
        /// How many bytes of an answer are kept.
        var maximumResponse = 65_536

        /// The keys of the configuration.
        private enum CodingKeys: String, CodingKey {
            case url, method, headers, secrets, body, id, timeout, connectTimeout, attempts, pause
            case maximumPause, redirects, concurrency, queue, maximumResponse
        }

        /// What an operator gets who sets nothing.
        init() {}

        /// Reads the settings; a value out of range is an error with its place.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func number<Number: Codable & Comparable>(
                _ key: CodingKeys, _ range: ClosedRange<Number>
            ) throws -> Number {
                try container.decode(Number.self, forKey: key, in: range)
            }
            url = try container.decode(RequestURL.Setting.self, forKey: .url).url
            method = try container.decode(Method.self, forKey: .method)
            secrets = try container.decode([String: String].self, forKey: .secrets)
            headers = try container.decode([String: HeaderTemplate].self, forKey: .headers)
                .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
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
            for (name, _) in headers where !HeaderTemplate.isName(name) {
                throw CodingFailure(
                    at: container.codingPath + [CodingKeys.headers], expected: "the name of a header",
                    found: Value.string(name).json())
            }
            for (name, template) in headers {
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

        /// Writes all settings.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(url?.text ?? "", forKey: .url)
            try container.encode(method, forKey: .method)
            try container.encode(
                Dictionary(headers.map { ($0.name, $0.value) }) { $1 }, forKey: .headers)
            try container.encode(secrets, forKey: .secrets)
            try container.encode(body, forKey: .body)
            try container.encode(id, forKey: .id)
            try container.encode(timeout, forKey: .timeout)
            try container.encode(connectTimeout, forKey: .connectTimeout)
            try container.encode(attempts, forKey: .attempts)
            try container.encode(pause, forKey: .pause)
            try container.encode(maximumPause, forKey: .maximumPause)
            try container.encode(redirects, forKey: .redirects)
            try container.encode(concurrency, forKey: .concurrency)
            try container.encode(queue, forKey: .queue)
            try container.encode(maximumResponse, forKey: .maximumResponse)
        }
    }

    /// The methods of HTTP that make sense here.
    enum Method: String, Codable, Sendable {
        /// Has the service take something.
        case post = "POST"
        /// Has the service store something under the URL.
        case put = "PUT"
        /// Has the service change what is under the URL.
        case patch = "PATCH"
        /// Has the service delete what is under the URL.
        case delete = "DELETE"
        /// Asks for what is under the URL.
        case get = "GET"
        /// Asks whether something is under the URL.
        case head = "HEAD"

        /// Whether a request has a body.
        var hasBody: Bool {
            switch self {
            case .post, .put, .patch: true
            case .delete, .get, .head: false
            }
        }
    }
}
