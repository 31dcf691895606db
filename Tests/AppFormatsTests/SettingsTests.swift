import BZTimer
import FormatKit
import StrictJSON
import Testing

@Suite struct SettingsTests {
    @Test func defaultsAreTheApps() throws {
        let settings = try TimerSettings(json: [:])
        #expect(settings == TimerSettings())
        #expect(
            settings.json.encoded(.compact)
                == Array(
                    ("{\"preCountdownSeconds\":3,\"warningSecondsBeforeEnd\":10,\"enableSounds\":true,"
                        + "\"enableVibration\":true,\"keepScreenAwakeDuringSession\":true,"
                        + "\"historyRetention\":\"unlimited\",\"customCategories\":[],\"isProUser\":false}").utf8
                )
        )
        #expect(settings.plan == .free)
    }

    @Test func unknownMembersAreKept() throws {
        let value: JSONValue = ["theme": ["dark": true], "isProUser": true]
        let settings = try TimerSettings(json: value)
        #expect(settings.plan == .pro)
        #expect(settings.json["theme"] == ["dark": true])
    }

    @Test(
        arguments: [
            ("preCountdownSeconds", 4, "0, 3 or 5"), ("preCountdownSeconds", "3", "0, 3 or 5"),
            ("warningSecondsBeforeEnd", -1, "an integer from 0 to 3600"),
            ("warningSecondsBeforeEnd", 3601, "an integer from 0 to 3600"),
            ("enableSounds", 1, "true or false"), ("enableVibration", nil, "true or false"),
            ("keepScreenAwakeDuringSession", "yes", "true or false"), ("isProUser", 0, "true or false"),
            ("historyRetention", "9months", "one of unlimited, 3months, 6months, 12months"),
            ("customCategories", ["a", 1], "distinct names, none of them blank or a built-in category"),
            ("customCategories", ["a", "A"], "distinct names, none of them blank or a built-in category"),
            ("customCategories", [" "], "distinct names, none of them blank or a built-in category"),
            ("customCategories", ["wORK"], "distinct names, none of them blank or a built-in category"),
        ] as [(String, JSONValue, String)]
    )
    func valuesAreChecked(name: String, value: JSONValue, message: String) {
        let error = #expect(throws: AppFormatError.self) { try TimerSettings(json: .object([name: value])) }
        let found = String(decoding: value.encoded(.compact), as: UTF8.self)
        #expect(error?.message == "found \(found) for \"\(name)\", expected \(message)")
        #expect(error?.pointer?.description == "/\(name)")
        #expect(error?.code == .setting)
    }

    @Test func settingByTypedText() throws {
        var settings = TimerSettings()
        try settings.set("preCountdownSeconds", toText: "5")
        try settings.set("enableSounds", toText: "false")
        try settings.set("historyRetention", toText: "6months")
        try settings.set("customCategories", toText: "Knee, PT – Back ,")
        try settings.set("isProUser", toText: "true")
        #expect(settings.preCountdownSeconds == 5)
        #expect(settings.enableSounds == false)
        #expect(settings.historyRetention == .sixMonths)
        #expect(settings.customCategories == ["Knee", "PT – Back"])
        #expect(settings["isProUser"] == true)
        #expect(throws: AppFormatError.self) { try settings.set("enableSounds", toText: "yes") }
        #expect(throws: AppFormatError.self) { try settings.set("preCountdownSeconds", toText: "five") }
        let error = #expect(throws: AppFormatError.self) { try settings.set("volume", toText: "11") }
        #expect(error?.message.hasPrefix("there is no setting \"volume\"; there are preCountdownSeconds, ") == true)
        #expect(settings["volume"] == nil)
    }
}
