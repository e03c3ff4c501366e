// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct GateProblemTests {
    @Test(arguments: [
        Mistake(
            "true",
            #"1:34: /plugins/0/gate: expected "active", "bypass" or an object, found true; "#,
            #"write "active" for a gate that is open"#
        ),
        Mistake(
            #""activ""#,
            #"1:34: /plugins/0/gate: expected "active" or "bypass", found "activ"; did you mean "active"?"#
        ),
        Mistake(
            #"{"contrl": {"type": "x"}}"#,
            #"1:35: /plugins/0/gate/contrl: unknown key "contrl"; did you mean "control"?"#
        ),
        Mistake(
            #"{"control": "app/sync"}"#,
            #"1:46: /plugins/0/gate/control: expected an object, found "app/sync"; write { "key": value }"#
        ),
        Mistake(
            #"{"control": {}}"#,
            #"1:46: /plugins/0/gate/control: expected the key "type", found none; add it"#
        ),
        Mistake(
            #"{"control": {"type": ""}}"#,
            #"1:55: /plugins/0/gate/control/type: expected a name, found ""; "#,
            "write the name or remove the place for it"
        ),
        Mistake(
            #"{"control": {"type": "app/*"}}"#,
            #"1:55: /plugins/0/gate/control/type: expected one action type, found the pattern "app/*"; "#,
            #"write the type without "*""#
        ),
        Mistake(
            #"{"control": {"type": "host/gate/open"}}"#,
            #"1:55: /plugins/0/gate/control/type: types below "host/" belong to the host, "#,
            #"found "host/gate/open"; choose another name, only "allow" may list host actions"#
        ),
        Mistake(
            #"{"control": {"type": "x", "at": "enable"}}"#,
            #"1:66: /plugins/0/gate/control/at: expected a JSON Pointer such as "/orders/eu", found "#,
            #""enable"; "#,
            #"begin it with "/""#
        ),
        Mistake(
            #"{"control": {"type": "x", "path": "/a"}}"#,
            #"1:60: /plugins/0/gate/control/path: unknown key "path", expected "type" or "at"; rename "#,
            #"or remove it"#
        ),
        Mistake(
            #"{"control": {"type": "x"}, "turnOn": 1, "turnOff": 1.0}"#,
            #"1:34: /plugins/0/gate: "turnOn" and "turnOff" are both 1, so the gate could only open; "#,
            "make them differ"
        ),
        Mistake(
            #"{"control": {"type": "x"}, "turnOff": true}"#,
            #"1:34: /plugins/0/gate: "turnOn" and "turnOff" are both true, so the gate could only open; "#,
            "make them differ"
        ),
        Mistake(
            #"{"control": {"type": "x"}, "state": "/x"}"#,
            #"1:61: /plugins/0/gate/state: "control" and "state" are both given; keep one of them"#
        ),
        Mistake(
            #"{"state": "/x", "default": "bypass"}"#,
            #"1:50: /plugins/0/gate/default: "state" and "default" are both given; keep one of them"#
        ),
        Mistake(
            #"{"turnOn": true}"#,
            #"1:35: /plugins/0/gate/turnOn: "turnOn" says nothing without "control"; add "control" or "#,
            #"remove it"#
        ),
        Mistake(
            #"{"state": "/x", "turnOff": false}"#,
            #"1:50: /plugins/0/gate/turnOff: "turnOff" says nothing without "control"; "#,
            #"add "control" or remove it"#
        ),
        Mistake(
            #"{"state": ""}"#,
            #"1:44: /plugins/0/gate/state: expected a pointer to a boolean, found "", which is the "#,
            #"whole state; "#,
            #"point at a member such as "/features/sync""#
        ),
        Mistake(
            #"{"state": true}"#,
            "1:44: /plugins/0/gate/state: expected a string, found true; put the text in double quotes"
        ),
        Mistake(
            #"{"default": "open"}"#,
            #"1:46: /plugins/0/gate/default: expected "active" or "bypass", found "open"; choose one of them"#
        ),
        Mistake(
            #"{"onClose": "cancle"}"#,
            #"1:46: /plugins/0/gate/onClose: expected "keep" or "cancel", found "cancle"; did you "#,
            #"mean "cancel"?"#
        ),
        Mistake(
            #"{"control": {"type": "x"}, "turnOn": {"a": 1, "a": 2}}"#,
            #"1:80: /plugins/0/gate/turnOn/a: duplicate key "a", first given on line 1; keep one of them"#
        ),
    ])
    func `a problem of a gate is told`(mistake: Mistake) {
        let messages = ConfigurationMessages.ofEntry(#""gate": \#(mistake.text)"#)
        #expect(messages == ["plugins.json:" + mistake.message])
    }
}
