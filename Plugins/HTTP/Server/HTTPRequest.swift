// SPDX-License-Identifier: Apache-2.0

/// The header of a request.
struct HTTPRequest: Sendable {
    /// The method, such as `GET`.
    let method: String
    /// The path without the query, with its percent escapes resolved.
    let path: String
    /// The names of the query with their values, escapes resolved.
    var query: [(name: String, value: String)] = []
    /// The header's fields.
    var fields = HeaderFields()
    /// The address of the client, for messages.
    var client = "a client"
    /// The network whose clients share limits: an address, or the IPv6 network of one subscriber.
    var network = "a client"

    /// The value of a header field; the name must be in lower case.
    subscript(field: String) -> String? { fields[field] }

    /// Why the request is not read, in a sentence for the sender; nil if it can be read in only one way.
    var objection: String? {
        guard !method.isEmpty, method.utf8.allSatisfy(HeaderFields.isToken) else {
            return "expected letters, digits and marks as the method, found others"
        }
        let texts = [path] + query.flatMap { [$0.name, $0.value] }
        return texts.contains { $0.utf8.contains { $0 < 32 || $0 == 127 } }
            ? "expected a path without control characters and a query of at most 64 arguments, found another one"
            : fields.objection
    }

    /// Returns all values of a name in the query, split at commas.
    func values(of name: String) -> [String] {
        query.filter { $0.name == name }.flatMap { $0.value.split(separator: ",").map(String.init) }
    }

    /// The length promised by the header; nil for none.
    var contentLength: Int? { self["content-length"].flatMap { Int($0) } }

    /// Whether the client accepts gzip.
    var takesGzip: Bool {
        (self["accept-encoding"] ?? "").split(separator: ",").contains { part in
            let words = part.split(separator: ";").map { $0.filter { $0 != " " } }
            return words.first == "gzip" && !words.dropFirst().contains { ["q=0", "q=0.0"].contains($0) }
        }
    }

    /// The media type of the body, in lower case and without parameters; nil for none.
    var mediaType: String? {
        self["content-type"]?.split(separator: ";").first.map {
            $0.filter { $0 != " " }.lowercased()
        }
    }
}
