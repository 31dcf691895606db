internal import Foundation

/// A headless Chromium, where there is one.
public enum Browser {
    /// Where it is.
    public static let path: String? = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// There is none.
    public struct Failure: Error {
        /// How it was to be run.
        public let arguments: [String]
    }

    /// Runs it and gives what it prints.
    ///
    /// - Parameter withMessages: Whether what it prints on the standard error stream is given as well, after the output.
    public static func run(_ arguments: [String], withMessages: Bool = false) throws -> String {
        guard let path else { throw Failure(arguments: arguments) }
        let profile = try Sandbox()
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments =
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                "--disable-sync",
                "--disable-dev-shm-usage", "--user-data-dir=\(profile.folder.path)",
            ] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = withMessages ? output : FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// How many pixels of each colour, as `rrggbb`, a page has in a window of 1,100 by 1,200.
    ///
    /// The browser itself takes the screenshot apart: in a page of our own, with a script.
    public static func colors(of page: String, isDark: Bool, in sandbox: Sandbox) throws -> [String: Int] {
        let picture = sandbox.path("report.png")
        let scheme = "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)"
        _ = try run([scheme, "--window-size=1100,1200", "--screenshot=\(picture)", "file://\(page)"])
        let data = try sandbox.bytes("report.png")
        let script = """
            const image = new Image();
            image.onload = () => {
              const canvas = document.createElement('canvas');
              [canvas.width, canvas.height] = [image.width, image.height];
              const context = canvas.getContext('2d');
              context.drawImage(image, 0, 0);
              const pixels = context.getImageData(0, 0, image.width, image.height).data;
              const counts = {};
              for (let i = 0; i < pixels.length; i += 4) {
                const color = (pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]).toString(16).padStart(6, '0');
                counts[color] = (counts[color] || 0) + 1;
              }
              document.body.textContent = Object.entries(counts).filter(c => c[1] > 50).map(c => c.join(' ')).join(';');
            };
            image.src = 'data:image/png;base64,\(Data(data).base64EncodedString())';
            """
        let counter = try sandbox.write("count.html", "<!doctype html><body></body><script>\(script)</script>")
        let text = try run(["--virtual-time-budget=20000", "--dump-dom", "file://\(counter)"])
        guard let start = text.range(of: "<body>"), let end = text.range(of: "</body>") else { return [:] }
        var colors: [String: Int] = [:]
        for part in text[start.upperBound..<end.lowerBound].split(separator: ";") {
            let pair = part.split(separator: " ")
            if pair.count == 2, let count = Int(pair[1]) { colors[String(pair[0])] = count }
        }
        return colors
    }

    /// A text as a literal of JavaScript within a page.
    public static func literal(_ text: String) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "`", with: "\\`")
            .replacingOccurrences(of: "$", with: "\\$").replacingOccurrences(of: "</", with: "<\\/")
        return "`\(escaped)`"
    }
}
