// What leaves the page is what its controls say now; what is given up leaves nothing half done.

import assert from 'node:assert/strict';
import test from 'node:test';
import { catalogue, heaviest, open, outcome, shows, until, varied } from './support.mjs';

for (const card of varied) {
  const [, second] = catalogue[card].setups;

  test(`${card}: the other language opens in the state of this very moment`, async (t) => {
    const page = await open(t, `${card}/`);
    // Both clicks in one task: the address has not been written since.
    await page.evaluate((name) => {
      document.querySelector(`[data-setup="${name}"]`).click();
      document.querySelector('a[hreflang=vi]').click();
    }, second.name);
    await page.waitForURL(/\/vi\//);
    await page.waitForSelector('html[data-live]', { state: 'attached' });
    await shows(page, card, `setup=${second.name}`);
  });
}

test('Cancel gives a big run up and goes back to the one that is shown', async (t) => {
  const { card, setups: [biggest] } = await heaviest();
  const [first] = catalogue[card].setups;
  const page = await open(t, `${card}/`);
  const before = await outcome(page);
  // Pressed in the task in which the run goes away, so that no fast machine is ahead of it.
  await page.evaluate(async (name) => {
    document.querySelector(`[data-setup="${name}"]`).click();
    const cancel = document.querySelector('[data-do=cancel]');
    while (cancel.disabled) await new Promise((resolve) => setTimeout(resolve));
    cancel.click();
  }, biggest.name);
  await until(page, 'rest', () => document.querySelector('[data-do=cancel]').disabled && !document.querySelector('.computing'));
  await until(page, 'the first setup pressed', (name) =>
    document.querySelector(`[data-setup="${name}"]`).getAttribute('aria-pressed') === 'true', first.name);
  assert.equal(await outcome(page), before);
});
