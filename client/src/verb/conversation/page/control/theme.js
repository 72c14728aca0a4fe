// Light or dark: as the system says until the button is used.
function startTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;
  const button = part('theme');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);
  const name = () => {
    button.setAttribute('aria-label', isDark() ? 'Light colours' : 'Dark colours');
    button.title = isDark() ? 'Light colours' : 'Dark colours';
    root.dataset.shade = isDark() ? 'dark' : 'light';
  };
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    name();
  });
  system.addEventListener('change', name);
  name();
}
