// Sets the colour scheme before the first paint, from the person's settings or the system's, and has the browser read how numbers and days are written
// while the scripts are on their way: whoever writes the first one waits for that, a tenth of a second on a slow telephone.
;(function () {
  let theme
  try {
    theme = JSON.parse(localStorage.getItem('chancery.settings') || '{}').theme
  } catch {
    theme = undefined
  }
  const dark = theme === 'dark' || (theme !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
  setTimeout(() => {
    new Intl.NumberFormat('en-GB').format(0)
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }).format(0)
  })
})()
