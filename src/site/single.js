// The one file's start: unpacks what the file carries, shows the page that the fragment names (`#card=jitter&lang=vi`,
// the home page where it names none) and starts the app on it.
(() => {
  const root = document.documentElement;
  // A frame whose document nobody serves: made of `srcdoc`, where a relative address would start from the page around it,
  // or of a file. Neither can go back in its history; and a sandboxed one may not load its file again.
  const bare = parent !== window && !/^https?:$/.test(location.protocol);
  const source = bare && location.protocol !== 'about:' ? root.outerHTML : undefined;
  let site; // { glue, unxz, pages: [{ card, lang, title, body }] }
  let shown;
  let running = false;

  // Five digits of base 85 are four bytes (src/site/single.rs).
  const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?|_~()[]{}@%$#';
  const worth = new Uint8Array(128);
  for (let i = 0; i < DIGITS.length; i += 1) worth[DIGITS.charCodeAt(i)] = i;

  function carried(id) {
    const { textContent: text, dataset: { bytes } } = document.getElementById(id);
    const view = new DataView(new ArrayBuffer((text.length / 5) * 4));
    for (let i = 0; i < text.length; i += 5) {
      let number = 0;
      for (let j = i; j < i + 5; j += 1) number = number * 85 + worth[text.charCodeAt(j)];
      view.setUint32((i / 5) * 4, number);
    }
    return new Blob([view.buffer.slice(0, Number(bytes))]).stream();
  }

  const unpackSite = () => new Response(carried('packed-site').pipeThrough(new DecompressionStream('gzip'))).json();

  async function unpackWasm() {
    await load(site.unxz);
    const { XzReadableStream } = window['xz-decompress'];
    return WebAssembly.compile(await new Response(new XzReadableStream(carried('packed-wasm'))).arrayBuffer());
  }

  // The page that the fragment names. An anchor names none.
  function wanted() {
    const fragment = location.hash.slice(1);
    if (fragment && !fragment.includes('=')) return undefined;
    const asked = new URLSearchParams(fragment);
    const lang = asked.get('lang') ?? 'en';
    const find = (card) => site.pages.find((page) => page.card === card && page.lang === lang);
    return find(asked.get('card') ?? '') ?? find('') ?? site.pages[0];
  }

  function show(page) {
    shown = page;
    root.lang = page.lang;
    // Both were HTML when they were packed.
    document.querySelector('title').innerHTML = page.title;
    document.body.innerHTML = page.body;
    const app = document.getElementById('app');
    if (!app) return;
    // Until the app is there, and where it cannot start: the card's small still from the home page.
    const home = document.createElement('template');
    home.innerHTML = site.pages.find((other) => other.card === '' && other.lang === page.lang).body;
    const links = [...home.content.querySelectorAll('a[href]')];
    const still = links.find((a) => new URLSearchParams(a.hash.slice(1)).get('card') === page.card && a.querySelector('svg'));
    if (still) app.append(still.querySelector('svg'));
    // What comes below must not move when the app, which is higher, takes this place.
    app.style.minHeight = '100vh';
    start().catch(fail).finally(() => app.style.removeProperty('min-height'));
  }

  async function start() {
    running = true;
    const [module] = await Promise.all([unpackWasm(), load(site.glue)]);
    await wasm_bindgen({ module_or_path: module });
  }

  const blob = (type, ...parts) => URL.createObjectURL(new Blob(parts, { type }));

  // From a blob: the glue asks for its script's address, which an inline script has none of.
  const load = (script) => new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = blob('text/javascript', script);
    element.onload = resolve;
    element.onerror = () => reject(new Error('the frame refuses scripts from a blob'));
    document.head.append(element);
  });

  // What the worker does after the glue: it takes the compiled module that the app posts first.
  const serve = () => {
    self.onmessage = (event) => {
      self.onmessage = null;
      // Thrown again outside of the promise, so that the page hears of it and works without the worker.
      wasm_bindgen({ module_or_path: event.data }).catch((error) => setTimeout(() => { throw error; }));
    };
  };

  // Called by the app. A classic worker: module workers are refused in sandboxed frames and from file://.
  window.overloadWorker = () => new Worker(blob('text/javascript', site.glue, `\n(${serve})();\n`));

  // Shows why the app is not there; text and still figure stay.
  function fail(error) {
    const panel = document.getElementById('fail');
    if (!panel) {
      document.body.textContent = String(error);
      return;
    }
    panel.querySelector('pre').textContent = String(error);
    panel.hidden = false;
  }

  // To the page that the fragment names now. A running app ends with its document.
  function turn(event) {
    const page = wanted();
    if (!page || page === shown) return;
    event?.stopImmediatePropagation();
    scrollTo(0, 0);
    if (!running) {
      show(page);
      return;
    }
    // What the app still writes would be the state of the page that is left, in the address of the next one.
    history.replaceState = () => {};
    reload();
  }

  function reload() {
    if (!source) location.reload();
    else location.replace(blob('text/html', '<!doctype html>', source) + location.hash);
  }

  function rename(fragment) {
    // Kept in the name as well, which outlives a reload that drops the fragment.
    if (!source) name = fragment;
    history.replaceState(null, '', `${location.href.split('#')[0]}#${fragment}`);
  }

  // Before the app's own listener, which is not to read the next page's state.
  addEventListener('hashchange', (event) => { if (site) turn(event); });

  addEventListener('click', (event) => {
    const button = event.target.closest?.('#fail [data-do]');
    if (button?.dataset.do === 'reload') reload();
    else if (button) navigator.clipboard?.writeText(location.href);
    const link = event.target.closest?.('a[href^="#"]');
    if (!link || event.defaultPrevented) return;
    const fragment = link.getAttribute('href').slice(1);
    if (!fragment.includes('=')) {
      // Moves without navigating: the fragment names the page.
      event.preventDefault();
      const target = document.getElementById(fragment);
      target?.scrollIntoView();
      target?.focus({ preventScroll: true });
    } else if (bare) {
      event.preventDefault();
      rename(fragment);
      turn();
    }
  });

  (async () => {
    try {
      site = await unpackSite();
      // A frame made of `srcdoc` has no fragment at first; whoever embeds it says the same in the frame's name.
      if (location.protocol === 'about:' && !location.hash && name.includes('=')) rename(name);
      show(wanted() ?? site.pages[0]);
    } catch (error) {
      fail(error);
    }
  })();
})();
