// State is the link: the same link is the same run, here and in the native program, and nothing else is state.

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  alive, cards, catalogue, changedFrom, dice, follow, frames, knob, languages, leave, native, open, outcome, prints, randomPairs, shown,
  shows, site, slide, sliders, until, varied,
} from './support.mjs';

const notices = (page) => page.$$eval('.notices li span', (all) => all.map((e) => e.textContent));
/** Text that no page may show: what a broken number looks like. */
const broken = (page) => page.evaluate(() => {
  const bad = /\b(NaN|undefined|null)\b|(?<![\w-])inf(inity)?(?![\w-])/i;
  const paths = [...document.querySelectorAll('svg [d], svg [x], svg [y], svg [viewBox]')]
    .flatMap((e) => ['d', 'x', 'y', 'width', 'height', 'viewBox'].map((name) => e.getAttribute(name) ?? ''));
  // What the reader sent is quoted in notices; everything else is ours.
  const texts = [...document.querySelectorAll('#app > * :not(.notices *)')]
    .filter((e) => e.childElementCount === 0).map((e) => e.textContent);
  const numbers = [...document.querySelectorAll('#app input')].filter((e) => !e.matches('[aria-invalid]')).map((e) => e.value);
  return [...paths, ...texts, ...numbers].filter((text) => bad.test(text));
});

for (const card of cards) {
  const deep = varied.includes(card);
  const knobs = catalogue[card].knobs;
  const numeric = knobs.filter((k) => k.min !== undefined);

  test(`${card}: FAILURES 23: random links give the native program's run, seeds beyond 2^53 included`, async (t) => {
    const page = await open(t, `${card}/`);
    const random = dice(20);
    for (let i = 0; i < (deep ? 20 : 3); i += 1) {
      const pairs = randomPairs(card, random);
      await follow(page, pairs);
      await shows(page, card, pairs, 20_000);
      assert.deepEqual(await notices(page), [], pairs);
    }
    for (const seed of ['9007199254740993', '18446744073709551615']) {
      await follow(page, `seed=${seed}`);
      await shows(page, card, `seed=${seed}`);
      assert.equal(await page.inputValue('#seed'), seed);
    }
  });

  if (deep) test(`${card}: FAILURES 23: reload, and the copied link in a fresh profile, restore the run`, async (t) => {
    const page = await open(t, `${card}/`);
    const [key] = await sliders(page);
    const start = await outcome(page);
    await page.fill('#seed', '18446744073709551557');
    await slide(page, key, (await knob(page, key)).stop + 3);
    await changedFrom(page, start);
    await frames(page);
    const { outcome: before, charts } = await shown(page);
    // Seed and knob: the address is written at once for the first change, a little later for the next.
    await until(page, 'the state in the address', (key) => location.hash.includes('seed=18446744073709551557') && location.hash.includes(`${key}=`), key);
    await page.reload({ waitUntil: 'commit' });
    await alive(page);
    await until(page, 'the run after a reload', (hash) => document.querySelector('[data-outcome]').dataset.outcome === hash, before);
    assert.equal((await shown(page)).charts[0], charts[0], 'chart after a reload');
    const other = await open(t, page.url(), { fresh: true });
    await until(other, 'the run in a fresh profile', (hash) => document.querySelector('[data-outcome]').dataset.outcome === hash, before);
    assert.equal((await shown(other)).charts[0], charts[0], 'chart in a fresh profile');
    assert.equal(await other.inputValue('#seed'), '18446744073709551557');
  });

  if (deep) test(`${card}: the query's keys are read too, the fragment's win, and what is not ours stays`, async (t) => {
    const [first, second] = numeric;
    const one = `${first.key}=${first.default + first.step}`;
    const two = `${first.key}=${first.default + 2 * first.step}`;
    const page = await open(t, `${card}/?from=mail&${one}&seed=7`);
    await shows(page, card, `${one}&seed=7`);
    await follow(page, two);
    await shows(page, card, `${one}&${two}&seed=7`.replace(`${one}&`, ''));
    await slide(page, second.key, (await knob(page, second.key)).stop + 1);
    await until(page, 'the state in the fragment', (key) => location.hash.includes(`${key}=`), second.key);
    assert.equal(await page.evaluate(() => location.search), '?from=mail', 'state has left the query, the rest stays');
    assert.match(await page.evaluate(() => location.hash), /seed=7/);
  });

  if (deep) test(`${card}: an anchor and the skip link are no state: they move focus, lose nothing, and a reload keeps the run`, async (t) => {
    const pairs = `${numeric[0].key}=${numeric[0].default + numeric[0].step}&seed=7`;
    const page = await open(t, `${card}/#${pairs}`);
    await shows(page, card, pairs);
    const before = await outcome(page);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip', 'the first stop is the skip link');
    await page.keyboard.press('Enter');
    await until(page, 'focus on the page’s main part', () => document.activeElement.id === 'main');
    await frames(page);
    assert.equal(await outcome(page), before, 'the skip link changes no state');
    assert.match(page.url(), /seed=7/, 'the skip link leaves the state in the address');
    await follow(page, 'model');
    await frames(page);
    assert.equal(await outcome(page), before, 'an anchor changes no state');
    await follow(page, pairs);
    await page.reload({ waitUntil: 'commit' });
    await alive(page);
    await shows(page, card, pairs);
  });

  if (deep) test(`${card}: FAILURES 10, gate 5: bad values in a link are mended, with a notice that names field, value and range`, async (t) => {
    const page = await open(t, `${card}/`);
    const bad = ['NaN', 'inf', '-1', '1e400', '1,5', '', 'null', '9'.repeat(10_000), '%F0%28', '0x10'];
    for (const spec of numeric) {
      // All of them for one; reading a number is the same for each, its name and range are not.
      for (const value of spec === numeric[0] ? bad : ['NaN', '1,5', '9'.repeat(400)]) {
        await follow(page, `${spec.key}=${value}`);
        await until(page, `a notice for ${spec.key}=${value.slice(0, 20)}`, (key) =>
          document.querySelectorAll('.notices li').length === 1 && location.hash.startsWith(`#${key}=`), spec.key);
        const [text] = await notices(page);
        const given = decodeGently(value).slice(0, 40);
        assert.ok(text.startsWith(`${spec.label}: `), `names the field: ${text}`);
        assert.ok(text.includes(given), `names the value: ${text}`);
        assert.match(text, /Allowed: .*\d.* to .*\d/, 'names the range');
      }
      await frames(page);
      assert.deepEqual(await broken(page), [], spec.key);
    }
    const [{ key, max }] = numeric;
    for (const [pairs, wanted, count] of [
      [`${key}=${max}0`, `${key}=${max}`, 1],
      [`nobody=1`, '', 1],
      [`${key}=1e9&${key}=${max}`, `${key}=${max}`, 1],
      [`seed=-1&${key}=%&=&==&&`, '', null],
      [`seed=18446744073709551616`, '', 1],
      [`setup=nobody`, '', 1],
    ]) {
      await follow(page, pairs);
      await shows(page, card, wanted);
      if (count !== null) {
        await until(page, `${count} notices for ${pairs}`, (n) => document.querySelectorAll('.notices li').length === n, count);
      }
    }
    // A notice can be dismissed, and comes without a script running.
    await follow(page, `${key}=<img src=x onerror=alert(1)>`);
    await until(page, 'a notice', () => document.querySelectorAll('.notices li').length === 1);
    assert.equal(await page.locator('.notices img').count(), 0);
    await page.click('.notices li button');
    await until(page, 'no notice', () => !document.querySelector('.notices li'));
  });

  if (deep) test(`${card}: a link with setup= starts from it`, async (t) => {
    const { name, knobs: set, seed } = catalogue[card].setups[1];
    const page = await open(t, `${card}/#setup=${name}`);
    await shows(page, card, `${Object.entries(set).map(([k, v]) => `${k}=${v}`).join('&')}&seed=${seed}`);
    assert.equal(await page.getAttribute(`[data-setup="${name}"]`, 'aria-pressed'), 'true');
  });

  if (deep) test(`${card}: leaving at once loses nothing: Back shows the last value`, async (t) => {
    const page = await open(t, `${card}/`);
    const [key] = await sliders(page);
    const stop = (await knob(page, key)).stop + 2;
    await page.evaluate(([key, stop, home]) => {
      const input = document.querySelector(`[data-knob="${key}"] input[type=range]`);
      input.value = stop;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      setTimeout(() => { location.href = home; }); // before the address is written
    }, [key, stop, site.url]);
    await page.waitForURL(site.url);
    await page.goBack({ waitUntil: 'commit' });
    await alive(page);
    await until(page, 'the last value', ([key, stop]) =>
      Number(document.querySelector(`[data-knob="${key}"] input[type=range]`).value) === stop, [key, stop]);
  });

  if (deep) test(`${card}: the other language shows the same run`, async (t) => {
    const pairs = `${numeric[0].key}=${numeric[0].default + numeric[0].step}&seed=7`;
    for (const lang of Object.values(languages)) {
      const page = await open(t, `${lang}${card}/#${pairs}`);
      await shows(page, card, pairs);
      await page.click('.bar a[data-same-state]');
      await page.waitForURL((url) => !url.pathname.endsWith(`/${lang}${card}/`) || lang === '');
      await alive(page);
      await shows(page, card, pairs);
      await leave(page);
    }
  });
}

function decodeGently(value) {
  try { return decodeURIComponent(value); } catch { return ''; }
}

for (const card of cards) {
  test(`${card}: our run of each setup that an article prints figures of is the static page's`, async (t) => {
    const rows = () => [...document.querySelectorAll('#article tr[data-figure]')].map((row) =>
      [row.dataset.setup, row.dataset.figure, row.querySelector('[data-col=setup]').firstChild.textContent.trim()].join(' '));
    const still = await open(t, `${card}/`, { live: false, javaScriptEnabled: false });
    const expected = await still.evaluate(rows);
    // A card whose articles print no figure has no such table.
    assert.equal(expected.length > 0, prints(card));
    assert.ok( expected.every((row) => !row.endsWith('–')), expected.join('\n'));
    const page = await open(t, `${card}/`);
    // Those that would hold up the start come from the worker.
    await until(page, 'a value in every row', () => [...document.querySelectorAll('#article [data-col=setup]')].every((cell) => !cell.textContent.startsWith('–')));
    assert.deepEqual(await page.evaluate(rows), expected);
  });
}
