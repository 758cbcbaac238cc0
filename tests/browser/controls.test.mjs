// Every control does its job, by mouse, by finger, by keyboard and by typing.

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  cards, catalogue, cdp, few, frames, knob, languages, open, outcome, reset, seedsDone, shown, slide, slider, sliders, still,
  thumb, unfold, until, varied,
} from './support.mjs';

for (const [place, card] of cards.entries()) {
  const deep = varied.includes(card);
  const numeric = catalogue[card].knobs.filter((k) => k.min !== undefined);

  test(`${card}: FAILURES 8: every thumb stands where its value is, at the start and from a link to either end`, async (t) => {
    const page = await open(t, `${card}/`);
    const check = async (key, want) => {
      const { stop, last, share, said, number, unit } = await knob(page, key);
      assert.ok(Math.abs(stop / last - share) < 1e-6, `${key}: thumb at ${stop} of ${last}, drawn at ${share}`);
      if (want !== undefined) assert.equal(stop, want === 'max' ? last : 0, `${key} at its ${want}`);
      const digits = (text) => text.replace(/[^\d.]/g, '');
      assert.equal(digits(said.slice(0, said.length - unit.length)), digits(number), `${key}: ${said} is ${number}`);
    };
    for (const { key, default: start } of numeric) {
      await check(key);
      assert.equal(Number((await knob(page, key)).number), start, key);
    }
    for (const end of deep ? ['max', 'min'] : []) {
      const link = await open(t, `${card}/#${numeric.map((k) => `${k.key}=${k[end]}`).join('&')}`);
      for (const { key, [end]: value } of numeric) {
        const { number, stop, last } = await knob(link, key);
        assert.equal(Number(number), value, `${key} from a link`);
        assert.equal(stop, end === 'max' ? last : 0, `${key} from a link`);
      }
    }
  });

  if (deep) test(`${card}: FAILURES 9: ArrowRight from one end to the other visits each stop once, each a plain number`, async (t) => {
    const page = await open(t, `${card}/`);
    const session = await cdp(page);
    // All of them: the folded ones, and those that have no use in the article's setup.
    await unfold(page);
    for (const { key, min, max } of numeric) {
      await page.$eval(`[data-knob="${key}"]`, (e) => { e.hidden = false; });
      await slider(page, key).focus();
      await page.keyboard.press('Home');
      await frames(page, 1);
      const { last, stop } = await knob(page, key);
      assert.equal(stop, 0, `${key}: Home`);
      // Of thousands of stops both ends; of hundreds too, once a card has shown them all.
      const parts = last <= (place === 0 ? 400 : 100) ? [[0, last]] : [[0, 50], [last - 50, last]];
      for (const [from, to] of parts) {
        if (from > 0) await slide(page, key, from);
        await frames(page, 1);
        await page.evaluate((key) => {
          const root = document.querySelector(`[data-knob="${key}"]`);
          window.visited = [];
          const note = () => window.visited.push(root.querySelector('input.num').value);
          // What the press before has led to.
          root.addEventListener('keydown', note, { capture: true });
          window.stopNoting = () => { note(); root.removeEventListener('keydown', note, { capture: true }); };
        }, key);
        const press = { key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39 };
        const sent = [];
        for (let i = from; i < to; i += 1) {
          sent.push(session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', autoRepeat: i > from, ...press }));
        }
        sent.push(session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...press }));
        await Promise.all(sent);
        await frames(page, 1);
        const visited = await page.evaluate(() => { window.stopNoting(); return window.visited; });
        assert.equal(visited.length, to - from + 1, `${key}: presses`);
        assert.equal(new Set(visited).size, to - from + 1, `${key}: each press leads to another value`);
        const numbers = visited.map(Number);
        assert.ok(numbers.every((n, i) => i === 0 || n > numbers[i - 1]), `${key}: ascending`);
        assert.ok(visited.every((v) => String(Number(v)) === v && v.length <= 8), `${key}: plain numbers`);
        if (from === 0) assert.equal(numbers[0], min, `${key}: the first`);
        if (to === last) assert.equal(numbers.at(-1), max, `${key}: the last`);
        assert.equal((await knob(page, key)).stop, to, `${key}: the thumb has come along`);
      }
      await reset(page, key);
    }
  });

  if (deep) test(`${card}: FAILURES 10: bad text keeps the last good state and says why; good text is taken at once`, async (t) => {
    const page = await open(t, `${card}/`);
    await unfold(page);
    const before = await shown(page);
    const [{ key: first }] = numeric.filter((k) => k.shown);
    for (const { key, min, max, default: start } of numeric.filter((k) => k.shown)) {
      const input = page.locator(`[data-knob="${key}"] input.num`);
      if (!(await input.isVisible())) continue;
      // All bad texts for one; the field is the same, its range is not.
      const all = ['1,5', '', '-', 'e', 'NaN', 'inf', '1e400', '-1', `${max}0`];
      for (const text of key === first ? all : ['', '-1', `${max}0`]) {
        await input.fill(text);
        const now = await knob(page, key);
        assert.equal(now.invalid, 'true', `${key}: “${text}” is marked`);
        assert.match(now.why, /Allowed: /, `${key}: “${text}” says what is allowed`);
        assert.equal(now.number, text, `${key}: the text stays for its writer to mend`);
        assert.ok(!/NaN|inf/i.test(now.said), now.said);
      }
      await frames(page);
      assert.equal(await outcome(page), before.outcome, `${key}: the run stays`);
      await page.keyboard.press('Escape');
      const mended = await knob(page, key);
      assert.deepEqual([Number(mended.number), mended.why, mended.invalid], [start, '', null], `${key}: Escape brings the good value back`);
      const good = start === min ? max : min;
      await input.fill(String(good));
      assert.equal((await knob(page, key)).invalid, null);
      await input.fill(String(start));
      await until(page, `${key} back`, (hash) => document.querySelector('[data-outcome]').dataset.outcome === hash, before.outcome);
    }
    const seed = page.locator('#seed');
    for (const text of ['', '-1', '1.5', '18446744073709551616', 'x']) {
      await seed.fill(text);
      assert.equal(await seed.getAttribute('aria-invalid'), 'true', `seed “${text}”`);
      assert.notEqual(await page.textContent('#seed-why'), '');
    }
    assert.equal(await outcome(page), before.outcome);
  });

  if (deep) test(`${card}: FAILURES 29: reset brings thumb, number, words, address and chart back together`, async (t) => {
    const page = await open(t, `${card}/`);
    const home = await shown(page);
    for (const key of (await sliders(page)).slice(0, 4)) {
      const start = await knob(page, key);
      await slide(page, key, start.stop === start.last ? start.stop - 1 : start.stop + 1);
      const moved = await knob(page, key);
      assert.ok(moved.changed && moved.number !== start.number && moved.said !== start.said, `${key}: moved, and marked so`);
      await until(page, `${key} in the address`, (key) => location.hash.includes(`${key}=`), key);
      await page.click(`[data-knob="${key}"] [data-do=reset]`);
      await frames(page, 2);
      assert.deepEqual(await knob(page, key), start, key);
      await until(page, `${key} gone from the address`, () => location.hash === '');
      const { outcome, charts, yours } = await shown(page);
      assert.deepEqual([outcome, charts[0], yours], [home.outcome, home.charts[0], home.yours], key);
    }
  });

  if (few.includes(card)) test(`${card}: FAILURES 28: a swipe that starts on a slider scrolls; a finger along it drags`, async (t) => {
    const page = await open(t, `${card}/`, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    const session = await cdp(page);
    const [key] = await sliders(page);
    await slider(page, key).evaluate((e) => e.scrollIntoView({ block: 'center' }));
    // From the thumb, or from a share of the track.
    const finger = async (dx, dy, from) => {
      const box = await slider(page, key).boundingBox();
      const { stop, last } = await knob(page, key);
      const x = box.x + thumb / 2 + (from ?? stop / last) * (box.width - thumb);
      const y = box.y + box.height / 2;
      const touch = (type, points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
      await touch('touchStart', [{ x, y }]);
      for (let i = 1; i <= 10; i += 1) {
        await touch('touchMove', [{ x: x + (dx * i) / 10, y: y + (dy * i) / 10 }]);
        await frames(page, 1);
      }
      await touch('touchEnd', []);
      await frames(page, 2);
    };
    const before = { y: await page.evaluate(() => scrollY), ...(await knob(page, key)) };
    await finger(0, -200);
    await until(page, 'the page scrolled', (y) => scrollY > y + 50, before.y);
    await still(page); // the swipe's momentum
    assert.equal((await knob(page, key)).stop, before.stop, 'the swipe leaves the value');
    for (const from of [0.1, 0.9]) {
      await slider(page, key).evaluate((e) => e.scrollIntoView({ block: 'center' }));
      await still(page);
      const y = await page.evaluate(() => scrollY);
      await finger(0, 200, from);
      await until(page, 'the page scrolled back', (y) => scrollY < y - 50, y);
      await still(page);
      assert.equal((await knob(page, key)).stop, before.stop, `a swipe that starts beside the thumb, at ${from}, leaves the value`);
    }
    await slider(page, key).evaluate((e) => e.scrollIntoView({ block: 'center' }));
    await still(page);
    const y = await page.evaluate(() => scrollY);
    await finger(60, 0);
    await until(page, 'another value', ([key, stop]) =>
      Number(document.querySelector(`[data-knob="${key}"] input[type=range]`).value) !== stop, [key, before.stop]);
    assert.ok(Math.abs((await page.evaluate(() => scrollY)) - y) < 2, 'the drag leaves the page where it was');
  });

  if (deep) test(`${card}: WCAG 2.5.7: whatever a drag does, clicks do: track, minus, plus`, async (t) => {
    const page = await open(t, `${card}/`);
    for (const key of await sliders(page)) {
      const { stop, last } = await knob(page, key);
      const click = async (what) => { await page.click(`[data-knob="${key}"] ${what}`); return (await knob(page, key)).stop; };
      // From a typed value between two stops, too.
      const up = stop === last ? stop : await click('[data-do=more]');
      assert.equal(up, Math.min(stop + 1, last), `${key}: plus`);
      assert.equal(await click('[data-do=less]'), up - 1, `${key}: minus`);
      const box = await slider(page, key).boundingBox();
      await page.mouse.click(box.x + box.width * 0.75, box.y + box.height / 2);
      const off = Math.abs((await knob(page, key)).stop - 0.75 * last);
      assert.ok(off <= 0.5 + 0.04 * last, `${key}: a click on the track: ${off} stops off`);
      await reset(page, key);
    }
  });

  if (deep) test(`${card}: WCAG 2.1.1: each slider answers arrows, Page Up, Page Down, Home and End, and has words for its value`, async (t) => {
    const page = await open(t, `${card}/`);
    await unfold(page);
    for (const key of await sliders(page)) {
      await slider(page, key).focus();
      const press = async (name) => { await page.keyboard.press(name); return (await knob(page, key)).stop; };
      const { last } = await knob(page, key);
      assert.equal(await press('End'), last, `${key}: End`);
      assert.equal(await press('Home'), 0, `${key}: Home`);
      assert.equal(await press('ArrowRight'), 1, `${key}: right`);
      assert.equal(await press('ArrowUp'), Math.min(2, last), `${key}: up`);
      assert.ok(await press('ArrowLeft') < Math.min(2, last), `${key}: left`);
      await press('ArrowDown');
      const paged = await press('PageUp');
      assert.ok(paged >= Math.max(1, Math.floor(last / 20)), `${key}: Page Up goes far: ${paged} of ${last}`);
      assert.ok(await press('PageDown') < paged, `${key}: Page Down`);
      await reset(page, key);
    }
    for (const said of await page.$$eval('input[type=range]', (all) => all.map((e) => e.getAttribute('aria-valuetext')))) {
      assert.match(said, /^-?\d/, 'each slider says its value in words');
    }
  });

  if (deep) test(`${card}: WCAG 2.1.1: radios, lists, switches, folded parts and setups by keyboard`, async (t) => {
    const page = await open(t, `${card}/`);
    for (const [i, setup] of (await page.$$('[data-setup]')).slice(0, 2).entries()) {
      await setup.focus();
      await page.keyboard.press(i ? 'Space' : 'Enter');
      assert.equal(await setup.getAttribute('aria-pressed'), 'true', 'a setup');
    }
    await page.click('[data-setup] >> nth=0');
    for (const details of await page.$$('#app details')) {
      if (!(await details.isVisible())) continue;
      await (await details.$('summary')).focus();
      await page.keyboard.press('Enter');
      assert.equal(await details.evaluate((d) => d.open), true, 'a folded part opens');
    }
    for (const radio of await page.$$('[data-knob]:not([hidden]) input[type=radio]:checked')) {
      if (!(await radio.isVisible())) continue;
      const before = await page.evaluate((e) => document.querySelector(`input[name="${e.name}"]:checked`).value, radio);
      await radio.focus();
      await page.keyboard.press('ArrowDown');
      const after = await page.evaluate((e) => document.querySelector(`input[name="${e.name}"]:checked`).value, radio);
      assert.notEqual(after, before, 'radios');
      await page.keyboard.press('ArrowUp');
    }
    for (const select of await page.$$('[data-knob]:not([hidden]) select')) {
      if (!(await select.isVisible())) continue;
      const before = await select.inputValue();
      await select.focus();
      await page.keyboard.press((await select.evaluate((s) => s.selectedIndex)) === 0 ? 'ArrowDown' : 'ArrowUp');
      assert.notEqual(await select.inputValue(), before, 'a list');
    }
    for (const box of await page.$$('[data-knob]:not([hidden]) input[type=checkbox]')) {
      const before = await box.isChecked();
      await box.focus();
      await page.keyboard.press('Space');
      assert.notEqual(await box.isChecked(), before, 'a switch');
    }
  });

  if (deep) test(`${card}: WCAG 2.1.1, 1.4.13: the reading line by arrows, Home, End and Escape; by mouse, and Escape takes it away`, async (t) => {
    const page = await open(t, `${card}/`);
    await seedsDone(page); // they add to what there is to read
    for (const canvas of await page.$$('figure[data-chart] canvas')) {
      await canvas.scrollIntoViewIfNeeded();
      const figure = await canvas.evaluateHandle((e) => e.closest('figure'));
      const read = () => figure.evaluate((f) => ({
        open: !f.querySelector('.readout').hidden && !f.querySelector('.cross').hidden,
        text: f.querySelector('.readout').textContent,
        aloud: f.querySelector('[aria-live]').textContent,
      }));
      await canvas.focus();
      assert.equal((await read()).open, false);
      await page.keyboard.press('ArrowRight');
      const first = await read();
      assert.ok(first.open && /\d/.test(first.text) && first.aloud.length > 0, 'arrow opens the reading');
      await page.keyboard.press('ArrowRight');
      const second = await read();
      assert.notEqual(second.text, first.text, 'the next stop');
      await page.keyboard.press('ArrowLeft');
      assert.equal((await read()).text, first.text, 'and back');
      await page.keyboard.press('End');
      const end = await read();
      await page.keyboard.press('ArrowRight');
      assert.equal((await read()).text, end.text, 'the end is the end');
      await page.keyboard.press('Home');
      assert.equal((await read()).text, first.text, 'Home');
      await page.keyboard.press('Escape');
      assert.equal((await read()).open, false, 'Escape closes');
      const box = await canvas.boundingBox();
      await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.3);
      await page.mouse.move(box.x + box.width * 0.31, box.y + box.height * 0.3);
      assert.equal((await read()).open, true, 'the mouse reads');
      await page.keyboard.press('Escape');
      assert.equal((await read()).open, false, 'Escape closes what the mouse opened');
      await page.mouse.move(2, 2);
    }
  });

  if (few.includes(card)) test(`${card}: WCAG 1.4.13: what a hover opens can be moved into, stays, and Escape takes it away, wherever the focus is`, async (t) => {
    const page = await open(t, `${card}/`);
    await seedsDone(page);
    const canvas = page.locator('figure[data-chart] canvas').first();
    await canvas.scrollIntoViewIfNeeded();
    const readout = page.locator('figure[data-chart] .readout').first();
    const box = await canvas.boundingBox();
    // From either side, since the reading lies on the side where there is room.
    for (const share of [0.25, 0.75]) {
      await page.mouse.move(box.x + box.width * share, box.y + box.height * 0.4);
      await readout.waitFor();
      assert.ok(await canvas.evaluate((e) => e !== document.activeElement), 'a hover takes no focus');
      // Into it, wherever it goes meanwhile.
      for (let step = 0; step < 20; step += 1) {
        const at = await readout.boundingBox();
        assert.ok(at, `gone on the way into it, after ${step} steps`);
        const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
        await page.mouse.move(x, y, { steps: 3 });
      }
      const inside = await readout.boundingBox();
      assert.ok(inside, 'it stays while the pointer is over it');
      for (const [x, y] of [[2, 2], [inside.width - 2, inside.height - 2]]) {
        await page.mouse.move(inside.x + x, inside.y + y);
        assert.ok(await readout.isVisible(), 'it stays at its corners');
      }
      // It does not go by itself: longer than a tooltip's usual delay.
      await page.mouse.move(box.x + box.width * share, box.y + box.height * 0.4);
      await readout.waitFor();
      const gone = await readout.waitFor({ state: 'hidden', timeout: 2000 }).then(() => true, () => false);
      assert.equal(gone, false, 'it goes by itself');
      await page.keyboard.press('Escape');
      assert.equal(await readout.isVisible(), false, 'Escape takes it away while neither pointer nor focus moves');
      await page.mouse.move(2, 2);
    }
  });

  if (deep) test(`${card}: the legend hides a series and brings it back; the last word is the reader's`, async (t) => {
    const page = await open(t, `${card}/`);
    for (const figure of await page.$$('figure[data-chart]:has(.legend)')) {
      const hash = () => figure.getAttribute('data-hash');
      const before = await hash();
      const button = await figure.$('.legend button');
      await button.click();
      assert.equal(await button.getAttribute('aria-pressed'), 'false');
      assert.notEqual(await hash(), before);
      await button.click();
      assert.equal(await hash(), before);
    }
  });

  // The longer words of one language may cover what the other's do not: they take turns.
  {
    const [lang, prefix] = Object.entries(languages)[place % 2];
    test(`${card} ${lang}: WCAG 2.4.3, 2.4.7, 2.4.11: Tab reaches every control; focus is seen at each stop, and not covered`, async (t) => {
      const page = await open(t, `${prefix}${card}/`);
      await unfold(page);
      await frames(page);
      const wanted = await page.evaluate(() => {
        const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, canvas[tabindex], [tabindex="0"]')]
          .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled);
        // Of radios only the chosen one is a stop.
        const stops = all.filter((e) => e.type !== 'radio' || e.checked);
        stops.forEach((e, i) => { e.dataset.stop = i; });
        return stops.map((e) => `${e.tagName} ${e.id || e.ariaLabel || e.textContent.trim().slice(0, 30)}`);
      });
      const seen = new Set();
      await page.evaluate(() => { document.activeElement?.blur?.(); scrollTo(0, 0); });
      for (let i = 0; i < wanted.length + 5 && seen.size < wanted.length; i += 1) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => {
          const e = document.activeElement;
          const look = (style) => ['outlineStyle', 'outlineWidth', 'outlineColor', 'boxShadow', 'borderColor', 'backgroundColor', 'textDecoration']
            .map((name) => style[name]).join(' ');
          // Radios and switches may show the focus beside themselves.
          const ring = (x) => { const s = getComputedStyle(x); return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1; };
          const r = e.getBoundingClientRect();
          const inside = (x, y) => { const hit = document.elementFromPoint(x, y); return !!hit && (e.contains(hit) || hit.contains(e) && hit.closest('label')?.contains(e) || hit.closest('.rng')?.contains(e)); };
          const clamp = (v, max) => Math.min(Math.max(v, 1), max - 1);
          return {
            stop: e.dataset?.stop,
            name: `${e.tagName} ${e.className} ${e.id || e.ariaLabel || e.textContent.trim().slice(0, 30)}`,
            ring: ring(e) || (e.parentElement && ring(e.parentElement)),
            look: look(getComputedStyle(e)),
            inView: r.bottom > 0 && r.top < innerHeight,
            uncovered: inside(clamp(r.x + r.width / 2, innerWidth), clamp(r.y + r.height / 2, innerHeight)),
          };
        });
        if (at.stop === undefined) continue;
        seen.add(at.stop);
        assert.ok(at.ring, `no ring: ${at.name}: ${at.look}`);
        assert.ok(at.inView && at.uncovered, `covered: ${at.name}`);
      }
      const missed = wanted.filter((_, i) => !seen.has(String(i)));
      assert.deepEqual(missed, [], 'not reached by Tab');
    });
  }

  if (few.includes(card)) test(`${card}: the dialog takes focus, keeps it, closes with Escape and gives it back`, async (t) => {
    const page = await open(t, `${card}/`);
    await page.focus('[data-do=embed]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog[open]');
    const text = await page.inputValue('#dlg-text');
    assert.match(text, /^<iframe src="http[^"]+\/embed\/"/);
    for (let i = 0; i < 6; i += 1) {
      assert.ok(await page.evaluate(() => !document.activeElement || document.activeElement === document.body || document.activeElement.closest('dialog') !== null), 'focus stays in the dialog');
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Escape');
    await until(page, 'a closed dialog', () => !document.querySelector('dialog[open]'));
    assert.equal(await page.evaluate(() => document.activeElement.dataset.do), 'embed');
  });

  if (few.includes(card)) test(`${card}: WCAG 2.1.4: letters typed at the page change nothing`, async (t) => {
    const page = await open(t, `${card}/`);
    const before = await shown(page);
    await page.keyboard.type('abcdefghijklmnopqrstuvwxyz0123456789 ?/');
    await frames(page);
    const { outcome, charts, link } = await shown(page);
    assert.deepEqual([outcome, charts[0], link], [before.outcome, before.charts[0], before.link]);
  });
}
