// Starts the app. A file of its own, since a strict content security policy forbids inline scripts.
const script = document.querySelector('script[data-js]');
const url = (name) => new URL(script.getAttribute(name), document.baseURI).href;

// Shows why the app is not there; text and still figure stay. The first reason counts, others follow from it.
function fail(error) {
  const panel = document.getElementById('fail');
  if (!panel?.hidden) return;
  panel.querySelector('pre').textContent = String(error);
  panel.hidden = false;
}

// After a trap nothing on the page answers any more.
addEventListener('error', ({ error }) => { if (error instanceof WebAssembly.RuntimeError) fail(error); });

document.addEventListener('click', (event) => {
  const button = event.target.closest('#fail [data-do]');
  if (!button) return;
  if (button.dataset.do === 'reload') location.reload();
  else navigator.clipboard?.writeText(location.href);
});

// A link within the page moves view and focus; the address goes on saying the state.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]:not([href*="="])');
  const target = link && document.getElementById(link.hash.slice(1));
  if (!target || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  target.scrollIntoView();
  target.focus({ preventScroll: true });
  if (document.activeElement === target) return;
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
});

if (document.querySelector('#app')) {
  try {
    const app = await import(url('data-js'));
    await app.default({ module_or_path: url('data-wasm') });
  } catch (error) {
    fail(error);
  }
}
