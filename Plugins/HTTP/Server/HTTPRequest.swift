// SPDX-License-Identifier: Apache-2.0

/// A request as far as its header says.
struct HTTPRequest: Sendable {
    /// Such as `GET`.
    let method: String
    /// The path without the query, with its percent escapes resolved.
    let path: String
    /// The names of the query with their values, escapes resolved.
    var query: [(name: String, value: String)] = []
    /// The header's fields that somebody here looks at, by their names in lower case; of repeated ones the first.
    var fields: [String: String] = [:]
    /// Where it comes from, for messages.
    var client = "a client"

    /// The value of a header field; its name is given in lower case.
    subscript(field: String) -> String? { fields[field] }

    /// All values that the query gives a name, with lists at commas taken apart.
    func values(of name: String) -> [String] {
        query.filter { $0.name == name }.flatMap { $0.value.split(separator: ",").map(String.init) }
    }

    /// The length that the header promises; nil where it promises none.
    var contentLength: Int? { fields["content-length"].flatMap { Int($0) } }

    /// Whether the client takes what is compressed with gzip.
    var takesGzip: Bool {
        (fields["accept-encoding"] ?? "").split(separator: ",").contains { part in
            let words = part.split(separator: ";").map { $0.filter { $0 != " " } }
            return words.first == "gzip" && !words.dropFirst().contains { ["q=0", "q=0.0"].contains($0) }
        }
    }

    /// The media type of the body, in lower case and without parameters; nil where none is told.
    var mediaType: String? {
        fields["content-type"]?.split(separator: ";").first.map {
            $0.filter { $0 != " " }.lowercased()
        }
    }
}
