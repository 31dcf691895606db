internal import Foundation
public import StrictJSON
internal import Synchronization

/// A Chromium that does what a person does: opens pages, presses keys, clicks; and that tells what it asked for and said.
///
/// It is told by the DevTools protocol, over a pipe: no port is open.
public final class BrowserSession {
    /// What went wrong.
    public struct Failure: Error, CustomStringConvertible {
        /// What was asked, and what was answered.
        public let description: String
    }

    private let profile: Sandbox
    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()
    private var received: [UInt8] = []
    private var nextID = 1
    private var session: String?
    private var events: [JSONValue] = []

    /// Starts it with an empty page.
    ///
    /// - Parameter limit: After so many seconds it is ended, whatever it does.
    public init(limit: Int = 1800) throws {
        profile = try Sandbox()
        guard let path = Browser.path else { throw Failure(description: "there is no browser") }
        let options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-sync",
            "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
            "--no-default-browser-check", "--user-data-dir=\(profile.folder.path)", "--remote-debugging-pipe",
            "about:blank",
        ]
        // The browser takes commands at descriptor 3 and answers at 4.
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null", "sh", path] + options
        process.standardInput = requests
        process.standardOutput = answers
        process.standardError = FileHandle.nullDevice
        try process.run()
        let process = process
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(limit)) {
            if process.isRunning { process.terminate() }
        }
        let target = try call("Target.createTarget", ["url": "about:blank"])
        let attached = try call(
            "Target.attachToTarget",
            ["targetId": target["targetId"] ?? .null, "flatten": true]
        )
        session = attached["sessionId"]?.string
        for domain in ["Page", "Runtime", "Log", "Network"] { try call("\(domain).enable") }
    }

    deinit { process.end() }

    // MARK: The protocol

    /// Calls a method of the protocol.
    @discardableResult
    public func call(_ method: String, _ parameters: JSONValue = [:]) throws -> JSONValue {
        let id = nextID
        nextID += 1
        var message: JSONObject = [
            "id": .number(id), "method": .string(method), "params": parameters,
        ]
        message["sessionId"] = session.map { .string($0) }
        try requests.fileHandleForWriting.write(
            contentsOf: Data(JSONValue.object(message).encoded(.compact).filter { $0 != 10 } + [0])
        )
        while true {
            let answer = try next()
            guard answer["id"]?.int == id else {
                if answer["method"] != nil { events.append(answer) }
                continue
            }
            if let error = answer["error"] {
                throw Failure(description: "\(method): \(error["message"]?.string ?? "no message")")
            }
            return answer["result"] ?? .null
        }
    }

    private func next() throws -> JSONValue {
        while true {
            if let end = received.firstIndex(of: 0) {
                let message = Array(received[..<end])
                received.removeFirst(end + 1)
                return try JSONDocument(parsing: message).root.value
            }
            let part = answers.fileHandleForReading.availableData
            guard !part.isEmpty else { throw Failure(description: "the browser ended") }
            received += part
        }
    }

    /// Waits for an event that was not seen yet.
    private func wait(for method: String) throws {
        while true {
            if let index = events.firstIndex(where: { $0["method"]?.string == method }) {
                events.remove(at: index)
                return
            }
            let message = try next()
            if message["method"] != nil { events.append(message) }
        }
    }

    // MARK: Pages

    /// Opens an address and waits until all of it is there.
    public func open(_ address: String) throws {
        forget("Page.loadEventFired")
        let answer = try call("Page.navigate", ["url": .string(address)])
        if let error = answer["errorText"]?.string { throw Failure(description: "\(address): \(error)") }
        try wait(for: "Page.loadEventFired")
    }

    /// Runs a script and gives its value, a promise's when it is there.
    @discardableResult
    public func evaluate(_ script: String) throws -> JSONValue {
        let answer = try call(
            "Runtime.evaluate",
            ["expression": .string(script), "returnByValue": true, "awaitPromise": true, "userGesture": true]
        )
        if let fault = answer["exceptionDetails"] {
            throw Failure(description: fault["exception"]?["description"]?.string ?? fault["text"]?.string ?? script)
        }
        return answer["result"]?["value"] ?? .null
    }

    /// Runs a script whose value is a list of texts.
    public func texts(_ script: String) throws -> [String] {
        try (evaluate(script).array ?? []).compactMap(\.string)
    }

    /// Clicks with the mouse on the first element that fits, and waits for the page to which that leads.
    ///
    /// - Parameter script: An expression for the element.
    public func follow(_ script: String) throws {
        forget("Page.loadEventFired")
        try click(script)
        try wait(for: "Page.loadEventFired")
    }

    /// Clicks with the mouse in the middle of an element.
    public func click(_ script: String) throws {
        let place = try evaluate(
            """
            (() => { const element = \(script); if (!element) return null;
            element.scrollIntoView({ block: 'center', behavior: 'instant' });
            const box = element.getClientRects()[0];
            return [box.left + box.width / 2, box.top + box.height / 2]; })()
            """
        )
        guard let x = place.array?.first, let y = place.array?.last else {
            throw Failure(description: "there is no element: \(script)")
        }
        for type in ["mousePressed", "mouseReleased"] {
            try call(
                "Input.dispatchMouseEvent",
                ["type": .string(type), "x": x, "y": y, "button": "left", "clickCount": 1]
            )
        }
    }

    /// Clicks twice, as quickly as a mouse does.
    public func doubleClick(_ script: String) throws {
        forget("Page.loadEventFired")
        let place = try evaluate(
            """
            (() => { const element = \(script); element.scrollIntoView({ block: 'center', behavior: 'instant' });
            const box = element.getClientRects()[0];
            return [box.left + box.width / 2, box.top + box.height / 2]; })()
            """
        )
        guard let x = place.array?.first, let y = place.array?.last else {
            throw Failure(description: "there is no element: \(script)")
        }
        for count in 1...2 {
            for type in ["mousePressed", "mouseReleased"] {
                try call(
                    "Input.dispatchMouseEvent",
                    [
                        "type": .string(type), "x": x, "y": y, "button": "left",
                        "clickCount": .number(count),
                    ]
                )
            }
        }
    }

    /// Shows the page as another medium does; an empty name and no features for the usual one.
    public func emulate(media: String, _ features: [String: String]) throws {
        let features = features.map { name, value -> JSONValue in ["name": .string(name), "value": .string(value)] }
        try call("Emulation.setEmulatedMedia", ["media": .string(media), "features": .array(features)])
    }

    /// Presses a key: `Tab`, `Enter`, or what else the protocol names.
    public func press(_ key: String, code: Int, text: String? = nil) throws {
        var down: JSONObject = [
            "type": .string(text == nil ? "rawKeyDown" : "keyDown"), "key": .string(key), "code": .string(key),
            "windowsVirtualKeyCode": .number(code),
        ]
        if let text { down["text"] = .string(text) }
        try call("Input.dispatchKeyEvent", .object(down))
        try call(
            "Input.dispatchKeyEvent",
            [
                "type": "keyUp", "key": .string(key), "code": .string(key),
                "windowsVirtualKeyCode": .number(code),
            ]
        )
    }

    /// Waits for the page that the last key or click leads to.
    public func waitForPage() throws { try wait(for: "Page.loadEventFired") }

    /// Sets the window's size.
    public func resize(width: Int, height: Int) throws {
        try call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(width), "height": .number(height), "deviceScaleFactor": 1,
                "mobile": false,
            ]
        )
    }

    /// Sets the scheme that the person prefers.
    public func prefer(dark isDark: Bool) throws {
        let scheme: JSONValue = ["name": "prefers-color-scheme", "value": .string(isDark ? "dark" : "light")]
        try call("Emulation.setEmulatedMedia", ["features": [scheme]])
    }

    /// A picture of the window as PNG.
    public func picture() throws -> [UInt8] {
        let answer = try call("Page.captureScreenshot", ["format": "png"])
        return [UInt8](Data(base64Encoded: answer["data"]?.string ?? "") ?? Data())
    }

    /// A picture of the beginning of the page.
    ///
    /// - Parameter scale: How many pixels a pixel of the page gets.
    public func picture(width: Int, height: Int, scale: Double) throws -> [UInt8] {
        let top = try evaluate("Math.round(scrollY)")
        let factor = JSONNumber(scale).map { JSONValue.number($0) } ?? 1
        let clip: JSONValue = [
            "x": 0, "y": top, "width": .number(width), "height": .number(height),
            "scale": factor,
        ]
        let answer = try call("Page.captureScreenshot", ["format": "png", "clip": clip])
        return [UInt8](Data(base64Encoded: answer["data"]?.string ?? "") ?? Data())
    }

    /// A picture of the whole page, up to 4,000 pixels of it.
    public func wholePicture(width: Int) throws -> [UInt8] {
        let height = try evaluate("document.documentElement.scrollHeight").int ?? 900
        try resize(width: width, height: min(max(height, 600), 4000))
        return try picture()
    }

    // MARK: What it said

    private func forget(_ method: String) { events.removeAll { $0["method"]?.string == method } }

    /// What pages wrote on the console, what went wrong in scripts, and what the browser says of pages.
    public var complaints: [String] {
        events.compactMap { event in
            let parameters = event["params"]
            switch event["method"]?.string {
            case "Log.entryAdded": return parameters?["entry"]?["text"]?.string
            case "Runtime.exceptionThrown": return parameters?["exceptionDetails"]?["text"]?.string
            case "Runtime.consoleAPICalled": return parameters?["args"]?.array?.first?["value"]?.string ?? "a message"
            default: return nil
            }
        }
    }

    /// The addresses of all that was asked for, without what is written in the address itself.
    public var asked: [String] {
        events.filter { $0["method"]?.string == "Network.requestWillBeSent" }
            .compactMap { $0["params"]?["request"]?["url"]?.string }
            .filter { !$0.hasPrefix("data:") && $0 != "about:blank" }
    }
}
