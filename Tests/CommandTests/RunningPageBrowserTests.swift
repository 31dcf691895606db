import Foundation
import StrictJSON
import Testing
import TestSupport

extension RunningPageTests {
    /// A page in a frame of that width, and a script that works with it and says what it finds by `say`.
    private func drive(_ page: String, width: Int = 375, isDark: Bool = false, _ script: String) throws -> [String] {
        let frame = """
            <!doctype html><meta name="color-scheme" content="light dark"><body>
            <iframe width="\(width)" height="900" style="border:0"></iframe><script>
            const frame = document.querySelector('iframe'), said = [], heard = [];
            const say = text => said.push(text);
            const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
            frame.onload = async () => {
              const page = frame.contentDocument, view = frame.contentWindow;
              const element = id => page.getElementById(id);
              view.console.error = view.console.warn = text => say('console: ' + text);
              view.addEventListener('error', event => say('error: ' + event.message));
              view.addEventListener('unhandledrejection', event => say('rejected: ' + event.reason));
              page.addEventListener('securitypolicyviolation', event => say('refused: ' + event.violatedDirective));
              const state = () => ['toggle', 'place', 'now', 'clock', 'left', 'next'].map(id => element(id).textContent)
                .join('|');
              const press = key => page.body.dispatchEvent(
                new view.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
              view.AudioContext = class {
                currentTime = 0;
                resume() { return Promise.resolve(); }
                createOscillator() {
                  return { frequency: {}, connect: to => to, stop() {}, start() { heard.push(this.frequency.value); } };
                }
                createGain() {
                  return { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: to => to };
                }
              };
              view.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
              Object.defineProperty(view, 'speechSynthesis', { value: {
                getVoices: () => [
                  { localService: false, default: true, lang: 'far' }, { localService: true, lang: 'en' },
                ],
                cancel() {}, speak(words) { if (words.text) heard.push(words.lang + ' ' + words.text); },
              } });
              \(script)
              document.body.textContent = said.join('\\n');
            };
            frame.srcdoc = \(Browser.literal(page));
            </script></body>
            """
        let file = try sandbox.write("frame.html", frame)
        let scheme = "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)"
        let window = "--window-size=1400,1000"
        let dom = try Browser.run([scheme, window, "--virtual-time-budget=200000", "--dump-dom", "file://\(file)"])
        let body = try #require(dom.firstMatch(of: /<body>([^<]*)<\/body>/), "\(dom.suffix(500))")
        return body.1.split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: Browser.path != nil, "this machine lacks chromium"))
    func `the page runs, pauses, skips, goes back, catches up after sleep, and ends`() async throws {
        let said = try drive(
            try await tenSeconds(),
            """
            element('voice').click();
            say(state());
            element('toggle').click();
            await wait(1500); say(state());
            press(' ');
            await wait(60000); say(state());
            press(' ');
            await wait(2000); say(state());
            press('ArrowRight'); say(state());
            press('ArrowLeft'); say(state());
            const now = view.Date.now;
            view.Date.now = () => now() + 5000;
            page.dispatchEvent(new view.Event('visibilitychange')); say(state());
            await wait(5000); say(state());
            say(heard.filter(sound => typeof sound === 'number').join(' '));
            say(heard.filter(sound => typeof sound === 'string').join(', '));
            element('toggle').click(); say(state());
            say('requests: ' + view.performance.getEntriesByType('resource').length);
            """
        )
        #expect(
            said == [
                "Start||Get ready|0:01|0:10 left of 0:10|Next: Work, 0:02",
                "Pause|Round 1 of 3|Work|0:02|0:09 left of 0:10|Next: Rest, 0:01",
                "Resume|Round 1 of 3|Work|0:02|0:09 left of 0:10|Next: Rest, 0:01",
                "Pause|Round 1 of 3|Rest|0:01|0:07 left of 0:10|Next: Work, 0:02",
                "Pause|Round 2 of 3|Work|0:02|0:06 left of 0:10|Next: Rest, 0:01",
                "Pause|Round 1 of 3|Rest|0:01|0:07 left of 0:10|Next: Work, 0:02",
                "Pause|Round 3 of 3|Work|0:01|0:02 left of 0:10|Next: Rest, 0:01",
                "Start again||Session complete|0:00|0:00 left of 0:10|",
                "880 880 880 880 880 880 880 880 880 1175",
                "en Get ready, en Work, en Rest, en Work, en Rest, en Work, en Rest, en Session complete",
                "Pause||Get ready|0:01|0:10 left of 0:10|Next: Work, 0:02", "requests: 0",
            ]
        )
    }

    @Test(
        .enabled(if: Browser.path != nil, "this machine lacks chromium"),
        arguments: [320, 375, 1280],
        [false, true]
    )
    func `the page fits, can be read and has names for its controls`(width: Int, isDark: Bool) async throws {
        for page in [try await tenSeconds(), try await hostile()] {
            let said = try drive(
                page,
                width: width,
                isDark: isDark,
                """
                const light = color => {
                  const [r, g, b] = color.match(/[0-9.]+/g).slice(0, 3).map(part => part / 255)
                    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
                  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                };
                const paper = element => {
                  const color = view.getComputedStyle(element).backgroundColor;
                  return color !== 'rgba(0, 0, 0, 0)' || !element.parentElement ? color : paper(element.parentElement);
                };
                const check = name => {
                  if (page.documentElement.scrollWidth > view.innerWidth) say(name + ': too wide');
                  for (const element of page.body.querySelectorAll('*')) {
                    const hasText = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
                    if (!hasText || element.disabled || !element.getClientRects().length) continue;
                    const [ink, ground] = [light(view.getComputedStyle(element).color), light(paper(element))];
                    const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
                    if (contrast < 4.5) say(name + ': pale ' + element.textContent);
                    const box = element.getBoundingClientRect();
                    if (box.left < 0 || box.right > view.innerWidth) say(name + ': outside ' + element.id);
                  }
                };
                check('ready');
                element('toggle').click(); await wait(400); check('running');
                await wait(3000); check('later');
                await wait(60000); check('end');
                for (const button of page.querySelectorAll('button')) if (!button.textContent) say('no name');
                for (const input of page.querySelectorAll('input')) if (!input.labels.length) say('no label');
                if (view.matchMedia('(prefers-color-scheme: dark)').matches !== \(isDark)) say('wrong scheme');
                if (page.querySelector('img') || page.scripts.length !== 2) say('markup');
                say('width ' + view.innerWidth);
                """
            )
            #expect(said == ["width \(width)"])
        }
    }

    @Test(.enabled(if: Browser.path != nil, "this machine lacks chromium"))
    func `the browser runs the file and has nothing to say about it`() async throws {
        let page = try await tenSeconds()
        let options = ["--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom"]
        let file = try sandbox.write("page.html", page)
        let shown = try Browser.run(options + ["file://\(file)"], withMessages: true)
        #expect(shown.contains("<title>Ten</title>") && shown.contains("<body class=\"runs\">"))
        #expect(!shown.contains("CONSOLE"))
        // A script that the policy does not name does not run, and the browser says so.
        let changed = try sandbox.write("changed.html", page.replacing("'use strict';", with: "'use strict'; "))
        let refused = try Browser.run(options + ["file://\(changed)"], withMessages: true)
        #expect(refused.contains("CONSOLE") && !refused.contains("<body class=\"runs\">"))
    }
}
