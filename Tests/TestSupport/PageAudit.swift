internal import StrictJSON

/// What is wrong with a page as it is shown: what does not fit, cannot be read, or has no name for who does not see it.
extension BrowserSession {
    /// Looks at the page that is open, at a width and in a scheme.
    ///
    /// - Returns: Each fault in words; none where nothing is wrong.
    public func audit(width: Int, isDark: Bool) throws -> [String] {
        try prefer(dark: isDark)
        try resize(width: width, height: 900)
        // All of the page is in the window, so that what lies at a place can be asked for.
        let height = try evaluate("document.documentElement.scrollHeight").int ?? 900
        try resize(width: width, height: min(max(height, 900), 30_000))
        defer { try? resize(width: width, height: 900) }
        return try texts("(() => { \(Self.script) return faults; })()")
    }

    private static let script = #"""
        const faults = [];
        const say = (what, element) => {
          const name = element ? `<${element.tagName.toLowerCase()} ${element.id || element.getAttribute('class') || ''}>`
            + ` ${(element.textContent || '').trim().slice(0, 40)}` : '';
          faults.push(`${what}: ${name}`);
        };
        const all = selector => [...document.querySelectorAll(selector)];
        const isShown = element => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
          && element.getClientRects().length > 0 && !element.closest('.visually-hidden');

        // Markup that was escaped once too often is shown.
        const shown = document.body.innerText.match(/.{0,20}(<\/(a|div|li|p|span|strong|td|tr|ul)>|&(amp|lt|quot);).{0,20}/);
        if (shown) say(`markup as text, ${shown[0]}`);

        // What fits.
        if (document.documentElement.scrollWidth > innerWidth) say(`wider than ${innerWidth}`);
        const scrolls = element => {
          for (let parent = element; parent; parent = parent.parentElement) {
            if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(parent).overflowX)) return true;
          }
          return false;
        };
        for (const element of all('body *')) {
          if (!isShown(element) || element.closest('svg') && element.tagName !== 'svg') continue;
          const box = element.getBoundingClientRect();
          if ((box.right > innerWidth + 0.5 || box.left < -0.5) && !scrolls(element)) say('outside of the window', element);
        }

        // What can be touched does not lie on each other.
        const controls = all('a[href], button, input:not([type=hidden]), select, textarea, summary').filter(element =>
          isShown(element) && !element.matches('.skip'));
        const boxes = controls.flatMap(element => [...element.getClientRects()].map(box => ({ element, box })));
        boxes.sort((one, other) => one.box.top - other.box.top);
        for (const [index, one] of boxes.entries()) {
          for (const other of boxes.slice(index + 1)) {
            if (other.box.top >= one.box.bottom - 1) break;
            if (one.element === other.element || one.element.contains(other.element)
              || other.element.contains(one.element)) continue;
            const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
            const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
            if (across > 1 && down > 1) say(`lies on "${other.element.textContent.trim().slice(0, 20)}"`, one.element);
          }
        }

        // What can be read.
        const parts = color => (color.match(/[0-9.]+/g) || []).map(Number);
        const light = color => {
          const [r, g, b] = parts(color).slice(0, 3).map(part => part / 255)
            .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const isClear = color => color === 'none' || color === 'transparent' || parts(color)[3] === 0;
        const paper = element => {
          for (let parent = element; parent; parent = parent.parentElement) {
            const color = getComputedStyle(parent).backgroundColor;
            if (!isClear(color)) return color;
          }
          return matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(0, 0, 0)' : 'rgb(255, 255, 255)';
        };
        const behind = text => {
          const box = text.getBoundingClientRect();
          const found = document.elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2);
          for (const element of found) {
            if (element.closest('text')) continue;
            if (!element.closest('svg') || element.tagName === 'svg') break;
            const fill = getComputedStyle(element).fill;
            if (!isClear(fill)) return fill;
          }
          return paper(text.closest('svg'));
        };
        for (const element of all('body *')) {
          const hasText = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
          const isText = element.matches('input, select, textarea');
          if (!hasText && !isText || element.disabled || !isShown(element)) continue;
          if (['TITLE', 'DESC', 'OPTION'].includes(element.tagName.toUpperCase())) continue;
          if (element.matches('.skip')) continue;
          const style = getComputedStyle(element);
          const isDrawn = element.closest('svg');
          const ink = light(isDrawn ? style.fill : style.color), ground = light(isDrawn ? behind(element) : paper(element));
          const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
          const size = parseFloat(style.fontSize);
          const needed = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700 ? 3 : 4.5;
          if (contrast < needed) say(`contrast ${contrast.toFixed(2)} of ${needed}`, element);
          const scale = isDrawn ? isDrawn.getBoundingClientRect().width / (isDrawn.viewBox.baseVal.width || 1) : 1;
          if (size * scale < 8.5) say(`letters of ${(size * scale).toFixed(1)} px`, element);
        }

        // What has a name and a role.
        const texts = ids => ids.split(/\s+/).map(id => document.getElementById(id)?.textContent || '').join(' ');
        const nameOf = element => (element.getAttribute('aria-label')
          || element.hasAttribute('aria-labelledby') && texts(element.getAttribute('aria-labelledby'))
          || element.textContent || element.title || '').trim();
        for (const element of all('a[href], button, summary')) if (!nameOf(element)) say('no name', element);
        for (const element of all('input:not([type=hidden]), select, textarea, progress, meter')) {
          const labels = [...(element.labels || [])].map(label => label.textContent.trim()).join('');
          if (!labels && !element.getAttribute('aria-label') && !element.hasAttribute('aria-labelledby')) {
            say('no label', element);
          }
        }
        for (const image of all('img')) if (!image.hasAttribute('alt')) say('no alternative', image);
        for (const image of all('svg')) {
          if (image.getAttribute('aria-hidden') === 'true') continue;
          if (image.getAttribute('role') !== 'img' || !nameOf(image) && !image.querySelector('title')) say('no title', image);
        }
        for (const element of all('[aria-labelledby], [aria-describedby], label[for]')) {
          for (const attribute of ['aria-labelledby', 'aria-describedby', 'for']) {
            for (const id of (element.getAttribute(attribute) || '').split(/\s+/).filter(Boolean)) {
              if (!document.getElementById(id)) say(`${attribute} names nothing, ${id}`, element);
            }
          }
        }
        const ids = all('[id]').map(element => element.id);
        for (const id of new Set(ids)) if (ids.filter(other => other === id).length > 1) say(`two elements are ${id}`);
        let level = 0;
        for (const heading of all('h1, h2, h3, h4, h5, h6')) {
          const next = Number(heading.tagName[1]);
          if (next > level + 1) say('a level is left out', heading);
          if (!heading.textContent.trim()) say('an empty heading', heading);
          level = next;
        }
        if (all('h1').length !== 1) say(`${all('h1').length} headings of the first level`);
        if (all('main').length !== 1) say(`${all('main').length} elements main`);
        if (all('nav').length > 1) for (const nav of all('nav')) if (!nav.getAttribute('aria-label')) say('no label', nav);
        if (!document.documentElement.lang) say('no language');
        if (!document.title.trim()) say('no title');
        for (const table of all('table')) if (!table.querySelector('th[scope]')) say('no headings', table);
        for (const cell of all('th')) if (!cell.textContent.trim()) say('an empty heading', cell);
        for (const item of all('ul > *, ol > *')) if (item.tagName !== 'LI') say('no item', item);
        """#

    /// Presses Tab until it comes round.
    ///
    /// - Returns: Each fault in words: a control that is not reached, one that is reached and does not show it.
    public func auditKeyboard(most: Int = 600) throws -> [String] {
        try evaluate(
            """
            window.reached = new Set(); window.faults = []; window.last = null; document.activeElement?.blur(); scrollTo(0, 0);
            getSelection().removeAllRanges();
            window.look = () => {
              const element = document.activeElement;
              if (!element || element === document.body) return 'away';
              const style = getComputedStyle(element);
              const isSeen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
              if (!isSeen && !window.reached.has(element)) window.faults.push('focus is not shown: ' + element.outerHTML.slice(0, 120));
              // A field for a date has several parts, and stays the one in focus.
              if (element === window.last) return 'new';
              window.last = element;
              const known = window.reached.has(element);
              window.reached.add(element);
              return known ? 'known' : 'new';
            };
            """
        )
        var count = 0
        while count < most {
            try press("Tab", code: 9)
            count += 1
            guard try evaluate("window.look()").string == "new" else { break }
        }
        return try texts(
            """
            (() => {
              const wanted = [...document.querySelectorAll(
                'a[href], button, input:not([type=hidden]), select, textarea, summary')]
                .filter(element => element.checkVisibility() && !element.disabled);
              // Of radio buttons with one name, one is reached.
              const isReached = element => window.reached.has(element) || element.type === 'radio'
                && wanted.some(other => other.name === element.name && window.reached.has(other));
              return window.faults.concat(wanted.filter(element => !isReached(element))
                .map(element => 'not reached: ' + element.outerHTML.slice(0, 120)));
            })()
            """
        )
    }
}
