// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue
import Testing

@Suite(.timeLimit(.minutes(10))) struct SchemaTests {
    /// What a value does wrong, as `pointer: sentence`.
    private func violations(_ schema: String, _ value: String, isPatch: Bool = false) throws -> [String] {
        Schema(try JSONText.parse(schema)).violations(of: try JSONText.parse(value), isPatch: isPatch)
            .map { "\($0.pointer): \($0)" }
    }

    @Test(arguments: [
        (#"{"type":"integer"}"#, "1"), (#"{"type":"integer"}"#, "1.0"),
        (#"{"type":"integer"}"#, "123456789012345678901234567890"),
        (#"{"type":"number"}"#, "1"), (#"{"type":"number"}"#, "1e400"),
        (#"{"type":["string","null"]}"#, "null"),
        (#"{"type":"boolean"}"#, "false"), (#"{"enum":[1,"a",{"b":2}]}"#, #"{"b":2.0}"#),
        (#"{"const":null}"#, "null"),
        (#"{"minimum":1,"maximum":3}"#, "1"), (#"{"exclusiveMinimum":1}"#, "1.5"),
        (#"{"minimum":1}"#, #""0""#),
        (#"{"maximum":9007199254740992}"#, "9007199254740992"), (#"{"multipleOf":0.1}"#, "0.3"),
        (#"{"multipleOf":5}"#, "-10"),
        (#"{"minLength":2,"maxLength":2}"#, #""é1""#), (#"{"minLength":2}"#, "7"),
        (#"{"pattern":"^a"}"#, #""ab""#),
        (#"{"items":{"type":"string"}}"#, #"["a"]"#), (#"{"uniqueItems":true}"#, "[1,2]"),
        (#"{"uniqueItems":false}"#, "[1,1]"),
        (#"{"minItems":1,"maxItems":2}"#, "[1]"),
        (#"{"properties":{"a":true},"additionalProperties":{"type":"null"}}"#, #"{"a":1,"b":null}"#),
        (#"{"required":["a"]}"#, #"{"a":null}"#), (#"{"dependentRequired":{"a":["b"]}}"#, #"{"b":1}"#),
        (#"{"minProperties":1,"maxProperties":1}"#, #"{"a":1}"#),
        (#"{"anyOf":[{"type":"string"},{"minimum":3}]}"#, "4"),
        (#"{"oneOf":[{"type":"string"},{"type":"null"}]}"#, "null"),
        (#"{"not":{"type":"null"}}"#, "1"), (#"{"allOf":[{"minimum":1},{"maximum":2}]}"#, "2"),
        (##"{"$ref":"#"}"##, "1"), (##"{"allOf":[{"$ref":"#"},{"$ref":"#"}]}"##, "1"),
        (
            ##"{"$ref":"#/$defs/list","$defs":{"list":{"items":{"$ref":"#/$defs/list"},"type":"array"}}}"##,
            "[[],[[]]]"
        ),
        ("true", "1"), (#"{"description":"x","default":1,"title":"t"}"#, "[]"),
    ])
    func `a value that a schema asks for is right`(schema: String, value: String) throws {
        #expect(try violations(schema, value) == [])
    }

    @Test(arguments: [
        (#"{"type":"integer"}"#, "1.5", ": expected an integer, found 1.5; correct it"),
        (#"{"type":"integer"}"#, "1e400", ": expected an integer, found 1e400; correct it"),
        (#"{"type":["string","null"]}"#, "[]", ": expected a string or null, found an array; correct it"),
        (#"{"type":"boolean"}"#, #""yes""#, #": expected true or false, found "yes"; correct it"#),
        (
            #"{"enum":["text","json"]}"#, #""xml""#,
            #": expected "text" or "json", found "xml"; choose one of them"#
        ),
        (
            #"{"enum":["text","json"]}"#, #""jso""#,
            #": expected "text" or "json", found "jso"; did you mean "json"?"#
        ),
        (#"{"const":1}"#, "2", ": expected 1, found 2; choose one of them"),
        (#"{"minimum":1}"#, "0", ": expected a number of at least 1, found 0; raise it"),
        (
            #"{"maximum":9007199254740992}"#, "9007199254740993",
            ": expected a number of at most 9007199254740992, found 9007199254740993; lower it"
        ),
        (#"{"minimum":0}"#, "-1e400", ": expected a number of at least 0, found -1e400; raise it"),
        (#"{"exclusiveMinimum":1}"#, "1", ": expected a number above 1, found 1; raise it"),
        (#"{"exclusiveMaximum":1}"#, "1.0", ": expected a number below 1, found 1.0; lower it"),
        (#"{"multipleOf":0.5}"#, "0.7", ": expected a multiple of 0.5, found 0.7; write the nearest one"),
        (#"{"minLength":1}"#, #""""#, ": expected at least 1 characters, found 0; add to it"),
        (#"{"maxItems":1}"#, "[1,2]", ": expected at most 1 elements, found 2; shorten it"),
        (#"{"minProperties":1}"#, "{}", ": expected at least 1 members, found 0; add to it"),
        (#"{"pattern":"^a"}"#, #""b""#, #": expected text of another form, found "b"; correct it"#),
        (
            #"{"pattern":"^a","x-message":"a word with a in front"}"#, #""b""#,
            #": expected a word with a in front, found "b"; correct it"#
        ),
        (#"{"items":{"type":"string"}}"#, #"["a",1]"#, "/1: expected a string, found 1; correct it"),
        (#"{"uniqueItems":true}"#, "[1,1.0]", "/1: expected each element once, found 1.0 again; remove it"),
        (#"{"required":["when"]}"#, "{}", #": expected the key "when", found none; add it"#),
        (
            #"{"additionalProperties":false,"properties":{"step":true}}"#, #"{"stepp":1}"#,
            #"/stepp: unknown key "stepp"; did you mean "step"?"#
        ),
        (
            #"{"additionalProperties":false,"properties":{"step":true}}"#, #"{"colour":1}"#,
            #"/colour: unknown key "colour", expected "step"; rename or remove it"#
        ),
        (#"{"additionalProperties":false}"#, #"{"a":1}"#, #"/a: unknown key "a"; remove it"#),
        (
            #"{"propertyNames":{"pattern":"^/","x-message":"a path"}}"#, #"{"a":1}"#,
            #"/a: expected a path, found "a"; correct it"#
        ),
        (#"{"dependentRequired":{"a":["b"]}}"#, #"{"a":1}"#, #"/a: "a" says nothing without "b"; add it"#),
        (
            #"{"dependentSchemas":{"a":{"properties":{"b":false}}}}"#, #"{"a":1,"b":2}"#,
            "/b: nothing may stand here; remove it"
        ),
        (
            #"{"anyOf":[{"type":"string"},{"minimum":3}]}"#, "2",
            ": expected a number of at least 3, found 2; raise it"
        ),
        (
            #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "2",
            ": expected one of the forms that the schema lists, found another; see its description"
        ),
        (
            #"{"oneOf":[{"minimum":1},{"minimum":2}]}"#, "2",
            ": expected exactly one of the forms that the schema lists, found several; choose one"
        ),
        (#"{"not":{"const":"host"}}"#, #""host""#, #": "host" may not stand here; choose another value"#),
        (
            #"{"not":{"const":"host"},"x-message":"a name of your own"}"#, #""host""#,
            #": expected a name of your own, found "host"; correct it"#
        ),
        (
            #"{"anyOf":[{"type":"string"},{"type":"null"}],"x-message":"a text or null"}"#, "2",
            ": expected a text or null, found 2; correct it"
        ),
        (
            #"{"properties":{"a":{"properties":{"b/c":{"type":"null"}}}}}"#, #"{"a":{"b/c":1}}"#,
            "/a/b~1c: expected null, found 1; correct it"
        ),
        (
            ##"{"$ref":"#/$defs/n","$defs":{"n":{"type":"null"}}}"##, "1",
            ": expected null, found 1; correct it"
        ),
        ("false", "1", ": nothing may stand here; remove it"),
    ])
    func `a value that differs is told with place, expectation and remedy`(
        schema: String, value: String, message: String
    ) throws {
        #expect(try violations(schema, value) == [message])
    }

    @Test func `everything is told at once`() throws {
        let schema =
            #"{"additionalProperties":false,"required":["a"],"properties":{"b":{"minimum":1},"a":true}}"#
        #expect(
            try violations(schema, #"{"b":0,"c":1}"#) == [
                #": expected the key "a", found none; add it"#,
                "/b: expected a number of at least 1, found 0; raise it",
                #"/c: unknown key "c", expected "b" or "a"; rename or remove it"#,
            ])
    }

    @Test func `in a patch a null in an object stands for nothing`() throws {
        let schema =
            #"{"additionalProperties":false,"properties":{"a":{"type":"string"},"o":{"required":["x"]}}}"#
        #expect(try violations(schema, #"{"a":null}"#, isPatch: true) == [])
        #expect(try violations(schema, #"{"a":null}"#) == ["/a: expected a string, found null; correct it"])
        #expect(
            try violations(schema, #"{"o":{"x":null}}"#, isPatch: true)
                == [#"/o: expected the key "x", found none; add it"#])
        #expect(
            try violations(schema, #"{"c":null}"#, isPatch: true)
                == [#"/c: unknown key "c", expected "a" or "o"; rename or remove it"#])
        #expect(
            try violations(#"{"items":{"type":"string"}}"#, "[null]", isPatch: true)
                == ["/0: expected a string, found null; correct it"])
    }

    @Test func `in a patch a null must not take a default away`() throws {
        let schema = #"{"properties":{"a":{"type":"integer","default":1}}}"#
        #expect(
            try violations(schema, #"{"a":null}"#, isPatch: true) == [
                "/a: expected an integer, found null; correct it"
            ])
    }

    // MARK: - What a manifest may ask for

    /// What the reader says about a schema.
    private func problems(_ schema: String) throws -> [String] {
        Schema.problems(in: try JSONText.parseLocated(Array(schema.utf8)), key: "settings").map(\.sentence)
    }

    @Test(arguments: [
        "{}",
        #"{"$schema":"https://json-schema.org/draft/2020-12/schema","$comment":"x","examples":[1],"deprecated":false}"#,
        #"{"not":{"pattern":"^a"},"x-message":"a name of your own"}"#, #"{"not":{"pattern":"^a"}}"#,
        #"{"type":["string","null"],"enum":[null],"pattern":"^a|b$","x-message":"a or b","minLength":0}"#,
        ##"{"$defs":{"a":{"type":"null"}},"properties":{"x":{"$ref":"#/$defs/a"},"y":true}}"##,
    ])
    func `a schema of the understood subset is right`(schema: String) throws {
        #expect(try problems(schema) == [])
    }

    @Test(arguments: [
        (
            #"{"type":"int"}"#,
            #""settings.type": expected null, boolean, integer, number, string, array or object, found "int"; choose one of them"#
        ),
        (
            #"{"type":"strin"}"#,
            #""settings.type": expected null, boolean, integer, number, string, array or object, found "strin"; write "string""#
        ),
        (
            #"{"type":1}"#,
            #""settings.type": expected null, boolean, integer, number, string, array or object, found an integer; write one of them in double quotes"#
        ),
        (
            #"{"type":[]}"#,
            #""settings.type": expected null, boolean, integer, number, string, array or object, found an array; name one or remove the key"#
        ),
        (
            #"{"enum":[]}"#,
            #""settings.enum": expected an array of values, found an empty one; add one or remove the key"#
        ),
        (
            #"{"allOf":[]}"#,
            #""settings.allOf": expected an array of schemas, found an empty one; add one or remove the key"#
        ),
        (
            #"{"minimum":"1"}"#,
            #""settings.minimum": expected a number, found a string; write one without quotes"#
        ),
        (
            #"{"multipleOf":0}"#,
            #""settings.multipleOf": expected a number above 0, found an integer; write one"#
        ),
        (
            #"{"minLength":-1}"#,
            #""settings.minLength": expected a whole number of at least 0, found an integer; write one"#
        ),
        (
            #"{"pattern":"(?=a)"}"#,
            #""settings.pattern": expected a pattern, found (?=, which is not supported; write the pattern without it"#
        ),
        (
            #"{"pattern":1}"#,
            #""settings.pattern": expected a pattern, found an integer; put it in double quotes"#
        ),
        (
            #"{"pattern":"^a"}"#,
            #""settings.pattern": expected "x-message" beside it, found none; say there in words what is expected, such as "a file name without slashes""#
        ),
        (
            #"{"pattern":"^a","x-message":1}"#,
            #""settings.x-message": expected text, found an integer; put it in double quotes"#
        ),
        (
            #"{"uniqueItems":1}"#,
            #""settings.uniqueItems": expected true or false, found an integer; write it without quotes"#
        ),
        (
            #"{"properties":{"when":{"x-action":"hear"}}}"#,
            #""settings.properties.when.x-action": expected "hears", "emits" or "emitsAny", found a string; say whether the types named there are heard or emitted, or that any may be emitted"#
        ),
        (
            #"{"properties":{"key":{"x-file":"hidden"}}}"#,
            #""settings.properties.key.x-file": expected "secret", found a string; write that for the path of a file with a secret, or remove it"#
        ),
        (#"{"title":1}"#, #""settings.title": expected text, found an integer; put it in double quotes"#),
        (#"{"required":"a"}"#, #""settings.required": expected an array of keys, found a string; write […]"#),
        (
            #"{"required":[1]}"#,
            #""settings.required[0]": expected a key, found an integer; put it in double quotes"#
        ),
        (
            #"{"properties":[]}"#,
            #""settings.properties": expected an object of schemas by name, found an array; write { "…": … }"#
        ),
        (
            #"{"properties":{"a":1}}"#,
            #""settings.properties.a": expected a schema, which is an object, true or false, found an integer; write { "type": … }"#
        ),
        (
            #"{"dependentRequired":{"a":1}}"#,
            #""settings.dependentRequired.a": expected an array of keys, found an integer; write […]"#
        ),
        (
            #"{"oneOf":[{"items":1}]}"#,
            #""settings.oneOf[0].items": expected a schema, which is an object, true or false, found an integer; write { "type": … }"#
        ),
        (
            ##"{"$ref":"#/$defs/a"}"##,
            ##""settings.$ref": expected a place in this schema, such as "#/$defs/limit", found a string; define it under "$defs" and write # and its JSON Pointer"##
        ),
        (
            ##"{"$ref":"https://example.org"}"##,
            ##""settings.$ref": expected a place in this schema, such as "#/$defs/limit", found a string; define it under "$defs" and write # and its JSON Pointer"##
        ),
        (
            #"{"title":"a","title":"b"}"#,
            #""settings.title": expected each key once, found it again; remove one of them"#
        ),
    ])
    func `a schema that nobody could check is refused`(schema: String, message: String) throws {
        #expect(try problems(schema) == [message])
    }

    @Test(arguments: [
        "format", "patternProperties", "unevaluatedProperties", "if", "contains", "$id", "prefixItems",
    ])
    func `a keyword that is not checked is refused rather than ignored`(keyword: String) throws {
        let known =
            "type, enum, const, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength, pattern, items, minItems, maxItems, uniqueItems, properties, required, additionalProperties, propertyNames, minProperties, maxProperties, dependentRequired, dependentSchemas, allOf, anyOf, oneOf, not, $ref, $defs, title, description, default, examples, deprecated, $comment, $schema, x-message, x-action, x-listens, x-file"
        let advice = keyword == "unevaluatedProperties" ? "remove it" : nil
        let found = try problems("{\"\(keyword)\":{}}")
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix(
                "\"settings.\(keyword)\": expected a keyword that is checked: \(known), found one that is not; "
            ) == true)
        if let advice { #expect(found.first?.hasSuffix(advice) == true) }
    }

    @Test func `a near miss of a keyword is named`() throws {
        #expect(
            try problems(#"{"minimun":1}"#).first?.hasSuffix(#"found one that is not; write "minimum""#)
                == true)
    }

    @Test(arguments: [
        ("", "nil; The whole"), ("/a", "an a; A: About a."), ("/b/0", "nil; One of b."),
        ("/c/x", "nil; Other"),
        ("/d/e", "an e, by reference; nil"), ("/nothing/here", "nil; nil"), ("/loop/loop/loop", "nil; Round"),
    ])
    func `a schema has words for places, however it comes to them`(pointer: String, words: String) throws {
        let schema = Schema(
            try JSONText.parse(
                """
                {
                  "title": "The whole", "allOf": [{ "$ref": "#/$defs/more" }],
                  "properties": {
                    "a": { "title": "A", "description": "About a.", "x-message": "an a" },
                    "b": { "items": { "description": "One of b." } },
                    "c": { "additionalProperties": { "title": "Other" } },
                    "loop": { "$ref": "#/$defs/loop" }
                  },
                  "$defs": {
                    "more": { "properties": { "d": { "properties": { "e": { "x-message": "an e, by reference" } } } } },
                    "loop": { "title": "Round", "$ref": "#/$defs/loop", "properties": { "loop": { "$ref": "#/$defs/loop" } } }
                  }
                }
                """))
        let found = schema.words(at: try JSONPointer(pointer))
        #expect("\(found.expected ?? "nil"); \(found.description ?? "nil")" == words)
    }
}
