// Light or dark before the first paint, and the switch. Works without the app, and where storage is forbidden.
(() => {
  const root = document.documentElement;
  const stored = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
  const theme = new URLSearchParams(location.search).get('theme') ?? stored();
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  addEventListener('click', (event) => {
    if (!event.target.closest?.('[data-do="theme"]')) return;
    const dark = (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
    root.dataset.theme = dark ? 'light' : 'dark';
    try { localStorage.setItem('theme', root.dataset.theme); } catch { /* forbidden in some frames */ }
    dispatchEvent(new Event('themechange'));
  });
})();
