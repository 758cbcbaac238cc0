// The worker: the page's own WASM again. The page names the glue in the address and posts the compiled module.
const glue = new URL(new URLSearchParams(location.search).get('js'), location.href);
// What is posted before the module has started would be lost: the first message is kept.
const module = new Promise((resolve) => { self.onmessage = (event) => resolve(event.data); });
const app = await import(glue.href);
await app.default({ module_or_path: await module });
