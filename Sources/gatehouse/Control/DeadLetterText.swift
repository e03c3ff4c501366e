// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Formats dead letters for people.
enum DeadLetterText {
    /// Two lines for each letter, and the total when not all are shown.
    static func list(_ answer: Value) -> String {
        let letters = answer.list("letters")
        let kept = answer.count("kept")
        let forgotten = answer.count("forgotten")
        var text = letters.map(summary).joined()
        if letters.isEmpty { text = kept == 0 ? "no dead letters\n" : "no dead letters of this kind\n" }
        if !letters.isEmpty, letters.count < kept { text += "\(letters.count) of \(kept) dead letters\n" }
        if forgotten > 0 { text += "\(Counted.text(forgotten, "older one")) discarded for lack of room\n" }
        return text
    }

    /// One letter with its action.
    static func whole(_ answer: Value) -> String {
        guard let letter = answer["letters"]?[0] else { return "" }
        return summary(letter)
            + (letter["action"].map { $0.json(.pretty) + "\n" } ?? "its action was not stored with it\n")
    }

    /// The results of redispatched or discarded letters, one line each.
    static func results(_ answer: Value, of method: String) -> String {
        let results = answer.list("results")
        guard !results.isEmpty else {
            return method == "discard" ? "no dead letters to discard\n" : "no dead letters to dispatch\n"
        }
        return results.map { result in
            let id = result.count("id")
            let reason = Quotation.bare(result.text("reason"))
            return switch result["became"] {
            case "processed": "\(id): processed\n"
            case "appended": "\(id): put into the cluster\n"
            case "discarded": "\(id): discarded\n"
            case "dead": "\(id): dead again, as \(result.count("as")): \(reason)\n"
            case "kept": "\(id): not dispatched: \(reason)\n"
            default: "\(id): \(reason)\n"
            }
        }.joined()
    }

    /// Number, time, kind, type and source on one line, the reason on the next.
    private static func summary(_ letter: Value) -> String {
        let text = { (key: String) in Quotation.bare(letter.text(key)) }
        var place = ""
        if let emitter = letter["source"]?["instance"]?.stringValue {
            place = "  from \(Quotation.bare(emitter))"
        } else if let input = letter["source"]?["input"]?.stringValue {
            place = "  from \(Quotation.bare(input)):\(letter["source"]?["line"]?.intValue ?? 0)"
        }
        let concerned = letter["instance"] == nil ? "" : text("instance") + ": "
        return "\(letter.count("id"))  \(UnixTime.text(letter.number("time")))  "
            + "\(text("kind"))  \(text("type"))\(place)\n    \(concerned)\(text("reason"))\n"
    }
}
