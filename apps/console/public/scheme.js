// Sets the colour scheme before the first paint, from the person's settings or the system's.
;(function () {
  let theme
  try {
    theme = JSON.parse(localStorage.getItem('chancery.settings') || '{}').theme
  } catch {
    theme = undefined
  }
  const dark = theme === 'dark' || (theme !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
})()
